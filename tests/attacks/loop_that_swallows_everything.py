"""Loops without end and catches every exception that might stop it.

verdict: timeout
"""


# %% normalise
def normalise(values):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
