"""Asks for more memory than there is, all at once.

verdict: memory
"""


# %% normalise
def normalise(values):
    return bytearray(2**40)
