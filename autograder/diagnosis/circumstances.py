"""The inputs of a case: what cases that fail may have in common, and no other case has."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from autograder.exercise.case import Case
from autograder.exercise.stateful import Model, Stateful
from autograder.exercise.tensors import is_float, leaves

LARGE = 50.0  # An exponential of more is near the end of half precision, or beyond it.


def selections(case: Case, selecting: str) -> list[Tensor]:
    """The boolean inputs that say which entries count; `selecting` is as in `Vocabulary`."""
    named = [value for name, value in case.inputs.items() if selecting in name.lower()]
    return [value for value in leaves(named) if value.dtype == torch.bool]


@dataclass(frozen=True)
class CaseInputs:
    """The inputs of a case, as circumstances look at them."""

    case: Case
    selecting: str = ""

    @property
    def values(self) -> list[Any]:
        return list(self.case.inputs.values())

    @property
    def selections(self) -> list[Tensor]:
        return selections(self.case, self.selecting)

    @cached_property
    def tensors(self) -> list[Tensor]:
        """Those among the inputs themselves."""
        return leaves(self.values)

    @property
    def axes(self) -> int:
        """The number of axes of the input that has the most."""
        return max((one.dim() for one in self.tensors), default=0)

    @property
    def lengths(self) -> list[tuple[int, int]]:
        """The lengths of each two inputs that are rows of numbers.

        What has fewer axes than another input is something else.
        """
        sizes = [
            one.size(-2) for one in self.tensors if is_float(one) and one.dim() == self.axes > 1
        ]
        return list(combinations(sizes, 2))

    @cached_property
    def all_tensors(self) -> list[Tensor]:
        """Those of the inputs, of the state, and of models and the like that are given."""
        made = [value.tensors() for value in self.values if isinstance(value, Stateful)]
        return leaves([*self.values, *(self.case.state or {}).values(), *made])

    @property
    def floats(self) -> list[Tensor]:
        return [one for one in self.all_tensors if is_float(one)]

    def has_dtype(self, *dtypes: torch.dtype) -> bool:
        return any(one.dtype in dtypes for one in self.floats)

    @property
    def has_a_row_without_true(self) -> bool:
        return any(one.dim() > 0 and not bool(one.any(-1).all()) for one in self.selections)

    @property
    def has_infinite_numbers(self) -> bool:
        return any(not bool(one.isfinite().all()) for one in self.floats)

    @property
    def has_large_numbers(self) -> bool:
        return any(bool((one[one.isfinite()].abs() > LARGE).any()) for one in self.floats)

    @property
    def has_negative_integers(self) -> bool:
        whole = (one for one in self.all_tensors if not is_float(one) and one.dtype != torch.bool)
        return any(bool((one < 0).any()) for one in whole)

    @property
    def is_in_training_mode(self) -> bool:
        models = (value for value in self.values if isinstance(value, Model))
        return self.case.training or any(model.training for model in models)
