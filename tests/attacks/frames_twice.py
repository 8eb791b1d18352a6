"""Reports that it is ready, and a cell, a second time.

verdict: crashed
"""

# %% normalise
import os

from autograder.exercise import wire


def normalise(values):
    for step in ("ready", "cell"):
        frame = wire.pack({"step": step, "index": 0, "content": None})
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, wire.HEADER.pack(len(frame)) + frame)
            except OSError:
                pass
    return values / values.sum(-1, keepdim=True)
