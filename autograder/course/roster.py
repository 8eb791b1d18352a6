"""Who is in the class: the students of nbgrader's gradebook, their names, and who is not there.

Grading adds whoever hands in to the gradebook, by nothing but an id (as `nbgrader autograde` does).
`nbgrader db student import` brings a name or an address too, and that is what makes a roster.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from nbgrader.api import Student
from sqlalchemy import make_url, select

from autograder.course.course import Course

CLOSE = 3  # ids that are offered for one that is not known


@dataclass(frozen=True)
class Roster:
    """The class as its gradebook has it.

    names: first and last name of everybody in the gradebook by id, "" where it has none.
    enrolled: the ids that came with more than an id, so not from grading. Empty without a roster.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    enrolled: frozenset[str] = frozenset()

    def named(self, student: str) -> str:
        """Such as "Ada Lovelace (ada)"; the id alone where no name is known."""
        name = self.names.get(student, "")
        return f"{name} ({student})" if name else student

    def strangers(self, students: Iterable[str]) -> list[str]:
        """Those of the students who are not enrolled, sorted; nobody is one without a roster."""
        return sorted({*students} - self.enrolled) if self.enrolled else []

    def absent(self, students: Iterable[str]) -> list[str]:
        """Who is enrolled and not among the students, sorted."""
        return sorted(self.enrolled - {*students})

    def close(self, student: str, students: Iterable[str] = ()) -> list[str]:
        """Ids, of the gradebook and of `students`, that look or are called like a mistyped one."""
        called = {id_.casefold(): id_ for id_ in sorted({*self.names, *students})}
        called |= {self.names[id_].casefold(): id_ for id_ in sorted(self.names) if self.names[id_]}
        found = get_close_matches(student.casefold(), called, n=CLOSE)
        return list(dict.fromkeys(called[name] for name in found))


def roster(course: Course) -> Roster:
    """The roster of a course. Where there is no gradebook yet, none is made."""
    url = make_url(course.directory.db_url)
    if url.drivername == "sqlite" and not Path(url.database or "").is_file():
        return Roster()
    columns = (Student.id, Student.first_name, Student.last_name, Student.email,
               Student.lms_user_id)  # fmt: skip
    with course.gradebook() as book:
        rows = [tuple(row) for row in book.db.execute(select(*columns))]
    names = {id_: " ".join(f"{first or ''} {last or ''}".split()) for id_, first, last, *_ in rows}
    return Roster(names, frozenset(id_ for id_, *rest in rows if any(rest)))
