"""Ways in which numbers leave torch, each a function that returns what `mix` returns.

In between, the work is done by Python or numpy.
"""

import array
import contextlib
import copy
import ctypes
import io
import json
import pickle
import re
import struct

import numpy as np
import torch


def mix(query, key, value):
    """With a large tensor in the middle, which nobody is to see."""
    return query @ key.mT @ value


def rows(x):
    return [row.tolist() for row in x.unbind()]


def in_python(query, key, value):
    """The products of lists of lists of numbers."""
    scores = [[sum(a * b for a, b in zip(q, k, strict=True)) for k in key] for q in query]
    columns = [*zip(*value, strict=True)]
    return [[sum(s * v for s, v in zip(row, column, strict=True)) for column in columns]
            for row in scores]  # fmt: skip


def by(read):
    """A way out: `read` makes lists of lists of a tensor."""

    def way(query, key, value):
        return torch.tensor(in_python(read(query), read(key), read(value)))

    return way


def by_array(read):
    """A way out: `read` makes an array of a tensor."""

    def way(query, key, value):
        q, k, v = read(query), read(key), read(value)
        return torch.tensor((q @ k.T @ v).tolist())

    return way


def shaped(numbers, like):
    numbers = list(numbers)
    width = like.shape[1]
    return [numbers[i : i + width] for i in range(0, len(numbers), width)]


def one_by_one(number):
    return by(lambda x: [[number(entry) for entry in row] for row in x])


def of_bytes(read):
    return by_array(lambda x: np.frombuffer(read(x), np.float32).reshape(x.shape))


def saved(x):
    stream = io.BytesIO()
    torch.save(x, stream)
    return torch.load(io.BytesIO(stream.getvalue())).numpy()


def printed(x):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        torch.set_printoptions(precision=9, threshold=10**6, sci_mode=True)
        print(x)
        torch.set_printoptions(profile="default")
    return shaped(map(float, re.findall(r"-?\d\.\d+e[+-]\d+", said.getvalue())), x)


def formatted(x):
    return [[float(f"{entry:.9e}") for entry in row] for row in x]


def by_halving(x):
    """Read by comparisons alone, each of them the truth of a tensor."""

    def bits(entry):
        low, high = -8.0, 8.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if entry > middle else (low, middle)
        return low

    return [[bits(entry) for entry in row] for row in x]


def by_apply(x):
    found = []
    x.clone().apply_(lambda number: found.append(number) or 0.0)
    return shaped(found, x)


def by_map(x):
    found = []
    x.clone().map_(x, lambda _, number: found.append(number) or 0.0)
    return shaped(found, x)


def by_address(x):
    numbers = (ctypes.c_float * x.numel()).from_address(x.data_ptr())
    return shaped(numbers, x)


def by_copying(x):
    array = np.empty(tuple(x.shape), np.float32)
    torch.from_numpy(array).copy_(x)
    return array


def by_hook(x):
    """A gradient, looked at on its way."""
    found = []
    leaf = torch.zeros_like(x, requires_grad=True)
    leaf.register_hook(lambda grad: found.extend(grad.flatten().tolist()))
    (leaf * x).sum().backward()
    return shaped(found, x)


OUT = {
    "tolist": by(torch.Tensor.tolist),
    "tolist of slices": by(rows),
    "item": one_by_one(torch.Tensor.item),
    "float": one_by_one(float),
    "complex": one_by_one(lambda entry: complex(entry).real),
    "int of what is scaled": one_by_one(lambda entry: int(entry.double() * 2**40) / 2**40),
    "index": one_by_one(lambda entry: (entry.double() * 2**40).long().__index__() / 2**40),
    "format": by(formatted),
    "repr": by(lambda x: [[float(re.findall(r"-?[\d.]+(?:e[+-]\d+)?", repr(entry.double()))[0])
                           for entry in row] for row in x]),
    "print": by(printed),
    "truth of comparisons": by(by_halving),
    "numpy": by_array(torch.Tensor.numpy),
    "__array__": by_array(np.asarray),
    "dlpack": by_array(np.from_dlpack),
    "a function of numpy": lambda q, k, v: torch.as_tensor(np.matmul(np.matmul(q, k.T), v)),
    "storage": by(lambda x: shaped(x.storage(), x)),
    "untyped storage": of_bytes(lambda x: bytes(x.contiguous().untyped_storage())),
    "address": by(by_address),
    "bytes": of_bytes(lambda x: bytes(x.contiguous().view(torch.uint8).flatten())),
    "bytearray of a list": of_bytes(lambda x: bytearray(x.view(torch.uint8).flatten().tolist())),
    "memoryview": of_bytes(lambda x: memoryview(x.numpy())),
    "buffer of an array": by_array(lambda x: np.frombuffer(
        array.array("f", x.flatten().tolist()), np.float32).reshape(x.shape)),
    "struct": of_bytes(lambda x: struct.pack(f"{x.numel()}f", *x.flatten().tolist())),
    "pickle": by_array(lambda x: pickle.loads(pickle.dumps(x)).numpy()),
    "deepcopy": by_array(lambda x: copy.deepcopy(x).numpy()),
    "save": by_array(saved),
    "json": by(lambda x: json.loads(json.dumps(x.tolist()))),
    "apply_": by(by_apply),
    "map_": by(by_map),
    "iteration": by(lambda x: [[entry.item() for entry in row] for row in x]),
    "copy_ into an array": by_array(by_copying),
    "a hook": by(by_hook),
}  # fmt: skip
