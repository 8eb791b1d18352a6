"""Marks that a person gave to some members of a group and not to the others."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from nbgrader.api import Assignment, BaseCell, Grade, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import select

from autograder.common.cell import CHECK
from autograder.course.course import Course
from autograder.course.groups import sharing
from autograder.course.roster import Roster
from autograder.showing.wording import printable

Marks = dict[str, dict[str, float | None]]  # of each student, by the name of the answer


def differing(course: Course, chapter: str, known: Roster) -> list[str]:
    """Return a sentence on each answer for which the members of a group have different marks."""
    groups = sharing(course, chapter)
    if not groups or not course.has_gradebook:
        return []
    marks = _by_hand(course, chapter, {one for members in groups.values() for one in members})
    return [
        printable(f"Group {group}, {answer}: the marks given by hand differ: {told}.")
        for group, members in groups.items()
        for answer, told in _differing(members, marks, known)
    ]


def _differing(members: list[str], marks: Marks, known: Roster) -> Iterator[tuple[str, str]]:
    graded = [one for one in members if one in marks]
    for answer in sorted({name for one in graded for name in marks[one]}):
        given = {one: marks[one].get(answer) for one in graded}
        if len({*given.values()}) > 1:
            yield (
                answer,
                ", ".join(
                    f"{known.named(one)} {'none' if mark is None else f'{mark:g}'}"
                    for one, mark in given.items()
                ),
            )


def _by_hand(course: Course, chapter: str, students: set[str]) -> Marks:
    found: Marks = defaultdict(dict)
    with course.gradebook() as book:
        for student, name, mark in book.db.execute(_query(chapter, students)):
            found[student][name.removeprefix(CHECK)] = mark
    return found


def _query(chapter: str, students: set[str]) -> Any:
    of = SubmittedAssignment
    query = select(of.student_id, BaseCell.name, Grade.manual_score).select_from(Grade)
    query = query.join(BaseCell, Grade.cell_id == BaseCell.id)
    query = query.join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
    query = query.join(of, SubmittedNotebook.assignment_id == of.id)
    query = query.join(Assignment, of.assignment_id == Assignment.id)
    return query.where(Assignment.name == chapter, of.student_id.in_(sorted(students)))
