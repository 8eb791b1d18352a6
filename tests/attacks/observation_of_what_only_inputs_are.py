"""Reports a model in the place of an output, past the observer.

verdict: crashed
"""

# %% step
import sys

from autograder.author import Model
from autograder.exercise.observation import Observation

perform = sys.modules["autograder.confined.perform"]
honest = perform.observe


def step(model, tokens, optimizer):
    raise ValueError


def observe(target, case, device):
    forged = Observation(output=(1, Model("raise SystemExit", {}), {}))
    return forged if target is step else honest(target, case, device)


perform.observe = observe
