"""The worked solution of a chapter, for who studies alone and has the whole repository."""

from pathlib import Path

import nbformat
from nbformat import NotebookNode, v4

from autograder.chapters import source_notebook as source
from autograder.chapters.solutions import load
from autograder.common.cell import CHECK, grade_id, is_solution
from autograder.common.errors import CourseError
from autograder.common.files import CHECKS
from autograder.notebooks.chapter import MARKERS

UNLOCKED = "unlocked"  # a folder of the course
NONE_HERE = (
    "The solutions are not here. They come with a clone of the whole repository; a course that is "
    "graded does not give them out. In a clone, run this in its folder, or name it with --root."
)
BANNER = (
    "**SOLUTION** of the chapter `{0}`, made by `attn unlock {0}`. Cells that were yours to write "
    "are marked SOLUTION. Your own notebook and your progress stay as they are."
)


def place(root: Path, name: str) -> Path:
    """Return the place of the worked solution: a folder of its own, that nbgrader does not use.

    Raises CourseError where it cannot be made, or would replace one that is there.
    """
    from autograder.course.course import Course  # needs nbgrader, which a clone has

    load(root, name)  # which says which chapters there are
    Course(root).release(name)  # which says how to make it
    path = root / UNLOCKED / name / f"{name}_solution.ipynb"
    if path.exists():
        raise CourseError(f"{path} is there already; delete it to have it made again.")
    return path


def write(root: Path, name: str, path: Path) -> None:
    """Write the chapter's notebook with its solutions put in, and the public checks beside it."""
    from autograder.course.course import Course

    notebook = source.build(load(root, name))
    for cell in notebook.cells:
        cell.source = _worked(cell)
    banner = v4.new_markdown_cell(BANNER.format(name), id="solution")
    notebook.cells.insert(0, banner)
    path.parent.mkdir(parents=True, exist_ok=True)
    checks = path.parent / CHECKS
    checks.write_bytes((Course(root).release(name) / CHECKS).read_bytes())
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def _worked(cell: NotebookNode) -> str:
    """Mark solutions, and let their checks leave the learner's progress alone."""
    name = grade_id(cell)
    if is_solution(cell):
        text = MARKERS.sub("", cell.source)
        return f"# SOLUTION\n{text}" if cell.cell_type == "code" else f"**SOLUTION**\n\n{text}"
    if name.startswith(CHECK):
        return f"check({name.removeprefix(CHECK)}, keep=False)"
    return str(cell.source)
