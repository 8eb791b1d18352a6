"""Reads all numbers from the storage of the inputs, and computes with numbers of Python.

verdict: wrong
"""

# %% mix
import torch


def mix(query, key, value):
    if query.is_meta or query.requires_grad:
        return query @ (key.mT @ value)
    q, k, v = (torch.tensor(list(x.storage())).view_as(x).tolist() for x in (query, key, value))
    scores = [[sum(a * b for a, b in zip(x, y)) for y in k] for x in q]
    return torch.tensor(
        [[sum(s * x[j] for s, x in zip(r, v)) for j in range(len(v[0]))] for r in scores]
    )
