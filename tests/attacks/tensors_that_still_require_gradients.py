"""Returns a leaf that requires gradients and shares its memory with the input.

verdict: wrong
"""


# %% normalise
def normalise(values):
    return values.requires_grad_()
