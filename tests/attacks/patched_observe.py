"""Replaces the function that makes the observation, so that it tells of a call that went well.

verdict: wrong
"""

# %% normalise
import sys

from autograder.exercise.observation import Observation

perform = sys.modules["autograder.confined.perform"]
honest = perform.observe


def observe(target, case, device):
    if target is not normalise:
        return honest(target, case, device)
    values = case.inputs["values"]
    return Observation(output=values, devices=["cpu"], changed=[], gradients={"values": values})


def normalise(values):
    perform.observe = observe
    return values


perform.observe = observe
