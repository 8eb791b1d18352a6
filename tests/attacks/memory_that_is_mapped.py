"""Maps memory past Python's own allocator.

verdict: memory
"""

# %% normalise
import mmap


def normalise(values):
    kept = []
    while True:
        kept.append(mmap.mmap(-1, 2**26))
        kept[-1].write(bytes(2**20))
