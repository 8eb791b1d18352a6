"""Marks into nbgrader's gradebook, exactly as `nbgrader autograde` would write them.

One trusted writer, one database session; nbgrader's own rules decide what an output is worth.
"""

from datetime import datetime
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment
from nbgrader.preprocessors import AssignLatePenalties, SaveCells
from nbgrader.utils import compute_checksum, determine_grade, is_grade, is_solution

from autograder.course import Course


class Marks:
    """An open gradebook for one chapter. Use as a context manager."""

    def __init__(self, course: Course, chapter: str):
        self.course, self.chapter = course, chapter
        self.url = course.directory.db_url

    def __enter__(self) -> "Marks":
        self._declare()
        self._gradebook = Gradebook(self.url, self.course.directory.course_id)
        return self

    def __exit__(self, *_: object) -> None:
        self._gradebook.close()

    def write(self, student: str, submitted: datetime | None, notebook: NotebookNode) -> None:
        """Save the marks that the outputs of `notebook` are worth; manual marks stay."""
        book = self._gradebook
        book.update_or_create_student(student)
        when = {"timestamp": submitted} if submitted else {}
        with book.db.no_autoflush:
            submission = book.update_or_create_submission(self.chapter, student, **when)
        grades = {grade.name: grade for grade in submission.notebooks[0].grades}
        comments = {comment.name: comment for comment in submission.notebooks[0].comments}
        for cell in notebook.cells:
            if is_grade(cell):
                _save_grade(grades[cell.metadata.nbgrader["grade_id"]], cell)
            if is_solution(cell):
                unchanged = cell.metadata.nbgrader.get("checksum") == compute_checksum(cell)
                comment = comments[cell.metadata.nbgrader["grade_id"]]
                comment.auto_comment = "No response." if unchanged else None
        book.db.commit()
        if submission.total_seconds_late > 0:
            self._penalise(submission, notebook)

    def forget(self) -> None:
        """Undo what a failed `write` began."""
        self._gradebook.db.rollback()

    def _declare(self) -> None:
        """Make the chapter known to the gradebook, as `nbgrader generate_assignment` does."""
        with Gradebook(self.url, self.course.directory.course_id) as book:
            book.update_or_create_assignment(self.chapter)
            try:
                book.find_notebook(self.chapter, self.chapter)
            except MissingEntry:
                released = self.course.released(self.chapter)
                SaveCells().preprocess(released, self._resources(""))

    def _penalise(self, submission: SubmittedAssignment, notebook: NotebookNode) -> None:
        late = AssignLatePenalties(config=self.course.config)
        late.preprocess(notebook, self._resources(submission.student.id))

    def _resources(self, student: str) -> dict[str, Any]:
        names = {"notebook": self.chapter, "assignment": self.chapter, "student": student}
        return {"nbgrader": {**names, "db_url": self.url}}


def _save_grade(grade: Any, cell: NotebookNode) -> None:
    grade.auto_score, _ = determine_grade(cell)
    grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
