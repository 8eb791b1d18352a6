"""Announces a message, sends half of it and ends.

verdict: crashed
"""

# %% normalise
import os
import struct


def normalise(values):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, struct.pack("<Q", 1000) + b"half")
        except OSError:
            pass
    os._exit(0)
