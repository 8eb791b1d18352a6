"""Ends the process with the exit status by which the worker says that it refused.

verdict: crashed
"""

# %% normalise
import os


def normalise(values):
    os._exit(3)
