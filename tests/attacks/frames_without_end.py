"""Reports cells and exercises, more than there are, for as long as it is let.

verdict: crashed
"""

# %% normalise
import os

from autograder.exercise import wire

for number in range(10**6):
    frame = wire.pack({"step": "cell", "index": number, "content": None})
    for descriptor in range(3, 8):
        try:
            os.write(descriptor, wire.HEADER.pack(len(frame)) + frame)
        except OSError:
            pass
