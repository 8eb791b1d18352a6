"""Turns every failure into an observation without one, and without an output.

verdict: wrong
"""

# %% normalise
from dataclasses import replace

from autograder.exercise.observation import Observation

to_tree = Observation.to_tree


def normalise(values):
    Observation.to_tree = lambda self: to_tree(replace(self, failure=None))
    raise ValueError
