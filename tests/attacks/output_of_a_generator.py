"""Returns a generator that never ends.

verdict: wrong
"""

# %% normalise
import itertools


def normalise(values):
    yield from itertools.repeat(values)
