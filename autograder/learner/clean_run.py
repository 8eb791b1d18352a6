"""A learner's own notebook, run as the instructor's grader runs it, on the public cases."""

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, v4

from autograder.common.cell import GIVEN, SETUP, Cell, without_magics
from autograder.common.errors import SandboxUnavailable
from autograder.common.files import CHECKS
from autograder.common.libraries import has, is_graded_with
from autograder.diagnosis.diagnose import diagnose
from autograder.exercise.observation import Failure
from autograder.judging.checks import Checks
from autograder.judging.marker import Marker
from autograder.judging.verdict import Kind, Verdict
from autograder.learner.own_notebook import submission_of
from autograder.learner.public_cases import public_checks
from autograder.notebooks.other_cells import brought, imported
from autograder.notebooks.parsing import for_a_later_python
from autograder.notebooks.splice import cells_to_run, notes, splice
from autograder.notebooks.submission import Submission, SubmittedCell
from autograder.sandbox.sandbox import Sandbox
from autograder.sandbox.steps import Run

NO_SETUP = "The cell with the imports is no longer in the notebook; the grader has its own."
LEFT = "YOUR ANSWER HERE"  # by nbgrader's ClearSolutions, where an answer in words is asked for


@dataclass(frozen=True)
class CleanRun:
    """A verdict for each exercise, what to know of how the notebook was read, and where it ran.

    notes: one sentence each, also on what does not work there, though it may cost nothing.
    """

    verdicts: dict[str, Verdict]
    notes: list[str]
    confined: bool


def clean_run(path: Path) -> CleanRun:
    """Run the solutions of the notebook at `path` in a fresh process and judge them.

    Confined where bubblewrap can be used; elsewhere not, since it is the learner's own code.
    Raises CourseError for a notebook and CheckFailed for checks that are missing or damaged.
    """
    path = path.resolve()
    submission = submission_of(path)
    checks = public_checks(path.parent / CHECKS)
    sandbox = watched_sandbox()
    with sandbox:
        run = _judged(submission, checks, sandbox)
    return replace(run, notes=[*run.notes, *_unanswered(submission, checks)])


def clean_check(path: Path, exercise: str, answer: str, sandbox: "WatchedSandbox") -> CleanRun:
    """Run one exercise of the notebook at `path`, and what it builds on, in a fresh process.

    answer: code to run instead of the exercise's cell; "" runs the cell as saved.
    Raises the same as clean_run.
    """
    path = path.resolve()
    submission = submission_of(path)
    if answer.strip():
        submission = _with_answer(submission, exercise, answer)
    checks = _with_earlier(public_checks(path.parent / CHECKS), exercise)
    return _judged(submission, checks, sandbox)


def _judged(
    submission: Submission, checks: dict[str, Checks], sandbox: "WatchedSandbox"
) -> CleanRun:
    """Judge the exercises that have checks, as if the notebook held no others."""
    sandbox.failures.clear()
    released = _released(submission, list(checks))
    spliced = splice(released, submission)
    lacking = [] if len(released.cells) > len(checks) else [NO_SETUP]
    judged = Marker(checks, sandbox).grade_notebook(spliced)
    verdicts = {
        name: _told(diagnose(checks[name], verdict), checks[name], judged)
        for name, verdict in judged.items()
    }
    refused = _refused(cells_to_run(spliced), sandbox, verdicts)
    return CleanRun(verdicts, [*notes(spliced), *lacking, *refused], sandbox.confined)


def _with_answer(submission: Submission, exercise: str, answer: str) -> Submission:
    """Return the notebook with `answer` as the only cell of code for an exercise."""
    own = [at for at, cell in enumerate(submission.cells)
           if cell.grade_id == exercise and cell.kind == "code"]  # fmt: skip
    cells = [cell for at, cell in enumerate(submission.cells) if at not in own]
    place = own[0] if own else len(cells)
    cells.insert(place, SubmittedCell("code", exercise, answer))
    return replace(submission, cells=cells)


def _with_earlier(checks: dict[str, Checks], exercise: str) -> dict[str, Checks]:
    """Return the checks of an exercise and of all that it builds on, in the notebook's order."""
    wanted, found = [exercise], set[str]()
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.add(name)
            wanted += checks[name].builds_on
    return {name: known for name, known in checks.items() if name in found}


