"""Why an answer that should be right was refused, in numbers that its author can act on."""

from torch import Tensor

from autograder.calls.rounding import tolerance, typical_error
from autograder.calls.spec import Case
from autograder.judging.checks import Checks
from autograder.judging.difference import Difference, DifferenceKind
from autograder.judging.verdict import Verdict


def reason(checks: Checks, verdict: Verdict) -> str:
    """What differs and in which case: where numbers are off, in that where they are furthest."""
    evidence = verdict.evidence
    if evidence is None:
        return verdict.sentence
    cases = [checked.case for checked in checks.cases]
    case, difference = cases[evidence.shown], evidence.differences[evidence.shown]
    assert difference is not None
    if _is_of_numbers(difference):
        pairs = zip(cases, evidence.differences, strict=True)
        off = [(case, found) for case, found in pairs if found and _is_of_numbers(found)]
        case, difference = max(off, key=lambda pair: _error(pair[1]) / _allowed(*pair))
    return f"{difference.sentence} That is on case {case.name!r}{_in_numbers(case, difference)}."


def _is_of_numbers(difference: Difference) -> bool:
    right = difference.expected
    compared = difference.kind in (DifferenceKind.VALUES, DifferenceKind.GRADIENT) and isinstance(
        right, Tensor
    )
    return compared and right.dtype.is_floating_point


def _in_numbers(case: Case, difference: Difference) -> str:
    if not _is_of_numbers(difference):
        return ""
    error, allowed = _error(difference), _allowed(case, difference)
    found = f", where the largest error is {error:.1e} of the largest entry"
    if error > allowed:
        return f"{found}; {allowed:.1e} is allowed"
    usual = typical_error(
        difference.expected.dtype, case.exactness, difference.kind == DifferenceKind.GRADIENT
    )
    if usual < allowed:
        return f"{found}; all errors together may be {usual:.1e} of all entries"
    return f"{found}, but an entry of weights may be off by a share of its own size only"


def _error(difference: Difference) -> float:
    """The largest error, over the largest entry; infinite where one of them is no number."""
    right, given = difference.expected.double(), difference.actual.double()
    error = (given - right)[given != right].abs()
    size = right[right.isfinite()].abs()
    if not size.numel() or not size.max() or not error.isfinite().all():
        return float("inf")
    return float(error.max() / size.max())


def _allowed(case: Case, difference: Difference) -> float:
    return tolerance(
        difference.expected.dtype, case.exactness, difference.kind == DifferenceKind.GRADIENT
    )
