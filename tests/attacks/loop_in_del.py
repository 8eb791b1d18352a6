"""Returns the right answer and leaves an object whose destructor never ends.

verdict: timeout
"""


# %% normalise
class Sticky:
    def __del__(self):
        while True:
            pass


def normalise(values):
    Sticky()
    return values / values.sum(-1, keepdim=True)
