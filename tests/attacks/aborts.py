"""Aborts as a C library does that has found its memory spoilt.

verdict: crashed
"""

# %% normalise
import os


def normalise(values):
    os.abort()
