"""Returns an integer with two million bits.

verdict: raised
"""


# %% normalise
def normalise(values):
    return 1 << 2_000_000