class WatchedSandbox(Sandbox):
    """Keeps, by cell, the first failure of a statement, which a verdict may not mention."""

    def __init__(self, confined: bool = True):
        super().__init__(confined)
        self.failures: dict[str, Failure] = {}

    def run(self, cells: list[Cell], *given: Any, **options: Any) -> Run:
        run = super().run(cells, *given, **options)
        told = {cell.name: run.cells.get(index) for index, cell in enumerate(cells)}
        self.failures |= {name: Failure.from_tree(tree) for name, tree in told.items() if tree}
        return run


def _refused(
    cells: list[Cell], sandbox: WatchedSandbox, verdicts: dict[str, Verdict]
) -> Iterator[str]:
    """Say what does not work in the cells, except for what a card shows."""
    there = brought(cell.source for cell in cells if cell.name.startswith(SETUP))
    for cell in cells:
        yield from static_warnings(cell, there)
        failure, verdict = sandbox.failures.get(cell.name), verdicts.get(cell.name)
        shown = verdict.difference.failure if verdict and verdict.difference else None
        if failure and failure != shown:
            yield runtime_warning(cell, failure)


def _unanswered(submission: Submission, exercises: Collection[str]) -> Iterator[str]:
    """Tell which cells for an answer in words are unchanged."""
    for cell in submission.cells:
        asked = cell.kind == "markdown" and cell.grade_id and cell.grade_id not in exercises
        if asked and cell.source.strip() in ("", LEFT):
            yield f"Nothing is written in the cell of {cell.grade_id} yet; a person marks it."


def _told(verdict: Verdict, checks: Checks, judged: dict[str, Verdict]) -> Verdict:
    """Add what the exercise builds on and what does not pass either."""
    if verdict.kind in (Kind.PASSED, Kind.MISSING):
        return verdict
    failed = [
        name for name in checks.builds_on if name in judged and judged[name].kind != Kind.PASSED
    ]
    return replace(verdict, solve_first=tuple(failed))


def _released(submission: Submission, exercises: list[str]) -> NotebookNode:
    """Make up the released notebook: imports, what is given, a cell per exercise.

    The learner has no other copy of it. Where a cell is empty whatever was written counts.
    """
    code = [cell for cell in submission.cells if cell.kind == "code"]
    setup = dict[str, str]()
    for cell in code:
        if cell.grade_id == SETUP or cell.grade_id.startswith(f"{GIVEN}-"):
            setup.setdefault(cell.grade_id, cell.source)
    cells = [v4.new_code_cell(source, metadata={"role": SETUP}) for source in setup.values()]
    for name in exercises:
        metadata = {"nbgrader": {"grade_id": name, "solution": True}}
        cells.append(v4.new_code_cell("", metadata=metadata))
    return v4.new_notebook(cells=cells)


def watched_sandbox() -> WatchedSandbox:
    """Return a sandbox that confines, or one that does not where bubblewrap cannot be used."""
    sandbox = WatchedSandbox()
    try:
        sandbox.check()
    except SandboxUnavailable:
        sandbox = WatchedSandbox(confined=False)
    return sandbox


def runtime_warning(cell: Cell, failure: Failure) -> str:
    """That a statement failed."""
    where = f"`{failure.source}`" if failure.source else f"line {failure.line}"
    why = f"{failure.type}: {failure.message}".rstrip(": .")
    return f"In the cell {_name(cell)}, {where} does not work: {why}."


def static_warnings(cell: Cell, brought: Collection[str] = ()) -> Iterator[str]:
    """Say what the grader may not have of a cell's libraries and Python, and which lines it skips.

    brought: the libraries of this course.
    """
    python = _as_python(cell.source)
    for name in sorted({module for _, module in imported(python)}):
        if not is_graded_with(name) and name not in brought:
            yield f"The cell {_name(cell)} imports {name}; the grader has {has(brought)}."
    for sentence in for_a_later_python(cell.source):
        yield f"The cell {_name(cell)}: {sentence}"
    for line, kept in zip(cell.source.split("\n"), python.split("\n"), strict=False):
        if line != kept:
            yield f"In the cell {_name(cell)}, `{line.strip()}` is for IPython and does nothing."


def _name(cell: Cell) -> str:
    return "with the imports" if cell.name.startswith(SETUP) else cell.name


def _as_python(source: str) -> str:
    """Return the text that is run: if it is no Python, without the lines for IPython alone."""
    try:
        ast.parse(source)
    except Exception:
        return without_magics(source)
    return source
