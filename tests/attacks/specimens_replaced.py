"""Replaces the code of every implementation that it is given.

verdict: wrong
"""


# %% peeks
def peeks(function):
    function.__code__ = (lambda x: x).__code__
    return bool((function(1) - 1) != 0)
