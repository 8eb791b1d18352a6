"""Computes a power with billions of digits in one call of C.

verdict: timeout
"""


# %% normalise
def normalise(values):
    return 3 ** (10**9)
