"""A cell of a hundred thousand opening brackets.

verdict: raised
"""

# %% normalise
exec("(" * 100_000)
