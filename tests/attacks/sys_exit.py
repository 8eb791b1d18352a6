"""Leaves by SystemExit with success, both in its cell and in the call.

verdict: crashed
"""

# %% normalise
import sys


def normalise(values):
    sys.exit(0)


sys.exit(0)
