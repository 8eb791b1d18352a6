"""Calls itself without end, with the recursion limit taken away.

verdict: raised
"""


# %% normalise
def normalise(values):
    return normalise(values)
