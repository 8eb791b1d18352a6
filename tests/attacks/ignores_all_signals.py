"""Ignores every signal that can be ignored, and then never ends.

verdict: timeout
"""

# %% normalise
import signal


def normalise(values):
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass
