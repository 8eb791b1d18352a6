"""The skeleton of a course, a chapter or an exercise, for an author to go on from.

Nothing that is there is overwritten.
"""

import builtins
import keyword
import re
from pathlib import Path
from string import Template

from nbformat import NotebookNode

from autograder.chapters.course_root import CONFIG, SOLUTIONS
from autograder.chapters.solutions import parsed, read_text, refuse_unknown
from autograder.common.cell import EXERCISE
from autograder.common.errors import CourseError
from autograder.common.files import TEMPLATES

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?<!_misconceptions)")
SLUG = re.compile(r"\d\d_[a-z0-9_]+")
NUMBERED = re.compile(r"^## (\d+)\.", re.MULTILINE)
COURSE = {
    CONFIG: "new_nbgrader_config.py.txt",
    ".gitignore": "new_course_gitignore.txt",
    "README.md": "new_course_readme.md",
    f"{SOLUTIONS}/01_means/01_means.md": "new_course.md",
    f"{SOLUTIONS}/01_means/weighted_mean.py": "new_course.py.txt",
}


def new_course(root: Path) -> list[Path]:
    """Write a course with one chapter that can be released and graded as it is.

    Returns what was written. A README.md that is there stays, and a .gitignore gets more lines.
    Raises CourseError where the folder has a course.
    """
    for name in (CONFIG, SOLUTIONS):
        if (root / name).exists():
            raise CourseError(f"{root / name} is there already. Choose another folder.")
    written = {root / name: _template(template) for name, template in COURSE.items()}
    if (root / "README.md").exists():
        del written[root / "README.md"]
    if (root / ".gitignore").exists():
        written[root / ".gitignore"] = read_text(root / ".gitignore") + written[root / ".gitignore"]
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return [*written]


def new_chapter(root: Path, name: str) -> Path:
    """Write a chapter without exercises; returns its text.

    Raises CourseError for a name that does not sort, and where a chapter of this name is there.
    """
    if not SLUG.fullmatch(name):
        raise CourseError(
            f"{name!r} is no name of a chapter. Give two digits, which put the chapters in order, "
            "and a word in small letters: 01_statistics."
        )
    folder = root / SOLUTIONS / name
    if folder.exists():
        raise CourseError(f"{folder} is there already. Choose another name.")
    folder.mkdir(parents=True)
    text = folder / f"{name}.md"
    text.write_text(_template("new_chapter.md"), "utf-8")
    return text


def new_exercise(root: Path, chapter: str, name: str) -> list[Path]:
    """Write the file of an exercise, and its cells below the chapter's last exercise.

    Returns both. Raises CourseError for what cannot be a function's name, where there is an
    exercise of this name or no such chapter, and where what is added would not become two cells.
    """
    if not NAME.fullmatch(name) or keyword.iskeyword(name) or name in dir(builtins):
        raise CourseError(
            f"{name!r} cannot be the name of an exercise. Give one that a function or a class may "
            "have, of letters, digits and _, that is no word of Python's."
        )
    refuse_unknown(root, chapter)
    folder = root / SOLUTIONS / chapter
    text, code = folder / f"{chapter}.md", folder / f"{name}.py"
    if code.exists():
        raise CourseError(f"{code} is there already. Choose another name.")
    longer = _with_cells(text, name)
    code.write_text(_template("new_exercise.py.txt", name=name), "utf-8")
    text.write_text(longer, "utf-8")
    return [text, code]


def _template(template: str, **values: object) -> str:
    text = (TEMPLATES / template).read_text("utf-8")
    return Template(text).substitute(values) if values else text


def _with_cells(path: Path, name: str) -> str:
    """The text with two cells more. Raises CourseError if it would be read as anything else."""
    before = read_text(path).rstrip("\n") + "\n"
    old = parsed(path, before)
    position = max((index for index, cell in enumerate(old.cells, 1)
                    if EXERCISE in cell.metadata), default=len(old.cells))  # fmt: skip
    above, below = _parted(before, old, position)
    numbers = [0, *map(int, NUMBERED.findall(above))]
    added = _template("new_exercise.md", name=name, number=numbers[-1] + 1)
    new = parsed(path, above + added + below).cells
    kept = [_content(cell) for cell in [*new[:position], *new[position + 2 :]]]
    if kept != [_content(cell) for cell in old.cells]:
        raise CourseError(
            f"{path} has an unfinished cell: what is added would become a part of it. "
            "Close its fence with ```."
        )
    return above + added + below


def _parted(text: str, notebook: NotebookNode, position: int) -> tuple[str, str]:
    """The text above and below the end of the cells before `position`, the last of them code."""
    if position == len(notebook.cells):
        return text, ""
    lines = text.splitlines(keepends=True)
    start = notebook.metadata.source_map[position - 1]
    end = next(index for index in range(start, len(lines)) if lines[index].strip() == "```") + 1
    return "".join(lines[:end]), "".join(lines[end:])


def _content(cell: NotebookNode) -> tuple[object, ...]:
    return cell["cell_type"], cell["metadata"], cell["source"]
