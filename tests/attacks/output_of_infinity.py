"""Returns infinities, so that every difference overflows.

verdict: wrong
"""


# %% normalise
def normalise(values):
    return values / 0 * values.sign()
