"""Returns the right numbers in double precision, in one axis more, and as an array.

verdict: wrong
"""


# %% normalise
def normalise(values):
    return (values.double() / values.double().sum(-1, keepdim=True)).numpy()[None]
