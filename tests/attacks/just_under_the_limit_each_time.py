"""Every call takes nearly as long as one may, so that all of them take very long.

verdict: timeout
"""

# %% normalise
import time


def normalise(values):
    time.sleep(0.9)
    return values / values.sum(-1, keepdim=True)
