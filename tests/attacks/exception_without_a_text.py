"""Raises an exception whose text raises.

verdict: crashed
"""


# %% normalise
class Mute(Exception):
    def __str__(self):
        raise RuntimeError("none")


def normalise(values):
    raise Mute
