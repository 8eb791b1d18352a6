"""Its cell fails with a text of megabytes before the function is defined.

verdict: raised
"""

# %% normalise
raise ValueError("\ud800" + "x" * 10**7)
