"""Hangs inside C, where no Python exception reaches it.

verdict: timeout
"""

# %% normalise
import re


def normalise(values):
    return re.match("(a+)+$", "a" * 99 + "b")
