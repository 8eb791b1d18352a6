"""Goes on asking for memory whenever it is refused, and never gives any back.

verdict: timeout
"""


# %% normalise
def normalise(values):
    kept = []
    while True:
        try:
            kept.append(bytearray(2**16))
        except MemoryError:
            continue
