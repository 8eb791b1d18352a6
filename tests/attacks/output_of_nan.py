"""Returns NaN everywhere, which compares unequal to everything.

verdict: wrong
"""


# %% normalise
def normalise(values):
    return values * float("nan")
