"""Returns a list of ten thousand numbers.

verdict: wrong
"""

# %% normalise
ANSWER = [0] * 10**4


def normalise(values):
    return ANSWER
