"""Waits for a lock that it holds itself.

verdict: timeout
"""

# %% normalise
import threading


def normalise(values):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
