"""Waits for bytes that nobody will write.

verdict: timeout
"""

# %% normalise
import os


def normalise(values):
    return os.read(os.pipe()[0], 1)
