"""Replaces the judge in its own process by one that passes everything.

verdict: wrong
"""

# %% normalise
import sys

import autograder.judging.judge as judging
from autograder.judging import checks


def passed(item, *_, **__):
    return judging.Verdict(item.exercise, "passed", 99, 99, "Every case passed.")


judging.judge = passed
for module in list(sys.modules.values()):
    if getattr(module, "judge", None) is not None:
        module.judge = passed
checks.build = None


def normalise(values):
    return values
