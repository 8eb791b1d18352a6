"""Raises an exception whose text never ends being made.

verdict: timeout
"""


# %% normalise
class Endless(Exception):
    def __str__(self):
        while True:
            pass


def normalise(values):
    raise Endless
