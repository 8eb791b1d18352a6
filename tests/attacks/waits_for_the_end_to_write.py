"""Asks the interpreter, the collector and a finaliser to write a file when it has long ended.

verdict: passed
"""

# %% normalise
import atexit
import gc
import weakref


def later(*_):
    for folder in ("/tmp", "/var/tmp", "/root", "/dev/shm"):
        try:
            open(f"{folder}/red_team_was_here", "w").close()
        except OSError:
            pass


class Thing:
    pass


thing = Thing()
atexit.register(later)
gc.callbacks.append(later)
weakref.finalize(thing, later)


def normalise(values):
    return values / values.sum(-1, keepdim=True)
