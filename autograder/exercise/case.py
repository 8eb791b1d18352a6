"""One call with concrete inputs, and what a relation says that every right result satisfies."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.exercise.observation import Observation
from autograder.exercise.rounding import Exactness
from autograder.exercise.specimen import Specimen
from autograder.exercise.stateful import Stateful

WORK = 2  # of a case that is `traced`: it is also made sure that no work was done elsewhere
AGAIN = 2  # of a case that is `placed`: only draws are looked at, since devices do not matter


class Rng:
    """Seeded random tensors; the same seed gives the same on every machine, but for the last bit.

    What a case computes from them does too if it computes in float64 and rounds at the end.
    """

    def __init__(self, seed: int):
        self.generator = torch.Generator().manual_seed(seed % 2**63)

    def normal(self, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Standard normal entries, drawn in float64 and rounded."""
        return torch.randn(*shape, generator=self.generator, dtype=torch.float64).to(dtype)

    def integers(self, low: int, high: int, *shape: int) -> Tensor:
        """int64 entries with low <= entry < high."""
        return torch.randint(low, high, shape, generator=self.generator)

    def integer(self, low: int, high: int) -> int:
        """Draw one integer with low <= integer < high."""
        return int(self.integers(low, high))

    def bools(self, *shape: int, chance: float = 0.5) -> Tensor:
        """Boolean entries, True with probability `chance`."""
        return torch.rand(*shape, generator=self.generator) < chance


@dataclass(frozen=True)
class Case:
    """One call with concrete inputs. Inputs are passed by position, in the order given.

    For a class, `construct` holds the constructor's arguments and `state` the state_dict that
    is loaded before the call: weights are given, never reproduced from a seed. `training`: a module
    is in training mode. `through`: a function that is called with the instance before the inputs,
    so that the methods it calls count, and not what the class makes of them itself.
    `gradient`: gradients of the floating outputs with respect to the floating inputs are compared.
    `traced`: library calls and work are counted; see `WORK`. `placed`: the call is repeated with
    inputs that say they are on a GPU, and where it draws many numbers, with the same generator;
    see `AGAIN`. Both take time and are set by `checks.build`, for the cases where they can tell
    something.
    `terms`: of the longest sum, where the inputs do not show it; the tolerance grows with it.
    `tolerance`: the error that an entry of a result or a gradient may have, as a share of the
    largest entry: 1e-3 allows 0.002 where the largest is 2. Without one, what rounding explains is
    allowed: it depends on the dtype and on `terms`, and is less for rows that sum to 1.
    """

    name: str
    inputs: dict[str, Any]
    gradient: bool = False
    public: bool = True
    traced: int = False
    placed: int = False
    construct: dict[str, Any] | None = None
    state: dict[str, Tensor] | None = None
    terms: int = 1
    training: bool = False
    through: Specimen | None = None
    tolerance: float | None = None

    def __post_init__(self) -> None:
        """Raise TypeError for inputs without names, ValueError for a tolerance that is none."""
        if not isinstance(self.inputs, dict):
            raise TypeError(f'the inputs of case {self.name!r} need names: {{"values": …}}')
        if self.tolerance is not None and not 0 <= self.tolerance < 1:
            raise ValueError(
                f"the tolerance of case {self.name!r} is {self.tolerance}; state it as a share of "
                "the largest entry, such as 1e-3"
            )

    @property
    def kind(self) -> tuple[Any, ...]:
        """Return what code may look at before it decides what to make: all but numbers."""
        values = [*self.inputs.values(), *(self.construct or {}).values()]
        return tuple(map(_traits, values))

    @property
    def tensors(self) -> list[Tensor]:
        """Return the tensors among the inputs, and those that changing inputs are made from."""
        made = [
            value.tensors() if isinstance(value, Stateful) else [value]
            for value in self.inputs.values()
        ]
        return [part for parts in made for part in parts if isinstance(part, Tensor)]

    @property
    def size(self) -> int:
        """Entries of all inputs."""
        return sum(value.numel() for value in self.tensors)

    @property
    def exactness(self) -> Exactness:
        """Say how exact a result has to be. A sum has as many terms as the longest axis."""
        values = [*self.tensors, *(self.state or {}).values()]
        sizes = [size for value in values for size in value.shape]
        return Exactness(max([self.terms, *sizes]), self.tolerance)


def _traits(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.is_floating_point(), value.dim()
    if isinstance(value, Stateful):
        return value.traits
    return value if value is None or isinstance(value, bool) else type(value)


@dataclass(frozen=True)
class Property:
    """`violation` returns a sentence about what is wrong, or "" where the property holds.

    `rule` says what should hold, without any number that a submission has a say in.
    """

    def violation(
        self, expected: Observation, actual: Observation, case: Case | None = None
    ) -> str:
        raise NotImplementedError

    def aligned(
        self, expected: Observation, actual: Observation, case: Case | None = None
    ) -> Observation:
        """Return what is expected of the entries of `actual`, which may be anything."""
        return expected

    def rule(self) -> str:
        raise NotImplementedError
