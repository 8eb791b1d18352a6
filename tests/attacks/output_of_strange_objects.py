"""Returns objects that raise whatever is asked of them: text, length, elements, class, hash.

verdict: wrong
"""


# %% normalise
class Refusing:
    def refuse(self, *_):
        raise ValueError("no")

    __repr__ = __str__ = __len__ = __iter__ = __hash__ = __eq__ = __bool__ = refuse
    __reduce__ = __getattr__ = __index__ = __float__ = __format__ = refuse


def normalise(values):
    return Refusing()
