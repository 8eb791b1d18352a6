"""The solution of a chapter tried on its public checks, before learners meet them."""

import contextlib
import io
from collections.abc import Callable
from typing import Any

from autograder.chapters.cell_slips import ROLE
from autograder.common.cell import EXERCISE, SETUP, Cell
from autograder.common.errors import CourseError
from autograder.confined.namespace import fresh_namespace, run_cell
from autograder.confined.observe import observe
from autograder.exercise.observation import Failure
from autograder.judging.checks import Checks
from autograder.judging.judge import judge
from autograder.judging.verdict import Kind
from autograder.notebooks.chapter import Chapter, place, reference_cells
from autograder.showing.wording import sentence


def rehearse(chapter: Chapter, checks: list[Checks]) -> None:
    """Raise CourseError, with its line, for the first solution that does not pass its own checks.

    It is the author's code, so it runs here, in no sandbox; what it prints is not shown.
    """
    namespace = fresh_namespace()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for cell in reference_cells(chapter):
            _run(chapter, cell, namespace)
        for known in checks:
            _refuse_failing(chapter, known, namespace[known.exercise])


def _run(chapter: Chapter, cell: Cell, namespace: dict[str, Any]) -> None:
    failure = run_cell(cell.name, cell.source, namespace)
    if failure:
        of_imports = cell.name not in chapter.exercises
        at = place(chapter, ROLE, SETUP) if of_imports else place(chapter, EXERCISE, cell.name)
        raise broken(at, failure)


def broken(at: str, failure: Failure) -> CourseError:
    """What to raise for a cell of the author's that does not work."""
    said = f"{failure.type}: {failure.message}".rstrip(": .")
    lacks = failure.type == "ModuleNotFoundError"
    remedy = "Install it where you grade, or leave it out." if lacks else "Correct it."
    return CourseError(f"{at}: `{failure.source}` does not work: {said}. {remedy}")


def _refuse_failing(chapter: Chapter, known: Checks, target: Callable[..., Any]) -> None:
    verdict = judge(known, [observe(target, checked.case) for checked in known.cases])
    if verdict.kind != Kind.PASSED:
        at, case = place(chapter, EXERCISE, known.exercise), verdict.case
        raise CourseError(
            f"{at}: the solution of {known.exercise} fails the case {case!r}: "
            f"{sentence(verdict.sentence)} Correct the solution, the oracle or the case."
        )
