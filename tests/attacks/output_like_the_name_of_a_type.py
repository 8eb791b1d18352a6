"""Returns texts that begin as the name of a type does, and a class that has no plain name.

verdict: wrong
"""


# %% normalise
def normalise(values):
    return "a tensor"


# %% average
class Name(str):
    __slots__ = ()
    __str__ = __getitem__ = __format__ = None


def average(weights, values):
    strange = type("Strange", (), {"__module__": 5})
    strange.__name__ = Name("y" * 10_000)
    return strange()
