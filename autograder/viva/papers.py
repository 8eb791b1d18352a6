"""Sheets to print for students, and the key to them for their teacher, as HTML."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from autograder.classes.page import page
from autograder.viva.changes import Change, Code
from autograder.viva.exams import Exam
from autograder.viva.plain_values import given
from autograder.viva.questions import Question

LETTERS = "abcd"
MINUTES = 2.5  # for a question


@dataclass(frozen=True)
class Paper:
    """One student's exam as it is printed. numbered: in the order of the exercises on it.

    called: what this code calls of the student's other code, as far as it is not there anyway.
    """

    student: str
    code: dict[str, Code]
    called: dict[str, Code | str]
    numbered: list[tuple[int, Question]]
    left: list[str]

    @classmethod
    def of(cls, exam: Exam) -> "Paper":
        ordered = [one for name in exam.code for one in exam.questions if one.exercise == name]
        called = {name: code for name, code in exam.called.items() if name not in exam.code}
        return cls(exam.student, exam.code, called, [*enumerate(ordered, 1)], exam.left)

    @property
    def minutes(self) -> int:
        return ceil(MINUTES * len(self.numbered))


def place(change: Change) -> str:
    """Say which lines of the code a change replaces."""
    if change.first == change.last:
        return f"Line {change.first} now reads"
    return f"Lines {change.first} to {change.last} now read"


def sheets(chapter: str, papers: list[Paper], named: Callable[[str], str], key: bool) -> str:
    """Return one HTML file in which each student begins a new page; with `key`, what is right."""
    return page(
        "viva.html",
        chapter=chapter,
        papers=papers,
        named=named,
        key=key,
        given=given,
        place=place,
        letters=LETTERS,
    )
