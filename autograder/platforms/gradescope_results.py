"""Verdicts as Gradescope's `results.json`.

Its format, and who may see which test when:
https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from typing import Any

from autograder.judging.verdict import NOT_WRITTEN, Kind, Verdict
from autograder.showing.unstyled import unstyled
from autograder.showing.wording import sentence

PUBLISHED, AT_ONCE = "after_published", "visible"
ABOUT = (
    "At once you see what the public cases say, which `check` in the notebook runs too. Points "
    "come with the grades, by further cases."
)


def results(graded: dict[str, Verdict], public: dict[str, Verdict]) -> dict[str, Any]:
    """A test with points for each exercise, shown with the grades; before it, what is public.

    Whether a test is hidden depends on no verdict: else that would tell what a secret case said.
    Raises ValueError for a verdict of infrastructure, which is no mark and no zero.
    """
    tests = []
    for number, (name, verdict) in enumerate(graded.items(), 1):
        if verdict.kind == Kind.INFRASTRUCTURE:
            raise ValueError(f"{name} has no verdict: {verdict.sentence}")
        if name in public:
            tests.append(_public_test(public[name], number))
        tests.append(_graded_test(verdict, number))
    return {
        "output": _about(graded),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests,
    }


def unreadable(graded: dict[str, Verdict]) -> str:
    """Why nothing of what was handed in could be graded, "" if something could."""
    reasons = {verdict.sentence for verdict in graded.values() if verdict.kind == Kind.MISSING}
    if len(reasons) == 1 and all(verdict.kind == Kind.MISSING for verdict in graded.values()):
        (reason,) = reasons
        return "" if reason == NOT_WRITTEN else sentence(reason)
    return ""


def _about(graded: dict[str, Verdict]) -> str:
    return unreadable(graded) or ABOUT


def _graded_test(verdict: Verdict, number: int) -> dict[str, Any]:
    return {
        **_plain_test(verdict, number),
        "name": verdict.exercise,
        "score": verdict.points,
        "max_score": verdict.max_points,
        "visibility": PUBLISHED,
    }


def _public_test(verdict: Verdict, number: int) -> dict[str, Any]:
    """Without points: a score of all that is seen would look like the mark."""
    passed = f"<p>All {verdict.total} public cases pass. The points depend on further ones.</p>"
    return {
        **_plain_test(verdict, number),
        "output": passed if verdict.kind == Kind.PASSED else unstyled(verdict),
        "name": f"{verdict.exercise}: the public cases",
        "score": 0,
        "max_score": 0,
        "visibility": AT_ONCE,
    }


def _plain_test(verdict: Verdict, number: int) -> dict[str, Any]:
    return {
        "number": str(number),
        "name_format": "text",
        "status": "passed" if verdict.kind == Kind.PASSED else "failed",
        "output": unstyled(verdict),
        "output_format": "html",
    }
