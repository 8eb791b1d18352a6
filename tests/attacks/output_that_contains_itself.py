"""Returns a list that contains itself.

verdict: raised
"""


# %% normalise
def normalise(values):
    endless = []
    endless.append(endless)
    return endless
