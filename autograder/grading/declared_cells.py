"""A chapter's cells in the gradebook, as `nbgrader generate_assignment` writes them."""

from collections.abc import Iterable

from nbformat import NotebookNode
from nbgrader.api import Assignment, Gradebook, MissingEntry, Notebook, SubmittedNotebook
from nbgrader.preprocessors import SaveCells
from nbgrader.utils import is_grade, is_locked, is_solution
from sqlalchemy import exists, select

from autograder.course.course import Course


def declare(course: Course, chapter: str, book: Gradebook) -> tuple[Assignment, Notebook]:
    """Make the chapter known to the gradebook, and return what it has of it.

    Raises CourseError where the chapter was never released.
    """
    assignment = book.update_or_create_assignment(chapter)
    released = course.released(chapter)
    if not _has(book, chapter, released.cells):
        book.db.commit()  # SaveCells writes through a connection of its own
        names = {"notebook": chapter, "assignment": chapter, "student": ""}
        resources = {"nbgrader": {**names, "db_url": course.directory.db_url}}
        SaveCells().preprocess(released, resources)
    return assignment, book.find_notebook(chapter, chapter)


def _has(book: Gradebook, chapter: str, cells: Iterable[NotebookNode]) -> bool:
    """Tell whether the gradebook has the cells of the released notebook with their points.

    SaveCells writes one after the other, so a run that was killed may have left some out: first
    those to grade, then those to answer, then their text, which counts until there are marks.
    """
    try:
        notebook = book.find_notebook(chapter, chapter)
    except MissingEntry:
        return False
    points = {_id(cell): cell.metadata.nbgrader.points for cell in filter(is_grade, cells)}
    if {cell.name: cell.max_score for cell in notebook.grade_cells} != points:
        return False
    answers = {_id(cell) for cell in filter(is_solution, cells)}
    texts = {_id(cell) for cell in filter(is_locked, cells)} | answers
    marked = select(exists().where(SubmittedNotebook.notebook_id == notebook.id))
    return answers <= {cell.name for cell in notebook.solution_cells} and (
        book.db.scalar(marked) or texts <= {cell.name for cell in notebook.source_cells}
    )


def _id(cell: NotebookNode) -> str:
    return str(cell.metadata.nbgrader.grade_id)
