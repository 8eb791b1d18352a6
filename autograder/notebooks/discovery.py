"""Where each student's notebook lies in the folder of submissions, also under another name."""

import os
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from autograder.notebooks.answers import Answers
from autograder.notebooks.hand_in import SIZE_LIMIT, NotebookError, notebooks_in, shown
from autograder.notebooks.submission import read
from autograder.notebooks.watchdog import OutOfTime

# Control characters, bytes that are no UTF-8, line separators. nbgrader takes a folder's name for a
# pattern, too: the feedback of a student named * would be everybody's.
UNUSABLE = ("Cc", "Cs", "Zl", "Zp")
CANDIDATES = 20  # notebooks under other names that are read for one student


def submissions(
    base: Path, chapter: str, released: Callable[[], NotebookNode]
) -> tuple[dict[str, Path], list[str]]:
    """The notebook of every student with a folder for the chapter, sorted by student.

    The notebook need not exist. The second value has a sentence for each entry of `base` that is
    passed over because nothing there can be graded.
    """
    notebooks, sentences = {}, []
    released = cache(released)  # only where some notebook has another name, and once
    for entry in sorted(os.scandir(base), key=lambda entry: entry.name):
        folder = Path(entry.path, chapter)
        if entry.name.startswith(".") and not os.path.lexists(folder):
            continue  # such as .git and .DS_Store
        if reason := _fault(entry, folder):
            sentences.append(f"{shown(Path(entry.path))} in {base} {reason}")
        elif os.path.lexists(folder):
            notebooks[entry.name] = notebook_of(folder, chapter, released)
    return notebooks, sentences


def _fault(entry: "os.DirEntry[str]", folder: Path) -> str:
    """Why an entry is not a student's, "" if it is one; `folder` is in it, for the chapter."""
    if reason := _name_fault(entry.name):
        return reason
    if entry.is_symlink():
        return "is a link; put the student's own folder there."
    if not entry.is_dir():
        return f"is not a folder; a student's work lies in STUDENT/{folder.name}/."
    return _reading_fault(folder)


def _reading_fault(folder: Path) -> str:
    """Why this machine cannot tell whether there is such a folder, "" if it can."""
    try:
        os.lstat(folder)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"could not be read: {error.strerror}."
    return ""


def _name_fault(name: str) -> str:
    if name.startswith("."):
        return "begins with a dot, so nbgrader does not see it; rename the folder."
    if any(unicodedata.category(letter) in UNUSABLE or letter in "*?[" for letter in name):
        return "is a name that nbgrader cannot use for a student; rename the folder."
    return ""


def notebook_of(folder: Path, chapter: str, released: Callable[[], NotebookNode]) -> Path:
    """The notebook with the chapter's name, else the only other one with answers in it.

    Among more than CANDIDATES none is chosen: whoever has them is told to name the right one.
    """
    named = folder / f"{chapter}.ipynb"
    if os.path.lexists(named) or folder.is_symlink() or not folder.is_dir():
        return named
    try:
        others = notebooks_in(folder, chapter)
        if len(others) > CANDIDATES or sum(path.stat().st_size for path in others) > SIZE_LIMIT:
            return named
    except OSError:
        return named
    by_answers = {_answers(path, released()): path for path in reversed(others)}
    by_answers.pop(frozenset(), None)  # nothing is written in them
    answered = list(by_answers.values())
    return answered[0] if len(answered) == 1 else named


def _answers(path: Path, released: NotebookNode) -> frozenset[tuple[str, str]]:
    """The id and the text of every answer in a notebook that is not the stub any more."""
    return frozenset((written_in(path, released) or {}).items())


def written_in(path: Path, released: NotebookNode) -> dict[str, str] | None:
    """The answers in a notebook by id, but for stubs; None where it cannot be read."""
    try:
        return Answers(released, read(path)).written()
    except (NotebookError, OutOfTime):
        return None
