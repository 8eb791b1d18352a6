"""Who is in the class: the students of nbgrader's gradebook, their names, and who is not there.

Grading adds whoever hands in to the gradebook, by nothing but an id (as `nbgrader autograde` does).
`attn roster` and `nbgrader db student import` bring a name or an address too: that makes a roster.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from nbgrader.api import Student
from sqlalchemy import select

from autograder.common.errors import CourseError
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
        """Write "Ada Lovelace (ada)"; the id alone where no name is known."""
        name = self.names.get(student, "")
        return f"{name} ({student})" if name else student

    def strangers(self, students: Iterable[str]) -> list[str]:
        """Return the students who are not enrolled, sorted; nobody is one without a roster."""
        return sorted({*students} - self.enrolled) if self.enrolled else []

    def meant(self, strangers: Iterable[str]) -> list[tuple[str, str]]:
        """Pair each stranger with an enrolled id that theirs may be, written wrongly."""
        ids: dict[str, list[str]] = {}
        for id_ in sorted(self.enrolled):
            ids.setdefault(nearly(id_), []).append(id_)
        return [(one, id_) for one in strangers for id_ in ids.get(nearly(one), ())]

    def absent(self, students: Iterable[str]) -> list[str]:
        """Name who is enrolled and not among the students, sorted."""
        return sorted(self.enrolled - {*students})

    def close(self, student: str, students: Iterable[str] = ()) -> list[str]:
        """Ids, of the gradebook and of `students`, that look or are called like a mistyped id."""
        called: dict[str, list[str]] = {}
        for id_ in sorted({*self.names, *students}):
            name = self.names.get(id_, "").casefold()
            for word in {id_.casefold(), name, *name.split()} - {""}:
                called.setdefault(word, []).append(id_)
        found = get_close_matches(student.casefold(), called, n=CLOSE)
        return list(dict.fromkeys(id_ for word in found for id_ in called[word]))[:CLOSE]

    def unknown(self, student: str, students: Iterable[str] = ()) -> str:
        """Return a sentence on an id that nobody has; with those that may be meant."""
        close = ", ".join(map(self.named, self.close(student, students)))
        return f"There is no student {student!r}{f'; close to it: {close}' if close else ''}."


def roster(course: Course) -> Roster:
    """Return the roster of a course. Where there is no gradebook yet, none is made."""
    if not course.has_gradebook:
        return Roster()
    columns = (
        Student.id,
        Student.first_name,
        Student.last_name,
        Student.email,
        Student.lms_user_id,
    )
    with course.gradebook() as book:
        rows = list(book.db.execute(select(*columns)))
    names = {
        row.id: " ".join(f"{row.first_name or ''} {row.last_name or ''}".split()) for row in rows
    }
    return Roster(names, frozenset(row.id for row in rows if is_enrolled(row)))


def is_enrolled(student: Any) -> bool:
    """Tell whether a student of the gradebook has more than an id, so was not added by grading."""
    return any((student.first_name, student.last_name, student.email, student.lms_user_id))


def refuse_absent(course: Course, chapter: str, students: Iterable[str]) -> None:
    """Raise CourseError where one of the students is not known, or handed in nothing."""
    if wrong := absent(course, chapter, students):
        raise CourseError(" ".join([*wrong, "Nothing was graded."]))


def absent(course: Course, chapter: str, students: Iterable[str]) -> list[str]:
    """Return a sentence on each of the students who is not known, or handed in nothing."""
    handed_in, known = course.handed_in(chapter), roster(course)
    return [
        f"{known.named(student)} has handed in nothing of {chapter}."
        if student in known.names
        else known.unknown(student, handed_in)
        for student in students
        if student not in handed_in
    ]


def alike(id_: str) -> str:
    """Return the same for ids that cannot be two students'."""
    return _levelled(id_, ("characters", "decimals", "capitals"))


def nearly(id_: str) -> str:
    """Return the same for ids of which one may be the other, written wrongly."""
    return _levelled(id_, LEVELLERS)


def difference(one: str, other: str) -> str:
    """Say what differs in two ids that are nearly the same, such as "capitals and blanks"."""
    kinds = [
        kind
        for kind in LEVELLERS
        if len({_levelled(id_, LEVELLERS.keys() - {kind}) for id_ in (one, other)}) > 1
    ] or ["characters"]
    letters = ", ".join(_unlike(one, other))
    return " and ".join(
        f"{kind} for {letters}" if kind == "characters" and letters else kind for kind in kinds
    )


def as_written(number: str) -> str:
    """Before Excel made 1042.0 of 1042."""
    return re.sub(r"^(\d+)[.,]0+$", r"\1", number)


def _same_letters(id_: str) -> str:
    """Write one character for what looks the same (a Mac has two for an ë), none for nothing."""
    return "".join(
        sign for sign in unicodedata.normalize("NFKC", id_) if unicodedata.category(sign) != "Cf"
    )


def _unlike(one: str, other: str) -> list[str]:
    """Return the letters of an id that are written otherwise in the other one."""
    return sorted(
        {
            sign
            for sign in unicodedata.normalize("NFC", one)
            if sign.isalpha() and not sign.isascii() and not (sign in one and sign in other)
        }
    )


LEVELLERS: dict[str, Callable[[str], str]] = {
    "characters": _same_letters,
    "blanks": lambda id_: "".join(id_.split()),
    "decimals": as_written,
    "capitals": str.casefold,
    "zeros in front": lambda id_: id_.lstrip("0"),
}


def _levelled(id_: str, kinds: Collection[str]) -> str:
    """Write an id without these kinds of difference."""
    for kind, level in LEVELLERS.items():
        id_ = level(id_) if kind in kinds else id_
    return id_
