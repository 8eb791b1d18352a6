"""Multiplies in the order that takes a large tensor and more work.

verdict: wrong
"""


# %% mix
def mix(query, key, value):
    return (query @ key.mT) @ value
