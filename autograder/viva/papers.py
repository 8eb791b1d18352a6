"""Sheets to print for students, and the key to them for their teacher, as HTML."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from autograder.classes.page import page
from autograder.viva.exams import Called, Exam
from autograder.viva.plain_values import built, given
from autograder.viva.questions import Question
from autograder.viva.small_changes import Change, Code

LETTERS = "abcd"
ELSEWHERE = "It also calls {name}, which is on this sheet too."
MINUTES = 2.5  # for a question


@dataclass(frozen=True)
class Paper:
    """One student's exam as it is printed. numbered: in the order of the exercises on it.

    called: by exercise, what it calls of the student's other code.
    """

    student: str
    code: dict[str, Code]
    called: dict[str, Called]
    numbered: list[tuple[int, Question]]
    left: list[str]

    @classmethod
    def of(cls, exam: Exam) -> "Paper":
        ordered = [one for name in exam.code for one in exam.questions if one.exercise == name]
        return cls(exam.student, exam.code, exam.called, [*enumerate(ordered, 1)], exam.left)

    def beside(self, exercise: str) -> list[Code | str]:
        """Return what is to be shown below an exercise's code: what it calls, each thing once."""
        before = [*self.code][: [*self.code].index(exercise)]
        known = {name for earlier in before for name in self.called[earlier]}
        return [
            ELSEWHERE.format(name=name) if name in self.code or name in known else code
            for name, code in self.called[exercise].items()
        ]

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
        built=built,
        place=place,
        letters=LETTERS,
    )
