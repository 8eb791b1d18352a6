"""Returns the right numbers as a sparse tensor, which cannot be used as a plain one can.

verdict: wrong
"""


# %% normalise
def normalise(values):
    return (values / values.sum(-1, keepdim=True)).to_sparse()
