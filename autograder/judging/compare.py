"""The first way in which one observation differs from another, from the coarsest to the finest."""

import math
from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.confined.failures import THE_CHECK
from autograder.exercise.observation import Failure, Observation, Unsent
from autograder.exercise.rounding import Exactness, mismatches, tolerance, typical_error, within
from autograder.judging.difference import Difference, DifferenceKind, state_difference


def first_difference(
    expected: Observation, actual: Observation, names: tuple[str, ...], exactness: Exactness
) -> Difference | None:
    """Return what differs first, or None. `names` are those of the outputs."""
    return (
        _raised(expected.failure, actual.failure)
        or _tree(expected.output, actual.output, names, exactness)
        or _devices(expected, actual)
        or _inputs(expected, actual)
        or _gradients(expected, actual, exactness)
    )


def _raised(expected: Failure | None, actual: Failure | None) -> Difference | None:
    if actual is not None and (expected is None or expected.type != actual.type):
        sentence = f"The call raised {actual.type}: {actual.message}"
        if actual.within == THE_CHECK:
            sentence = f"The check, which calls your answer, {sentence.removeprefix('The call ')}"
        elif actual.within:
            sentence = f"{sentence.rstrip('. ')}, within {actual.within}, which your cell calls"
        return Difference(DifferenceKind.RAISED, "", sentence, failure=actual)
    if actual is None and expected is not None:
        return Difference(DifferenceKind.TYPE, "", f"The call should have raised {expected.type}.")
    return None


def _tree(
    expected: Any, actual: Any, names: tuple[str, ...], exactness: Exactness
) -> Difference | None:
    """Compare returned trees; tuples and lists of the same length are taken as alike."""
    if not isinstance(expected, tuple | list):
        return _leaf(expected, actual, names[0], exactness)
    if not isinstance(actual, tuple | list) or len(actual) != len(expected):
        what = f" ({', '.join(names)})" if len(names) == len(expected) else ""
        sentence = f"Expected {_values_in(expected)}{what}, got {_kind(actual)}."
        return Difference(DifferenceKind.TYPE, "the result", sentence)
    plain = tuple(f"result {i}" for i in range(len(expected)))
    labels = names if len(names) == len(expected) else plain
    pairs = zip(expected, actual, labels, strict=True)
    differences = (_leaf(right, given, name, exactness) for right, given, name in pairs)
    return next(filter(None, differences), None)


def _leaf(expected: Any, actual: Any, name: str, exactness: Exactness) -> Difference | None:
    if isinstance(expected, Tensor):
        return _tensor(expected, actual, name, exactness)
    if isinstance(expected, tuple | list):
        return _tree(expected, actual, (name,) * len(expected), exactness)
    if isinstance(expected, dict):
        return state_difference(expected, actual, name, partial(_leaf, exactness=exactness))
    both_numbers = isinstance(expected, float) and type(actual) is int
    if type(expected) is not type(actual) and not both_numbers:
        return Difference(
            DifferenceKind.TYPE,
            name,
            f"Expected {name} to be {_kind(expected)}, got {_kind(actual)}.",
        )
    if _close(expected, actual, tolerance(torch.float32, exactness)):
        return None
    return Difference(
        DifferenceKind.VALUES, name, f"The value of {name} is wrong.", (), expected, actual
    )


def _close(expected: Any, actual: Any, relative: float) -> bool:
    if not isinstance(expected, float):
        return bool(expected == actual)
    try:
        return math.isclose(expected, actual, rel_tol=relative, abs_tol=1e-12)
    except OverflowError:  # an integer that is larger than any float
        return False


def _tensor(expected: Tensor, actual: Any, name: str, exactness: Exactness) -> Difference | None:
    if not isinstance(actual, Tensor):
        return Difference(
            DifferenceKind.TYPE, name, f"Expected {name} to be a tensor, got {_kind(actual)}."
        )
    if _identical(expected, actual):
        return None
    if expected.shape != actual.shape:
        sentence = (
            f"The shape of {name} is {tuple(actual.shape)}, expected {tuple(expected.shape)}."
        )
        return Difference(DifferenceKind.SHAPE, name, sentence)
    if expected.dtype != actual.dtype:
        sentence = f"The dtype of {name} is {_dtype(actual)}, expected {_dtype(expected)}."
        return Difference(DifferenceKind.DTYPE, name, sentence)
    return _values(DifferenceKind.VALUES, name, expected, actual, exactness)


def _identical(expected: Tensor, actual: Tensor) -> bool:
    """Bit by bit, as the right answer often is: the quickest comparison of all."""
    return expected.dtype == actual.dtype and torch.equal(expected, actual)


def _values(
    kind: DifferenceKind, name: str, expected: Tensor, actual: Tensor, exactness: Exactness
) -> Difference | None:
    gradient = kind is DifferenceKind.GRADIENT
    if within(expected, actual, exactness, gradient):
        return None
    wrong = mismatches(expected, actual, exactness, gradient)
    if not wrong.any():
        return None
    at = tuple(int(i) for i in wrong.nonzero()[0]) if wrong.dim() else ()
    share = f"{int(wrong.sum())} of {wrong.numel()} entries of {name} differ"
    place = f", the first at [{', '.join(map(str, at))}]" if at else ""
    sentence = f"The shape is right, but {share}{place}."
    return Difference(kind, name, sentence, at, expected, actual, tolerance=exactness.tolerance)


