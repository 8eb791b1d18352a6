"""Loops while its cell is run, before any call.

verdict: timeout
"""

# %% normalise
while True:
    try:
        sum(range(10**6))
    except BaseException:
        pass
