"""Returns the right answer; a destructor ends the process with success before it is reported.

verdict: crashed
"""

# %% normalise
import os


class Bomb:
    def __del__(self):
        os._exit(0)


def normalise(values):
    Bomb()
    return values / values.sum(-1, keepdim=True)
