"""Raises an exception whose text raises.

verdict: raised
"""


# %% normalise
class Mute(Exception):
    def __str__(self):
        raise RuntimeError("none")


def normalise(values):
    raise Mute
