"""Keeps a thousand small tensors where one large tensor would be seen.

verdict: wrong
undefended: the largest tensor is counted, not what all that are kept take together
"""

# %% mix


def mix(query, key, value):
    kept = [value + number for number in range(1000)]
    return query @ (key.mT @ kept[0])
