"""An observation says what one call did, as plain data. Only the judge draws conclusions."""

from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import Tensor

NAME, LINE, MESSAGE = 100, 200, 500  # characters of what a learner's process says
LINES, NAMES = 100_000, 50  # the last line of a cell, and how many names of a kind
AXES = 64  # of a tensor; torch reduces none that has more
PARTS = 1_000  # of what a call returns: each value, and each list that holds some
COUNTERS = ("flops", "matmuls", "largest", "peak")
DTYPES = frozenset({  # of tensors that can be sent and compared
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
    torch.bfloat16, torch.float32, torch.float64, torch.complex64,
})  # fmt: skip


def clean(text: Any, limit: int) -> str:
    """At most `limit` characters that can be written in UTF-8. Raises TypeError if not a string."""
    if not isinstance(text, str):
        raise TypeError(f"a {type(text).__name__} where a text is due")
    return text[:limit].encode("utf-8", "replace").decode()


def absent(name: str) -> str:
    """Say what Python says of a name that nothing has defined."""
    return f"name {name!r} is not defined"


@dataclass(frozen=True)
class Unsent:
    """In the place of a returned value that cannot be sent; `kind` says what it was: "a set".

    A form of its own, so that no text that a call returns can be taken for it.
    """

    kind: str


@dataclass(frozen=True)
class Failure:
    """An exception that the learner's code raised, without any frame of ours.

    `line` counts from 1 within the learner's cell, 0 where no line of it was on the stack.
    within: the function of another cell that raised, "" where the learner's own cell did.
    """

    type: str
    message: str
    line: int = 0
    source: str = ""
    within: str = ""

    @classmethod
    def from_tree(cls, tree: dict[str, Any]) -> "Failure":
        """Read what a process claims about an exception, cut to what a card can show."""
        return cls(
            clean(tree["type"], NAME),
            clean(tree["message"], MESSAGE),
            min(max(int(tree["line"]), 0), LINES),
            clean(tree["source"], LINE),
            clean(tree["within"], NAME),
        )


@dataclass(frozen=True)
class Cost:
    """Counted work: floating-point operations, matrix products, elements of the largest tensor, and
    the most bytes that were held at any one time."""

    flops: int
    matmuls: int
    largest: int
    peak: int


@dataclass(frozen=True)
class Observation:
    """An observation holds what one call did.

    output: the returned tree, or None if it raised.
    devices: device type of every tensor returned, in order.
    changed: names of inputs that differ after the call.
    gradients: by input name, of a fixed weighted sum of the floating outputs; None where an
        input received no gradient. `gradient_failure` tells why there are none.
    clash: what met a tensor on the CPU where the inputs seemed to be on a GPU, or "".
    used: names of the library functions that the call reached.
    """

    output: Any = None
    failure: Failure | None = None
    devices: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    gradients: dict[str, Tensor | None] | None = None
    gradient_failure: Failure | None = None
    clash: str = ""
    used: list[str] = field(default_factory=list)
    cost: Cost | None = None

    def to_tree(self) -> dict[str, Any]:
        """Return it as a value that `wire.pack` accepts."""
        tree = {name: getattr(self, name) for name in self.__dataclass_fields__}
        for name in ("failure", "gradient_failure", "cost"):
            tree[name] = asdict(tree[name]) if tree[name] else None
        return tree

    @classmethod
    def from_tree(cls, tree: dict[str, Any]) -> "Observation":
        """Undo `to_tree`. Raises TypeError or ValueError for a tree of another shape."""
        parts = dict(tree)
        for name in ("failure", "gradient_failure"):
            parts[name] = Failure.from_tree(parts[name]) if parts[name] else None
        cost = parts["cost"]
        parts["cost"] = Cost(*(int(cost[key]) for key in COUNTERS)) if cost else None
        parts["clash"] = clean(parts["clash"], MESSAGE)
        for name, most in (("devices", NAMES), ("changed", NAMES), ("used", None)):
            parts[name] = [clean(text, NAME) for text in parts[name][:most]]
        return cls(**parts)
