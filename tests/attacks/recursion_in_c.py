"""Takes the recursion limit away and recurses inside C until the stack ends.

verdict: crashed
"""

# %% normalise
import sys


def nested():
    inner = []
    for _ in range(10**5):
        inner = [inner]
    return inner


def normalise(values):
    sys.setrecursionlimit(10**9)
    return nested() == nested()
