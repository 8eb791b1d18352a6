"""When does `F.scaled_dot_product_attention` write the matrix of weights?

On the CPU it has two ways: one kernel that goes through the keys in blocks (flash), and the
formula, product, softmax, product (math). Which of them a call takes depends on its inputs. Seen
are the operations that each call dispatches to, and the bytes of the tensors alive at one time
beyond the inputs; not what a kernel allocates inside itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from cross_cost import LargestAlive
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from torch.nn import functional as F

SEEDS = range(1)
HEADS, LENGTH, D_K = 4, 1024, 64
MIB = 2**20
SHAPE = (1, HEADS, LENGTH, D_K)
FLASH = "_scaled_dot_product_flash_attention_for_cpu"
CAUSAL = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()  # [queries, keys]


@dataclass
class Call:
    """The inputs of one call; `backward`: gradients are wanted and computed."""

    query: tuple[int, ...] = SHAPE
    key: tuple[int, ...] = SHAPE
    value: tuple[int, ...] = SHAPE
    dtype: torch.dtype = torch.float32
    backward: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    layout: Callable[[Tensor], Tensor] = torch.clone


def swapped(x: Tensor) -> Tensor:
    """The same entries, those of one feature side by side in memory instead of those of a token."""
    return x.mT.contiguous().mT


FEWER = (1, 1, LENGTH, D_K)  # one head of keys and values for all heads of queries
CALLS = {
    "plain": Call(),
    "backward": Call(backward=True),
    "float64": Call(dtype=torch.float64),
    "float16": Call(dtype=torch.float16),
    "causal": Call(options={"is_causal": True}),
    "bool_mask": Call(options={"attn_mask": CAUSAL}),
    "head_masks": Call(options={"attn_mask": CAUSAL.expand(1, HEADS, LENGTH, LENGTH)}),
    "float_mask": Call(options={"attn_mask": torch.zeros(LENGTH, LENGTH)}),
    "learned_mask": Call(
        backward=True, options={"attn_mask": torch.zeros(LENGTH, LENGTH, requires_grad=True)}
    ),
    "grouped": Call(key=FEWER, value=FEWER, options={"enable_gqa": True}),
    "broadcast": Call(key=FEWER, value=FEWER),
    "three": Call(SHAPE[1:], SHAPE[1:], SHAPE[1:]),
    "two": Call(SHAPE[2:], SHAPE[2:], SHAPE[2:]),
    "dropout": Call(options={"dropout_p": 0.1}),
    "narrow_values": Call(value=(1, HEADS, LENGTH, D_K // 2)),
    "layout": Call(layout=swapped),
}


class Seen(LargestAlive):
    """The most bytes alive, and the names of all operations."""

    def __init__(self, given: list[Tensor]) -> None:
        super().__init__(given)
        self.names: set[str] = set()

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.names.add(getattr(func, "overloadpacket", func).__name__)
        return super().__torch_dispatch__(func, types, args, kwargs)


def inputs(call: Call) -> list[Tensor]:
    shapes = (call.query, call.key, call.value)
    made = [call.layout(torch.zeros(shape, dtype=call.dtype)) for shape in shapes]
    return [tensor.requires_grad_(call.backward) for tensor in made]


def path(call: Call) -> tuple[str, float]:
    """`flash` or `math`, and the most MiB alive beyond the inputs."""
    query, key, value = given = inputs(call)
    masks = [option for option in call.options.values() if isinstance(option, Tensor)]
    with Seen(given + masks) as seen:
        output = F.scaled_dot_product_attention(query, key, value, **call.options)
        if call.backward:
            output.sum().backward()
    wrote = any("softmax" in name for name in seen.names)
    if wrote == (FLASH in seen.names):
        raise RuntimeError(f"neither flash nor math: {sorted(seen.names)}")
    return "math" if wrote else "flash", seen.peak / MIB


def measure() -> tuple[Numbers, Series]:
    numbers = {
        "length": number(LENGTH, ",d"),
        "heads": number(HEADS, "d"),
        "width": number(D_K, "d"),
        "matrix": number(HEADS * LENGTH**2 * 4 / MIB, ".0f", "MiB"),
        "output": number(HEADS * LENGTH * D_K * 4 / MIB, ".0f", "MiB"),
        "torch": number(torch.__version__.partition("+")[0]),
    }
    for name, call in CALLS.items():
        kernel, peak = path(call)
        numbers |= {f"path_{name}": number(kernel), name: number(peak, ".1f", "MiB")}
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
