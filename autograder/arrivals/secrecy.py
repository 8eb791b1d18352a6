"""Until when the secret cases of a chapter stay quiet: else they could be tried one by one."""

from datetime import UTC, datetime, timedelta

from autograder.course.course import Course
from autograder.grading.due_dates import due_date, extensions


class Secrecy:
    """The due dates of a chapter, as the gradebook had them when this was made.

    final: the secret cases are tried whatever the date.
    """

    def __init__(self, course: Course, chapter: str, final: bool):
        self.final = final
        self.due = None if final else due_date(course, chapter)
        self._extensions = {} if final else extensions(course, chapter)

    def is_over(self, student: str) -> bool:
        """Tell whether the student's own due date has passed; never without a due date."""
        if self.final or self.due is None:
            return self.final
        due = self.due + self._extensions.get(student, timedelta())
        return datetime.now(UTC).replace(tzinfo=None) > due
