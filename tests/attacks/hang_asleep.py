"""Sleeps, so that it uses no processor time at all.

verdict: timeout
"""

# %% normalise
import time


def normalise(values):
    while True:
        time.sleep(10**6)
