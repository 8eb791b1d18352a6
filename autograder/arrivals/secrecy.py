"""Until when the secret cases of a chapter stay quiet: else they could be tried one by one."""

from collections.abc import Collection, Iterable
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

    def is_over(self, student: str, members: Collection[str] = ()) -> bool:
        """Tell whether the student's own due date has passed; never without a due date.

        members: of the student's group, whose dates must have passed, too: a page of one of them
        tells all of them of the secret cases.
        """
        if self.final or self.due is None:
            return self.final
        longest = max(self._extensions.get(one, timedelta()) for one in (student, *members))
        return datetime.now(UTC).replace(tzinfo=None) > self.due + longest


class Phases:
    """Who may have a page that tells of a chapter's secret cases. groups: who shares their work."""

    def __init__(self, secrecy: Secrecy, groups: Iterable[list[str]]):
        self._secrecy = secrecy
        self._members = {student: members for members in groups for student in members}

    def is_over(self, student: str) -> bool:
        """Tell whether the due date of the student and of all who share the work has passed."""
        return self._secrecy.is_over(student, self._members.get(student, ()))
