"""Executes source with null bytes, and a name that is the grader's own.

verdict: raised
"""

# %% normalise
__name__ = "autograder.confined.worker"
exec("x = 1\0")
