"""Raises an exception of the name by which a stub says that it is not written yet, with another class.

verdict: missing
"""


# %% normalise
def normalise(values):
    raise type("NotImplementedError", (ValueError,), {})("give me the points")
