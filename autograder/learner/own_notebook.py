"""A learner's own notebook of a chapter, read as the grader reads what is handed in."""

from pathlib import Path

from autograder.common.errors import CourseError
from autograder.notebooks.hand_in import NotebookError
from autograder.notebooks.submission import Submission, read

SAVE = "Open it in Jupyter, save it, and run this again."


def notebook_of(folder: Path) -> Path:
    """Return the notebook of a chapter: the one that is named like its folder, or the only one.

    Raises CourseError if there is none, or if it is not clear which one is meant.
    """
    named = folder / f"{folder.resolve().name}.ipynb"
    found = [named] if named.is_file() else sorted(folder.glob("*.ipynb"))
    if len(found) == 1:
        return found[0]
    there = "are several notebooks" if found else "is no notebook"
    raise CourseError(f"There {there} in {folder.resolve()}. Name yours {named.name}.")


def submission_of(path: Path) -> Submission:
    """Read the notebook at `path`. Raises CourseError if it is missing or damaged."""
    if not path.is_file():
        raise CourseError(f"There is no notebook {path}.")
    try:
        submission = read(path)
    except NotebookError as error:
        raise CourseError(str(error).replace("hand it in again", "run this again")) from None
    if not submission.whole:
        raise CourseError(f"{' '.join(submission.notes)} {SAVE}")
    return submission
