"""The skeleton of a chapter or an exercise, for an author to fill in. Nothing is overwritten."""

import builtins
import keyword
import re
import shutil
from pathlib import Path
from string import Template

from autograder.calls.errors import CourseError
from autograder.calls.files import PACKAGE, REPOSITORY
from autograder.course.course import CONFIG
from autograder.course.solutions import chapter_names, parsed, read_text

TEMPLATES = PACKAGE / "templates"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?<!_misconceptions)")
SLUG = re.compile(r"\d\d_[a-z0-9_]+")


def new_chapter(root: Path, name: str) -> list[Path]:
    """Write a chapter without exercises; returns what was made.

    A course gets its own nbgrader_config.py with its first chapter. Raises CourseError for a name
    that does not sort, and where a chapter of this name is there.
    """
    if not SLUG.fullmatch(name):
        raise CourseError(
            f"{name!r} is no name of a chapter. Give two digits, which put the chapters in order, "
            "and a word in small letters: 01_statistics."
        )
    folder = root / "solutions" / name
    if folder.exists():
        raise CourseError(f"{folder} is there already. Choose another name.")
    folder.mkdir(parents=True)
    text = folder / f"{name}.md"
    shutil.copy(TEMPLATES / "new_chapter.md", text)
    config = root / CONFIG
    if config.exists():
        return [text]
    shutil.copy(REPOSITORY / CONFIG, config)
    return [text, config]


def new_exercise(root: Path, chapter: str, name: str) -> list[Path]:
    """Write the file of an exercise and add its cells to the end of the chapter's notebook.

    Returns both. Raises CourseError for what cannot be a function's name, where there is an
    exercise of this name or no such chapter, and where what is added would not become two cells.
    """
    if not NAME.fullmatch(name) or keyword.iskeyword(name) or name in dir(builtins):
        raise CourseError(
            f"{name!r} cannot be the name of an exercise. Give one that a function or a class may "
            "have, of letters, digits and _, that is no word of Python's."
        )
    folder = root / "solutions" / chapter
    text, code = folder / f"{chapter}.md", folder / f"{name}.py"
    if not text.is_file():
        known = ", ".join(chapter_names(root) if folder.parent.is_dir() else []) or "none"
        raise CourseError(f"There is no chapter {chapter!r} in {folder.parent}; chapters: {known}.")
    if code.exists():
        raise CourseError(f"{code} is there already. Choose another name.")
    longer = _with_cells(text, _filled("new_exercise.md", name))
    code.write_text(_filled("new_exercise.py.txt", name), "utf-8")
    text.write_text(longer, "utf-8")
    return [text, code]


def _filled(template: str, name: str) -> str:
    return Template((TEMPLATES / template).read_text("utf-8")).substitute(name=name)


def _with_cells(path: Path, added: str) -> str:
    """The text with two cells more. Raises CourseError if it would be read as anything else."""
    before = read_text(path).rstrip("\n") + "\n"
    old, new = (parsed(path, text).cells for text in (before, before + added))
    if [_content(cell) for cell in new[:-2]] != [_content(cell) for cell in old]:
        raise CourseError(
            f"{path} ends in an unfinished cell: what is added would become a part of it. "
            "Close its fence with ```."
        )
    return before + added


def _content(cell: dict[str, object]) -> tuple[object, ...]:
    return cell["cell_type"], cell["metadata"], cell["source"]
