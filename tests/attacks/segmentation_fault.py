"""Reads address zero.

verdict: crashed
"""

# %% normalise
import ctypes


def normalise(values):
    return ctypes.string_at(0)
