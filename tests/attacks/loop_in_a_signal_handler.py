"""Sets a timer whose signal handler never returns.

verdict: timeout
"""

# %% normalise
import signal


def hang(*_):
    while True:
        pass


def normalise(values):
    signal.signal(signal.SIGALRM, hang)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    signal.pause()
    return values / values.sum(-1, keepdim=True)
