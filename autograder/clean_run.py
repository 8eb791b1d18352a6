"""A learner's own notebook, run as the instructor's grader runs it, on the public cases."""

from dataclasses import dataclass, replace
from pathlib import Path

from nbformat import NotebookNode, v4

from autograder.chapter import CHECKS
from autograder.checking import public_checks
from autograder.checks import Checks
from autograder.errors import CourseError, SandboxUnavailable
from autograder.grader import Marker
from autograder.handin import NotebookError
from autograder.judge import MISSING, PASSED, Verdict
from autograder.notebook import SETUP, Submission, notes, read, splice
from autograder.sandbox import Sandbox

NO_SETUP = "The cell with the imports is not in the notebook any more; the grader has its own."
SAVE = "Open it in Jupyter, save it, and run this again."


@dataclass(frozen=True)
class CleanRun:
    """A verdict for each exercise, what to know of how the notebook was read, and where it ran."""

    verdicts: dict[str, Verdict]
    notes: list[str]
    confined: bool


def clean_run(path: Path) -> CleanRun:
    """Run the solutions of the notebook at `path` in a fresh process and judge them.

    Confined where bubblewrap can be used; elsewhere not, since it is the learner's own code.
    Raises CourseError for a notebook and CheckFailed for checks that are missing or damaged.
    """
    path = path.resolve()
    submission = _submission(path)
    checks = public_checks(path.parent / CHECKS)
    released = _released(submission, list(checks))
    spliced = splice(released, submission)
    lacking = [] if len(released.cells) > len(checks) else [NO_SETUP]
    with _sandbox() as sandbox:
        found = Marker(checks, sandbox).grade_notebook(spliced)
    found = {name: _told(verdict, checks[name], found) for name, verdict in found.items()}
    return CleanRun(found, [*notes(spliced), *lacking], sandbox.confined)


def _told(verdict: Verdict, checks: Checks, found: dict[str, Verdict]) -> Verdict:
    """With what the exercise builds on and what does not pass either."""
    if verdict.kind in (PASSED, MISSING):
        return verdict
    failed = [name for name in checks.builds_on if name in found and found[name].kind != PASSED]
    return replace(verdict, solve_first=tuple(failed))


def _submission(path: Path) -> Submission:
    if not path.is_file():
        raise CourseError(f"There is no notebook {path}.")
    try:
        found = read(path)
    except NotebookError as error:
        raise CourseError(str(error).replace("hand it in again", "run this again")) from None
    if not found.whole:
        raise CourseError(f"{' '.join(found.notes)} {SAVE}")
    return found


def _released(submission: Submission, exercises: list[str]) -> NotebookNode:
    """What stands in for the released notebook: the imports, and an empty cell per exercise.

    The learner has no other copy of it. Where a cell is empty whatever was written counts.
    """
    code = [cell for cell in submission.cells if cell.kind == "code"]
    setup = [cell.source for cell in code if cell.grade_id == SETUP][:1]
    cells = [v4.new_code_cell(source, metadata={"role": SETUP}) for source in setup]
    for name in exercises:
        metadata = {"nbgrader": {"grade_id": name, "solution": True}}
        cells.append(v4.new_code_cell("", metadata=metadata))
    return v4.new_notebook(cells=cells)


def _sandbox() -> Sandbox:
    sandbox = Sandbox()
    try:
        sandbox.check()
    except SandboxUnavailable:
        sandbox = Sandbox(confined=False)
    return sandbox
