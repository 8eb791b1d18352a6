"""Raises an exception of another class, with the name by which a stub says it is not written.

verdict: missing
"""


# %% normalise
def normalise(values):
    raise type("NotImplementedError", (ValueError,), {})("give me the points")
