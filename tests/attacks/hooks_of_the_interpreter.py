"""Sets trace, profile, audit and unraisable hooks that break whatever the harness does next.

verdict: crashed
"""

# %% normalise
import sys


def spoil(*_):
    raise ValueError("spoilt")


def normalise(values):
    sys.unraisablehook = sys.excepthook = sys.displayhook = spoil
    sys.addaudithook(spoil)
    return values
