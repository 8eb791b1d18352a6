"""What a hostile process may claim about a call, made from the right observation and a seed.

As the wire delivers it: plain data, and tensors that are dense. Much of it an honest process could
not have observed.
"""

import random
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercise.observation import DTYPES, PARTS, Observation, Unsent
from autograder.judging.claims import DEPTH

Tree = dict[str, Any]
INF, NAN = float("inf"), float("nan")
STRANGE = (torch.float8_e4m3fn, torch.complex32, torch.uint16)  # which the judge does not compare
KINDS = (*sorted(DTYPES, key=str), *STRANGE)
SHAPES = (
    (), (0,), (1,), (3, 0), (2**40, 0), (2,) * 12,
    *((1,) * axes for axes in (2, 26, 63, 64, 65, 200, 1000)), (0,) * 65, (1,) * 64 + (2,),
)  # fmt: skip
EXTREME = (0.0, -0.0, 1.0, NAN, INF, -INF, 1e-42, 1e30, 1e300)
HUGE = (2**63, 10**400, -(10**400), 10**4299)
TEXTS = (
    "", "x" * 10_000, "\ud800", "a\0b", "\u202e", "{0}{limit}", "%s", "<b>", "`", "training",
    "NotImplementedError", "MemoryError", "Error(s) in loading state_dict for X:",
)  # fmt: skip
NUMBERS = (0, 1, -1, True, False, *HUGE, *EXTREME)
NAMES = ("", "training", "drawn elsewhere", "drawn from", "\ud800", "x" * 1000)


def nested(depth: int) -> Any:
    value: Any = 1.0
    for _ in range(depth):
        value = [value]
    return value


PLAIN = (
    None, *NUMBERS, *TEXTS, [], (), {}, [[]], [None] * PARTS, [{}] * 9 * PARTS, Unsent("a set"),
    *({name: value} for name in NAMES for value in (None, 1)), *map(nested, (3, DEPTH, DEPTH + 50)),
)  # fmt: skip


class Hostile:
    """Claims about one call. `case` is its inputs' names, `right` what is right."""

    def __init__(self, right: Observation, inputs: list[str], seed: str):
        self.right, self.inputs = right, inputs
        self.random = random.Random(seed)
        self.noise = torch.Generator().manual_seed(self.random.getrandbits(32))

    def claims(self, count: int) -> Iterator[tuple[str, Tree]]:
        """What is claimed otherwise than it is right: the name of the part, and all of it."""
        yield from self._uncomparable()
        makers = [self._output, self._output, self._gradients, self._remark, self._cost]
        for _ in range(count):
            part, value = self.random.choice(makers)()
            yield part, {**self.right.to_tree(), part: value}

    def _uncomparable(self) -> Iterator[tuple[str, Tree]]:
        """In each place a tensor that torch cannot reduce; truth values for gradients."""
        right, odd = self.right.to_tree(), torch.zeros((1,) * 65)
        for output in (odd, [odd, odd], *self._one_by_one(self.right.output, odd)):
            yield "output", {**right, "output": output}
        for name, gradient in (self.right.gradients or {}).items():
            truths = torch.ones(() if gradient is None else gradient.shape, dtype=torch.bool)
            for claim in (odd, truths):
                yield "gradients", {**right, "gradients": {**right["gradients"], name: claim}}

    def _one_by_one(self, tree: Any, odd: Tensor) -> Iterator[Any]:
        """A returned tuple or list with each of its parts replaced."""
        for at in range(len(tree) if isinstance(tree, tuple | list) else 0):
            yield type(tree)([*tree[:at], odd, *tree[at + 1 :]])

    def _output(self) -> tuple[str, Any]:
        return "output", self._elsewhere(self.right.output)

    def _elsewhere(self, tree: Any) -> Any:
        """A returned tree with one part of it replaced, left out or added."""
        chance = self.random.random()
        if not isinstance(tree, list | tuple | dict) or not tree or chance < 0.2:
            return self._value(tree)
        if isinstance(tree, dict):
            name = self.random.choice([*tree])
            rest = {key: part for key, part in tree.items() if key != name}
            if chance < 0.4:
                return {**rest, self.random.choice(NAMES): self._value(tree[name])}
            return {**tree, name: self._elsewhere(tree[name])}
        at = self.random.randrange(len(tree))
        new = [] if chance < 0.3 else [self._elsewhere(tree[at])] * (2 if chance > 0.9 else 1)
        return type(tree)([*tree[:at], *new, *tree[at + 1 :]])

    def _value(self, right: Any) -> Any:
        if self.random.random() < 0.4:
            return self.random.choice(PLAIN)
        return self._tensor(right)

    def _tensor(self, right: Any) -> Tensor:
        if not isinstance(right, Tensor) or self.random.random() < 0.4:
            return torch.zeros(self.random.choice(SHAPES)).to(self.random.choice(KINDS))
        ones = (1,) * self.random.choice((1, 10, 60, 63, 64, 65, 200))
        extreme, other = self.random.choice(EXTREME), self.random.choice(KINDS[: len(DTYPES)])
        noise = torch.randn(right.shape, generator=self.noise, dtype=torch.float64)
        made = self.random.choice([
            lambda: right.reshape(ones + tuple(right.shape)),
            lambda: right.reshape(tuple(right.shape) + ones),
            lambda: right.to(other),
            lambda: torch.ones_like(right, dtype=other),
            lambda: torch.full_like(right.double(), extreme).to(right.dtype),
            lambda: torch.where(noise > noise.max() / 2, extreme, right.double()).to(right.dtype),
            lambda: noise.to(right.dtype),
            lambda: right.flatten()[:0],
            right.flatten,
            lambda: right.mT if right.dim() > 1 else right,
        ])  # fmt: skip
        return made().contiguous()

    def _gradients(self) -> tuple[str, Any]:
        gradients = self.right.gradients or {}
        name = self.random.choice([*gradients, "", "no such name"])
        rest = {key: value for key, value in gradients.items() if key != name}
        given = self._tensor(gradients.get(name))
        return "gradients", self.random.choice([
            {**rest, name: given}, {**rest, name: given}, dict.fromkeys(gradients, given),
            {**rest, name: None}, {**rest, name: self.random.choice(PLAIN)}, rest, None, [], "x",
        ])  # fmt: skip

    def _remark(self) -> tuple[str, Any]:
        names = [[], ["cpu"] * 1000, ["meta"], ["\ud800"], ["x" * 1000], ["no such name"],
                 self.inputs * 20, ["_" * 90] * 1000, [1], [None], None, "cpu", {}]  # fmt: skip
        part = self.random.choice(
            ["failure", "gradient_failure", "devices", "changed", "used", "clash"]
        )
        if part == "clash":
            return part, self.random.choice([*TEXTS, None, 1])
        return part, self._failure() if "failure" in part else self.random.choice(names)

    def _failure(self) -> Any:
        told = {"type": "E", "message": "m", "line": 1, "source": "s", "within": ""}
        named, lines = self.random.choice([*told]), (0, -1, 10**400, NAN, INF, "7", [], None)
        other = self.random.choice(lines if named == "line" else TEXTS)
        return self.random.choice([{**told, named: other}] * 5 + [{}, [], "x", torch.zeros(2)])

    def _cost(self) -> tuple[str, Any]:
        counted = {"flops": 1, "matmuls": 1, "largest": 1, "peak": 1}
        numbers = (*NUMBERS, "9" * 4000, None, [], torch.zeros((1,) * 65))
        named = {**counted, self.random.choice([*counted]): self.random.choice(numbers)}
        return "cost", self.random.choice([named, named, named, None, {}, "x"])
