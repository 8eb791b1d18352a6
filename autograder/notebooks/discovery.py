"""This module finds each student's notebook among the submissions, also under another name."""

import os
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from autograder.notebooks.answers import Answers
from autograder.notebooks.astray import Astray
from autograder.notebooks.hand_in import NotebookError
from autograder.notebooks.listing import shown
from autograder.notebooks.student import Found, Released, notebook_of, outweighs
from autograder.notebooks.submission import read
from autograder.notebooks.watchdog import OutOfTime

# Control characters, bytes that are no UTF-8, line separators. nbgrader takes a folder's name for a
# pattern, too: the feedback of a student named * would be everybody's.
UNUSABLE = ("Cc", "Cs", "Zl", "Zp")


@dataclass
class Discovered:
    """The notebook of every student who handed in work for a chapter, sorted by student.

    A notebook need not exist. passed_over: a sentence for each entry of the folder of submissions,
    or of a student's folder, of which nothing is graded.
    """

    found: dict[str, Found] = field(default_factory=dict)
    passed_over: list[str] = field(default_factory=list)

    @property
    def notebooks(self) -> dict[str, Path]:
        """Return the paths by student; one may lead into an archive."""
        return {student: found.path for student, found in self.found.items()}


def submissions(
    base: Path, chapter: str, released: Released, chapters: Collection[str] = ()
) -> Discovered:
    """Find what was handed in for a chapter. chapters: the names of all chapters of the course."""
    result, chapters = Discovered(), {*chapters, chapter}
    released = cache(released)  # only where some notebook has another name, and once
    for entry in sorted(os.scandir(base), key=lambda entry: entry.name):
        folder = Path(entry.path, chapter)
        if entry.name.startswith(".") and not os.path.lexists(folder):
            continue  # such as .git and .DS_Store
        if reason := _fault(entry, folder, chapters):
            result.passed_over.append(f"{shown(Path(entry.path))} in {base} {reason}")
            continue
        found, told = of_student(Path(entry.path), chapter, released, chapters)
        result.passed_over += [f"In {base}, {sentence}" for sentence in told]
        if found:
            result.found[entry.name] = found
    return result


def of_student(
    home: Path, chapter: str, released: Released, chapters: Collection[str]
) -> tuple[Found | None, list[str]]:
    """The notebook of one student, None without any work for the chapter; and what to say of it.

    What does not lie in the chapter's folder counts where nothing is written in that.
    """
    folder, beside = home / chapter, Astray(home, chapter, released, chapters)
    here = notebook_of(folder, chapter, released) if os.path.lexists(folder) else None
    elsewhere = beside.found()
    if here and (not elsewhere or outweighs(here, elsewhere, chapter, released)):
        return here, beside.told(graded=True)
    return elsewhere, [] if elsewhere else beside.told(graded=False)


def _fault(entry: "os.DirEntry[str]", folder: Path, chapters: Collection[str]) -> str:
    """Why an entry is not a student's, "" if it is one; `folder` is in it, for the chapter."""
    if reason := _name_fault(entry.name):
        return reason
    if entry.is_symlink():
        return "is a link; put the student's own folder there."
    if not entry.is_dir():
        return f"is not a folder; a student's work lies in STUDENT/{folder.name}/."
    if entry.name in chapters and not os.path.lexists(folder):
        return f"has a chapter's name, not a student's; work lies in STUDENT/{folder.name}/."
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
    if name != name.strip():
        return "begins or ends with a blank, which nbgrader leaves out; rename the folder."
    if any(unicodedata.category(letter) in UNUSABLE or letter in "*?[" for letter in name):
        return "is a name that nbgrader cannot use for a student; rename the folder."
    return ""


def written_in(path: Path, released: NotebookNode) -> dict[str, str] | None:
    """The answers in a notebook by id, but for stubs; None where it cannot be read."""
    try:
        return Answers(released, read(path)).written()
    except (NotebookError, OutOfTime):
        return None
