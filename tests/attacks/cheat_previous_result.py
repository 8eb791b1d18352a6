"""Returns the result of the previous call, which was right.

verdict: wrong
"""

# %% normalise
RESULTS = []


def normalise(values):
    RESULTS.append(values / values.sum(-1, keepdim=True))
    return RESULTS[-2] if len(RESULTS) > 1 else RESULTS[-1]
