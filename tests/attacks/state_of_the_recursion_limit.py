"""Sets the recursion limit so low that nothing works any more.

verdict: passed
"""

# %% normalise
import sys

sys.setrecursionlimit(40)


def normalise(values):
    return values / values.sum(-1, keepdim=True)
