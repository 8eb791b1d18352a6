"""Raises an exception with a text of megabytes and a name of thousands of letters.

verdict: raised
"""


# %% normalise
def normalise(values):
    raise type("<script>alert(1)</script>" * 999, (Exception,), {})("\x1b[31m" + "text " * 10**6)
