"""Keeps a thousand small tensors where one large tensor would be seen.

verdict: wrong
"""

# %% mix


def mix(query, key, value):
    kept = [value + number for number in range(1000)]
    return query @ (key.mT @ kept[0])
