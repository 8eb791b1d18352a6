"""Weights as a page reads them: matrices in a byte for each weight, vectors as they are.

Each row of a matrix (an output of a linear layer, a token) becomes whole numbers from -127 to 127
and one scale.
"""

import base64
from typing import Any

import torch
from torch import Tensor

LARGEST = 127  # of a byte with a sign; -128 is not used, so that the scale is the same both ways


def quantise(row: Tensor) -> tuple[Tensor, Tensor]:
    """A scale for each row [rows], and whole numbers [rows, columns] to multiply it with."""
    scale = row.abs().amax(dim=1) / LARGEST
    return scale, (row / scale[:, None]).round().to(torch.int8)


def pack(state: dict[str, Tensor]) -> dict[str, Any]:
    """Names and shapes, and the bytes in base64: first all floats, scales among them, then int8."""
    floats, whole = [], []
    for tensor in state.values():
        scale, numbers = quantise(tensor) if tensor.dim() == 2 else (tensor, torch.empty(0))
        floats.append(scale.float().numpy().astype("<f4").tobytes())
        whole.append(numbers.to(torch.int8).numpy().tobytes())
    return {
        "shapes": {name: list(tensor.shape) for name, tensor in state.items()},
        "bytes": base64.b64encode(b"".join(floats + whole)).decode(),
    }


def unpack(packed: dict[str, Any]) -> dict[str, Tensor]:
    """The weights that the bytes describe, as float32."""
    shapes, content = packed["shapes"], bytearray(base64.b64decode(packed["bytes"]))
    first = sum(shape[0] for shape in shapes.values())  # a float for each row or entry
    floats = torch.frombuffer(content, dtype=torch.float32, count=first)
    whole = torch.frombuffer(content, dtype=torch.int8, offset=4 * first).float()
    state = dict(zip(shapes, floats.split([shape[0] for shape in shapes.values()]), strict=True))
    matrices = {name: shape for name, shape in shapes.items() if len(shape) == 2}
    parts = whole.split([rows * columns for rows, columns in matrices.values()])
    for (name, shape), part in zip(matrices.items(), parts, strict=True):
        state[name] = part.view(shape) * state[name][:, None]
    return state


def size(packed: dict[str, Any]) -> int:
    """In bytes, before base64."""
    return len(base64.b64decode(packed["bytes"]))
