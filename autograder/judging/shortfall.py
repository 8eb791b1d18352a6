"""Why an answer that should be right was refused, in numbers that its author can act on."""

import math

import torch
from torch import Tensor

from autograder.exercise.case import Case
from autograder.exercise.rounding import Exactness, tolerance, typical_error
from autograder.judging.checks import Checks
from autograder.judging.difference import Difference, DifferenceKind
from autograder.judging.verdict import ON_GPU, Verdict


def reason(checks: Checks, verdict: Verdict) -> str:
    """Say what differs and in which case: the one with the largest error where numbers are off."""
    evidence = verdict.evidence
    if evidence is None:
        return verdict.sentence
    cases = [checked.case for checked in checks.cases]
    case, difference = cases[evidence.shown], evidence.differences[evidence.shown]
    assert difference is not None
    if _is_of_numbers(difference):
        pairs = zip(cases, evidence.differences, strict=True)
        off = [(case, found) for case, found in pairs if found and _is_of_numbers(found)]
        case, difference = max(off, key=lambda pair: _error(pair[1]) / (_allowed(*pair) or 1e-30))
    where = ON_GPU if verdict.sentence.startswith(ON_GPU) else ""
    numbers = _in_numbers(case, difference) if _has_numbers(checks, case, difference) else ""
    return f"{where}{difference.sentence} That is on case {case.name!r}{numbers}."


def _has_numbers(checks: Checks, case: Case, difference: Difference) -> bool:
    """Tell whether numbers are off; those of an output that lacks a property may be, too."""
    if difference.kind != DifferenceKind.PROPERTY:
        return _is_of_numbers(difference)
    named = difference.what in checks.returns and _floats(difference)
    return named and _error(difference) > _allowed(case, difference)


def _is_of_numbers(difference: Difference) -> bool:
    kinds = (DifferenceKind.VALUES, DifferenceKind.GRADIENT)
    return difference.kind in kinds and _floats(difference)


def _floats(difference: Difference) -> bool:
    right = difference.expected
    return isinstance(right, Tensor) and right.is_floating_point()


def _in_numbers(case: Case, difference: Difference) -> str:
    error, allowed = _error(difference), _allowed(case, difference)
    found = f", where the largest error is {error:.1e} of the largest entry"
    if error > allowed:
        return f"{found}; {allowed:.1e} is allowed"
    usual = typical_error(*_held_to(case, difference))
    if usual < allowed:
        return f"{found}; all errors together may be {usual:.1e} of all entries"
    return f"{found}, but in a row that sums to 1 each entry is held to its own size"


def _error(difference: Difference) -> float:
    """The largest error, over the largest entry; infinite where one of them is no number."""
    if torch.equal(difference.expected, difference.actual):
        return 0.0
    right, given = difference.expected.double(), difference.actual.double()
    error = (given - right)[(given != right) & ~(given.isnan() & right.isnan())].abs()
    size = right[right.isfinite()].abs()
    if not size.any() or not error.isfinite().all():
        return math.inf
    return float(error.max() / size.max())


def _allowed(case: Case, difference: Difference) -> float:
    return tolerance(*_held_to(case, difference))


def _held_to(case: Case, difference: Difference) -> tuple[torch.dtype, Exactness, bool]:
    gradient = difference.kind == DifferenceKind.GRADIENT
    return difference.expected.dtype, case.exactness, gradient
