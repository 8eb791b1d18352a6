"""Sums products entry by entry, which takes no matrix product but a large tensor.

verdict: wrong
"""


# %% mix
def mix(query, key, value):
    scores = (query[:, None] * key).sum(-1)
    return (scores[..., None] * value).sum(1)
