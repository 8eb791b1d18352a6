"""Returns an integer with two million bits.

verdict: wrong
"""


# %% normalise
def normalise(values):
    return 1 << 2_000_000
