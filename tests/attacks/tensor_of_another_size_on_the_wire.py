"""Claims a view of sixteen terabytes, which holds one number with stride zero.

verdict: wrong
"""


# %% normalise
def normalise(values):
    return values.reshape(-1)[:1].expand(2**42)
