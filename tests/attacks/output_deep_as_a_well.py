"""Returns a list within a list within a list, ten thousand times.

verdict: raised
"""


# %% normalise
def normalise(values):
    nested = [values]
    for _ in range(10_000):
        nested = [nested]
    return nested
