"""Ways in which numbers come back to torch, or are worked with where it does not look.

Each is a function that returns what `mix` returns.
"""

import ctypes
import io
import struct

import numpy as np
import torch
from torch import nn

from tests.confined.ways_out import in_python, rows


def back(write):
    """A way back: `write` makes a tensor of a numpy array, like the query that it is given."""

    def way(query, key, value):
        q, k, v = ([[float(entry) for entry in row] for row in x] for x in (query, key, value))
        return write(np.array(in_python(q, k, v), np.float32), query)

    return way


def in_a_function_of_its_own(query, key, value):
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, q, k, v):
            ctx.save_for_backward(q, k, v)
            return torch.from_numpy(q.numpy() @ k.numpy().T @ v.numpy())

        @staticmethod
        def backward(ctx, grad):
            q, k, v = ctx.saved_tensors
            return grad @ (v.mT @ k), v @ (grad.mT @ q), k @ (q.mT @ grad)

    return Product.apply(query, key, value)


def in_an_operator_of_its_own(query, key, value):
    name = f"ways::out_{len(OPERATORS)}"

    def product(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(q.numpy() @ k.numpy().T @ v.numpy())

    OPERATORS.append(torch.library.custom_op(name, product, mutates_args=()))
    return OPERATORS[-1](query, key, value)


OPERATORS: list = []


def past_the_modes(query, key, value):
    from torch.utils._python_dispatch import _disable_current_modes

    with _disable_current_modes():
        return (query[:, None] * key).sum(-1) @ value


def entry_by_entry_past_the_modes(query, key, value):
    from torch.utils._python_dispatch import _disable_current_modes

    with _disable_current_modes():
        scores = (query[:, None] * key).sum(-1)
        return (scores[..., None] * value).sum(1)


def with_a_trace_of_the_inputs(query, key, value):
    """The result depends on the inputs, as it seems."""
    made = query.numpy() @ key.numpy().T @ value.numpy()
    return torch.from_numpy(made) + 0 * (query.sum() + key.sum() + value.sum())


def half_of_it(query, key, value):
    half = len(query) // 2
    first = query[:half] @ (key.mT @ value)
    return torch.cat(
        [first, torch.from_numpy(query[half:].numpy() @ key.numpy().T @ value.numpy())]
    )


def by_a_thread(query, key, value):
    from threading import Thread

    found = []
    thread = Thread(target=lambda: found.append(query @ key.mT @ value))
    thread.start()
    thread.join()
    return found[0]


def as_numbers_of_an_operation(query, key, value):
    """Each number comes back as the argument of an operation."""
    result = torch.zeros(len(query), value.shape[1])
    for i, row in enumerate(in_python(rows(query), rows(key), rows(value))):
        for j, number in enumerate(row):
            result[i, j].fill_(number)
    return result


def as_sizes(query, key, value):
    """Each number comes back as the number of entries of a tensor."""
    made = in_python(rows(query), rows(key), rows(value))
    return torch.tensor(
        [[torch.ones(int((x + 50) * 1e3)).sum() / 1e3 - 50 for x in row] for row in made]
    )


def as_what_is_repeated(query, key, value):
    """Each number comes back as how often an operation is done."""
    made = in_python(rows(query[:2]), rows(key), rows(value))
    rest = query[2:] @ (key.mT @ value)
    result = torch.zeros(2, value.shape[1])
    for i, row in enumerate(made):
        for j, number in enumerate(row):
            for power in range(-20, 9):
                if int(abs(number) * 2.0**-power) % 2:
                    result[i, j] += 2.0**power if number > 0 else -(2.0**power)
    return torch.cat([result, rest])


def into_numpy_of_the_result(query, key, value):
    result = torch.empty(len(query), value.shape[1])
    np.matmul(query.numpy() @ key.numpy().T, value.numpy(), out=result.numpy())
    return result


def into_the_query(query, key, value):
    """Where the result fits into an input, which is put back."""
    result = query[:, : value.shape[1]].clone()
    result.numpy()[:] = query.numpy() @ key.numpy().T @ value.numpy()
    return result


def by_lines_of_storage(made, like):
    result = torch.empty(made.shape)
    for at, number in enumerate(made.flatten().tolist()):
        for place, byte in enumerate(struct.pack("f", number)):
            result.untyped_storage()[4 * at + place] = byte
    return result


def by_map_again(made, like):
    numbers = iter(made.flatten().tolist())
    return torch.empty(made.shape).apply_(lambda _: next(numbers))


def by_memmove(made, like):
    result = torch.empty(made.shape)
    ctypes.memmove(result.data_ptr(), made.ctypes.data, made.nbytes)
    return result


def by_parameter(made, like):
    layer = nn.Linear(made.shape[1], made.shape[0], bias=False)
    layer.load_state_dict({"weight": torch.tensor(made)})
    return layer.weight.detach()


def by_loading(made, like):
    stream = io.BytesIO()
    torch.save(torch.tensor(made), stream)
    return torch.load(io.BytesIO(stream.getvalue()))


BACK = {
    "from_numpy": back(lambda made, like: torch.from_numpy(made)),
    "copy_": back(lambda made, like: torch.empty(made.shape).copy_(torch.from_numpy(made))),
    "frombuffer": back(lambda made, like: torch.frombuffer(
        bytearray(made.tobytes()), dtype=torch.float32).reshape(made.shape)),
    "from dlpack": back(lambda made, like: torch.from_dlpack(made)),
    "asarray": back(lambda made, like: torch.asarray(made)),
    "new_tensor": back(lambda made, like: like.new_tensor(made)),
    "out": back(lambda made, like: torch.add(
        torch.from_numpy(made), 0, out=torch.empty(made.shape))),
    "data": back(lambda made, like: setattr(
        result := torch.empty(made.shape), "data", torch.from_numpy(made)) or result),
    "set_": back(lambda made, like: torch.empty(0).set_(torch.from_numpy(made))),
    "bytes of storage": back(by_lines_of_storage),
    "apply_ back": back(by_map_again),
    "memmove": back(by_memmove),
    "a parameter": back(by_parameter),
    "load": back(by_loading),
    "numpy of the result": into_numpy_of_the_result,
    "numpy of a clone": into_the_query,
    "an autograd function": in_a_function_of_its_own,
    "an operator": in_an_operator_of_its_own,
    "without modes": past_the_modes,
    "entry by entry without modes": entry_by_entry_past_the_modes,
    "a trace of the inputs": with_a_trace_of_the_inputs,
    "half of it": half_of_it,
    "a thread": by_a_thread,
    "numbers of operations": as_numbers_of_an_operation,
    "sizes": as_sizes,
    "repetitions": as_what_is_repeated,
    "vmap": lambda q, k, v: torch.vmap(lambda row: torch.from_numpy(
        q.numpy() @ k.numpy().T @ v.numpy())[0] * 0 + row)(
            torch.from_numpy(q.numpy() @ k.numpy().T @ v.numpy())),
}  # fmt: skip