def _devices(expected: Observation, actual: Observation) -> Difference | None:
    if not expected.devices and not actual.devices:  # as of a text, which is on none
        return None
    if expected.clash == "" and actual.clash:
        sentence = "A tensor was created on the CPU instead of on the device of the inputs."
        return Difference(DifferenceKind.DEVICE, "", sentence)
    if (expected.clash and not actual.clash) or expected.devices != actual.devices:
        sentence = f"The result is on {actual.devices}, expected {expected.devices}."
        return Difference(DifferenceKind.DEVICE, "", sentence)
    return None


def _inputs(expected: Observation, actual: Observation) -> Difference | None:
    if actual.changed == expected.changed:
        return None
    names = ", ".join(actual.changed)
    return Difference(DifferenceKind.INPUTS, names, f"The call changed the caller's {names}.")


def _gradients(
    expected: Observation, actual: Observation, exactness: Exactness
) -> Difference | None:
    if expected.gradients is None:
        return _raised(expected.gradient_failure, actual.gradient_failure)
    if actual.gradients is None:
        failure = actual.gradient_failure
        sentence = f"The backward pass raised {failure.type}: {failure.message}" if failure else ""
        return Difference(DifferenceKind.GRADIENT, "", sentence, failure=failure)
    if _is_constant(actual.gradients) and not _is_constant(expected.gradients):
        name = next(name for name, right in expected.gradients.items() if right is not None)
        return Difference(DifferenceKind.NO_GRADIENT, name, f"No gradient reaches {name}.")
    for name, right in expected.gradients.items():
        given = actual.gradients.get(name)
        difference = _gradient(name, right, given, exactness)
        if difference and not _cancel(right, given, expected.gradients, exactness):
            return difference
    return None


def _is_constant(gradients: dict[str, Tensor | None]) -> bool:
    """Tell whether the outputs depend on no input: then `backward` raises, though 0 is right."""
    return all(gradient is None for gradient in gradients.values())


def _cancel(
    right: Tensor | None,
    given: Tensor | None,
    others: dict[str, Tensor | None],
    exactness: Exactness,
) -> bool:
    """Tell whether they differ by what rounding leaves of terms that cancel.

    The terms are about as large as the largest finite number of the other gradients. Where they
    cancel in part, roundings of their sum are left; where all of them do, both gradients are
    nothing else.
    """
    if right is None or (given is not None and given.shape != right.shape):
        return False
    finite = (one[one.isfinite()] for one in others.values() if one is not None)
    largest = max(map(_largest, finite), default=0.0)
    apart = right if given is None or given.dtype != right.dtype else given.double() - right
    dtype, most = right.dtype, typical_error(right.dtype, exactness)
    if _largest(apart) <= min(tolerance(dtype, exactness), most) * largest < math.inf:
        return True
    slack = min(tolerance(dtype, exactness, gradient=True), most) * largest
    return math.isfinite(slack) and _largest(right) <= slack and _largest(given) <= slack


def _largest(gradient: Tensor | None) -> float:
    return 0.0 if gradient is None or not gradient.numel() else float(gradient.abs().max())


def _gradient(
    name: str, expected: Tensor | None, actual: Tensor | None, exactness: Exactness
) -> Difference | None:
    title = f"the gradient with respect to {name}"
    if expected is None or actual is None:
        return _one_gradient(name, expected, actual)
    if _identical(expected, actual):
        return None
    if expected.shape != actual.shape or expected.dtype != actual.dtype:
        return Difference(DifferenceKind.GRADIENT, name, f"The shape or dtype of {title} is wrong.")
    if not actual.isfinite().all() and expected.isfinite().all():
        count = int((~actual.isfinite()).sum())
        sentence = f"{count} of {actual.numel()} numbers in {title} are NaN or infinite."
        return Difference(DifferenceKind.GRADIENT, name, sentence)
    return _values(DifferenceKind.GRADIENT, title, expected, actual, exactness)


def _one_gradient(name: str, expected: Tensor | None, actual: Tensor | None) -> Difference | None:
    """Compare two of which one is None, which is as good as 0."""
    if _zero(expected) and _zero(actual):
        return None
    if actual is None:
        return Difference(DifferenceKind.NO_GRADIENT, name, f"No gradient reaches {name}.")
    return Difference(
        DifferenceKind.STRAY_GRADIENT, name, f"A gradient reaches {name}, and none should."
    )


def _zero(gradient: Tensor | None) -> bool:
    return gradient is None or not bool(gradient.any())


def _dtype(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _kind(value: Any) -> str:
    if isinstance(value, Unsent):
        return value.kind
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of {_values_in(value)}"
    name = type(value).__name__
    article = "an" if name[0] in "aeiou" else "a"
    return "nothing (None)" if value is None else f"{article} {name}"


def _values_in(value: list[Any] | tuple[Any, ...]) -> str:
    return f"{len(value)} value{'' if len(value) == 1 else 's'}"
