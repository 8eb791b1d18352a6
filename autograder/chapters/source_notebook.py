"""Build the nbgrader source notebook of a chapter from its MyST text and its exercises."""

import contextlib
import io
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from autograder.chapters import case_slips
from autograder.chapters.cell_slips import ABOUT, ANSWER, POINTS, ROLE
from autograder.chapters.drift import drift
from autograder.chapters.first_cell import first_cell
from autograder.chapters.rubric import RUBRIC
from autograder.common.cell import EXERCISE, GIVEN, SETUP, Cell
from autograder.common.errors import CourseError, WireError
from autograder.common.files import CHECKS, PACKAGE
from autograder.confined.namespace import fresh_namespace, run_cell
from autograder.confined.observe import observe
from autograder.exercise.observation import Failure
from autograder.exercise.spec import Exercise
from autograder.judging import checks, checks_file
from autograder.judging.checks import Checks
from autograder.judging.judge import judge
from autograder.judging.verdict import Kind
from autograder.notebooks.chapter import Chapter, libraries, location, reference_cells
from autograder.showing.wording import points, sentence

TODO = "TODO"  # what an author has still to write begins with it
HANDING_IN = PACKAGE / "templates" / "handing_in.md"  # the book shows it too


def write(chapter: Chapter, released: Path) -> list[Path]:
    """Write NAME.ipynb and the public checks beside NAME.md; files that would not change stay.

    The checks are those in the folder `released` if nothing but rounding differs from them, since
    another processor rounds differently. Raises CourseError for a slip of the author's in a case,
    and for a solution that does not pass; nothing is written then.
    """
    notebook, public = chapter.folder / f"{chapter.name}.ipynb", chapter.folder / CHECKS
    for line in unfinished(chapter):
        raise CourseError(f"{line} Learners would get it: finish the chapter.")
    case_slips.refuse(chapter)
    fresh = [checks.build(exercise) for exercise in chapter.exercises.values()]
    rehearse(chapter, fresh)
    known = _known(released / CHECKS, fresh)
    _replace(notebook, (nbformat.writes(build(chapter)) + "\n").encode())
    _replace(public, checks_file.packed(fresh) if known is None else known)
    return [notebook, public]


def unfinished(chapter: Chapter) -> list[str]:
    """List with its line where the chapter's files say TODO, as what `attn new` makes does."""
    paths = [*sorted(chapter.folder.glob("*.md")), *sorted(chapter.folder.glob("*.py"))]
    return [
        f"{path}, line {number}: {line[line.index(TODO) :]}"
        for path in paths
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1)
        if TODO in line
    ]


def _known(path: Path, fresh: list[checks.Checks]) -> bytes | None:
    """Return what was released, if it holds what is to be released, else None."""
    try:
        released = checks_file.load(path)
    except (FileNotFoundError, WireError):
        return None
    return None if drift([*released.values()], fresh) else path.read_bytes()


def build(chapter: Chapter) -> NotebookNode:
    """Build the notebook: nbgrader's metadata, a check after each solution, and stable ids."""
    cells = [made for cell in chapter.text.cells for made in _cells(cell, chapter)]
    last = HANDING_IN.read_text("utf-8").strip()
    cells.append(v4.new_markdown_cell(f"## Before you hand in\n\n{last}"))
    for position, cell in enumerate(cells):
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.id = re.sub("_", "-", grade_id) if grade_id else f"{cell.cell_type}-{position:02}"
    cells.insert(1, first_cell(chapter.folder.parents[1], chapter.name, libraries(chapter)))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    language = {"name": "python"}
    notebook = v4.new_notebook(
        cells=cells, metadata={"kernelspec": kernel, "language_info": language}
    )
    nbformat.validate(notebook)
    return notebook


def _cells(cell: NotebookNode, chapter: Chapter) -> list[NotebookNode]:
    metadata = cell.metadata
    if EXERCISE in metadata:
        exercise = chapter.exercises[metadata[EXERCISE]]
        metadata = _nbgrader(exercise.name, solution=True, grade=False)
        return [v4.new_code_cell(cell.source, metadata=metadata), _check(exercise)]
    if RUBRIC in metadata:
        return []  # for whoever marks
    if ANSWER in metadata:
        return [_answer(metadata[ANSWER], metadata[POINTS], cell.source)]
    if ABOUT in metadata:
        return [v4.new_markdown_cell(_with_facts(cell.source, chapter.exercises[metadata[ABOUT]]))]
    if metadata.get(ROLE) == SETUP:
        name = "-".join([GIVEN, metadata[GIVEN].split("/")[1]]) if GIVEN in metadata else SETUP
        return [v4.new_code_cell(cell.source, metadata={ROLE: SETUP, **_nbgrader(name)})]
    make = v4.new_code_cell if cell.cell_type == "code" else v4.new_markdown_cell
    return [make(cell.source)]


def _with_facts(source: str, exercise: Exercise) -> str:
    """Put difficulty, minutes and points under the heading that a cell starts with."""
    heading, _, rest = source.partition("\n")
    dots = "●" * exercise.difficulty + "○" * (5 - exercise.difficulty)
    facts = f"*Difficulty {dots} · about {exercise.minutes} minutes · {_worth(exercise)}*"
    return f"{heading}\n\n{facts}\n{rest}"


def _worth(exercise: Exercise) -> str:
    """Return its points, and which of them are for a group."""
    groups = ", ".join(f"{group.points} for {group.name}" for group in exercise.groups)
    return f"{points(exercise.points)}{groups and f', of which {groups}'}"


def _check(exercise: Exercise) -> NotebookNode:
    metadata = _nbgrader(f"check_{exercise.name}", grade=True, points=exercise.points)
    tags = ["raises-exception"]  # "Run All" goes on after a check that fails
    return v4.new_code_cell(f"check({exercise.name})", metadata={**metadata, "tags": tags})


def _answer(name: str, points: int, source: str) -> NotebookNode:
    metadata = _nbgrader(name, solution=True, grade=True, points=points)
    return v4.new_markdown_cell(source, metadata=metadata)


def _nbgrader(
    grade_id: str, solution: bool = False, grade: bool = False, points: int = 0
) -> dict[str, object]:
    metadata: dict[str, object] = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    return {"nbgrader": {**metadata, "points": points} if grade else metadata}


def _replace(path: Path, content: bytes) -> None:
    """Another process may read the file or write it too: none ever sees a part of it."""
    if path.exists() and path.read_bytes() == content:
        return
    part = path.with_name(f"{path.name}.{os.getpid()}.part")  # which nbgrader's settings leave out
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


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
        at = (
            location(chapter, ROLE, SETUP) if of_imports else location(chapter, EXERCISE, cell.name)
        )
        raise broken(at, failure)


def broken(at: str, failure: Failure) -> CourseError:
    """Make the error to raise for a cell of the author's that does not work."""
    said = f"{failure.type}: {failure.message}".rstrip(": .")
    lacks = failure.type == "ModuleNotFoundError"
    remedy = "Install it where you grade, or leave it out." if lacks else "Correct it."
    return CourseError(f"{at}: `{failure.source}` does not work: {said}. {remedy}")


def _refuse_failing(chapter: Chapter, known: Checks, target: Callable[..., Any]) -> None:
    verdict = judge(known, [observe(target, checked.case) for checked in known.cases])
    if verdict.kind != Kind.PASSED:
        at, case = location(chapter, EXERCISE, known.exercise), verdict.case
        raise CourseError(
            f"{at}: the solution of {known.exercise} fails the case {case!r}: "
            f"{sentence(verdict.sentence)} Correct the solution, the oracle or the case."
        )
