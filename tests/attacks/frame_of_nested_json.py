"""Sends a message of brackets, a hundred thousand deep.

verdict: crashed
"""

# %% normalise
import json
import os

import safetensors.torch


def normalise(values):
    tree = '{"list": [' * 100_000 + "0" + "]}" * 100_000
    frame = safetensors.torch.save({}, metadata={"tree": tree})
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, len(frame).to_bytes(8, "little") + frame)
        except OSError:
            pass
    return json
