"""Returns a tensor with thousands of axes of length one.

verdict: wrong
"""


# %% normalise
def normalise(values):
    return values.reshape((1,) * 3000 + values.shape)
