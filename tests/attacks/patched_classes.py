"""Changes the classes of the harness in place, by which every alias of them is changed too.

verdict: crashed
"""

# %% normalise
from autograder.exercise.observation import Observation


def normalise(values):
    Observation.__init__ = lambda self, *_, **__: None
    return values
