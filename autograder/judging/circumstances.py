"""In which cases a submission fails: what they have in common, and no other case has."""

from collections.abc import Callable
from itertools import combinations

import torch
from torch import Tensor

from autograder.calls.spec import Case
from autograder.calls.stateful import Model, Stateful
from autograder.calls.tensors import is_float, leaves

LARGE = 50.0  # an exponential of more is near the end of half precision, or beyond it


def circumstance(cases: list[Case], failing: list[int]) -> str:
    """The name of what all failing cases have, and none of the others; "" if nothing is."""
    for name, holds in CIRCUMSTANCES.items():
        found = [index for index, case in enumerate(cases) if holds(case)]
        if found == failing and len(found) < len(cases):
            return name
    return ""


def _tensors(case: Case) -> list[Tensor]:
    made = (value.tensors() for value in case.inputs.values() if isinstance(value, Stateful))
    return leaves([*case.inputs.values(), *(case.state or {}).values(), *made])


def _floats(case: Case) -> list[Tensor]:
    return [value for value in _tensors(case) if is_float(value)]


def masks(case: Case) -> list[Tensor]:
    """Boolean inputs that are named as masks; other truth values allow or forbid nothing."""
    named = [value for name, value in case.inputs.items() if "mask" in name.lower()]
    return [value for value in leaves(named) if value.dtype == torch.bool]


def _has_dtype(*dtypes: torch.dtype) -> Callable[[Case], bool]:
    return lambda case: any(value.dtype in dtypes for value in _floats(case))


def _axes(case: Case) -> int:
    """Of the tensor with the most."""
    return max((value.dim() for value in leaves(list(case.inputs.values()))), default=0)


def _lengths(case: Case) -> list[tuple[int, int]]:
    """Of each two inputs that are sequences of vectors; what has fewer axes is something else."""
    axes = _axes(case)
    sizes = [value.size(-2) for value in leaves(list(case.inputs.values()))
             if is_float(value) and value.dim() == axes > 1]  # fmt: skip
    return list(combinations(sizes, 2))


def _is_large(case: Case) -> bool:
    finite = (value[value.isfinite()] for value in _floats(case))
    return any(bool((value.abs() > LARGE).any()) for value in finite)


CIRCUMSTANCES: dict[str, Callable[[Case], bool]] = {
    "fails_in_training_mode": lambda case: (
        case.training or any(isinstance(v, Model) and v.training for v in case.inputs.values())
    ),
    "fails_in_half_precision": _has_dtype(torch.float16, torch.bfloat16),
    "fails_in_double_precision": _has_dtype(torch.float64),
    "fails_for_a_mask_without_true": lambda case: any(not bool(m.any()) for m in masks(case)),
    "fails_for_empty_rows": lambda case: any(
        m.dim() > 0 and not bool(m.any(-1).all()) for m in masks(case)
    ),
    "fails_without_something": lambda case: any(v is None for v in case.inputs.values()),
    "fails_unless_none": lambda case: all(v is not None for v in case.inputs.values()),
    "fails_for_infinite_inputs": lambda case: any(
        not bool(value.isfinite().all()) for value in _floats(case)
    ),
    "fails_for_large_numbers": _is_large,
    "fails_for_negative_numbers": lambda case: any(
        not is_float(value) and value.dtype != torch.bool and bool((value < 0).any())
        for value in _tensors(case)
    ),
    "fails_for_different_lengths": lambda case: any(a != b for a, b in _lengths(case)),
    "fails_for_equal_lengths": lambda case: any(a == b for a, b in _lengths(case)),
    "fails_for_length_1": lambda case: any(
        1 in value.shape for value in leaves(list(case.inputs.values()))
    ),
    "fails_for_fewer_axes_of_a_mask": lambda case: any(m.dim() < _axes(case) for m in masks(case)),
    "fails_without_leading_axes": lambda case: _axes(case) < 3,
    "fails_with_more_axes": lambda case: _axes(case) > 3,
}
