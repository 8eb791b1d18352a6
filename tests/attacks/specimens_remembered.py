"""Counts how often it was asked, and answers from a list.

verdict: wrong
"""

# %% peeks
ANSWERS = iter([False, True, False] * 99)


def peeks(function):
    return next(ANSWERS)
