"""Writes over memory that is not its own until something breaks.

verdict: crashed
"""

# %% normalise
import ctypes


def normalise(values):
    ctypes.memset(values.data_ptr() - 2**16, 0xFF, 2**40)
    return values
