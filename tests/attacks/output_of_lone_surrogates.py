"""Returns text that cannot be written in UTF-8.

verdict: wrong
"""


# %% normalise
def normalise(values):
    return "a \ud800"
