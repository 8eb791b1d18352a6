"""The groups in a file: our own columns, or what Canvas or Moodle exports of groups.

Canvas (People > the group set > Export) writes name, canvas_user_id, user_id, login_id, sections,
group_name, canvas_group_id and group_id, with a line for each student, and no group for some.
https://developerdocs.instructure.com/services/canvas/group-categories/file.group_category_csv

Moodle (Participants > Groups > Overview) writes Grouping, Group, First name, Last name, and what
else identifies students there. A group has its members again in each grouping.
https://github.com/moodle/moodle/blob/main/public/group/overview.php
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.group_list import refuse_second
from autograder.course.roster import alike, as_written
from autograder.course.roster_file import COLUMNS, FULL_NAME, IDS
from autograder.course.table_file import Headed, Row, read_headed
from autograder.platforms.whose_name import Names, full_name
from autograder.showing.wording import printable

SEVERAL = ("groups", "gruppen", "groupes", "grupos")  # with commas between them
# What a column may be called, in small letters without signs; the first that is there is taken.
GROUP = ("groupname", "group", "team", "gruppe", "groupe", "grupo", *SEVERAL)
STUDENT = ("student", "studentid", *IDS)
NO_GROUP = {"no group", "keine gruppe", "aucun groupe", "sin grupo", "nessun gruppo"}  # in Moodle


@dataclass
class GroupsFile:
    """group: of each student, by ids. left_out: on each line of somebody who is not known."""

    group: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def read_groups(course: Course, path: Path) -> GroupsFile:
    """Find the students of each line in the roster, by ids, numbers, addresses or names.

    Raises CourseError for a file without groups, and for a student in two.
    """
    table = read_headed(path, GROUP)
    column = _column(table)
    with course.gradebook() as book:
        students = _Students(list(book.students))
    if not students.known:
        raise CourseError(
            "The gradebook has no students. Import the roster first: attn roster FILE"
        )
    found = GroupsFile()
    for number, row in table.rows:
        for group in _groups(row[column], several=column in SEVERAL):
            if group.casefold() not in NO_GROUP and any(students.said(row)):
                _add(found, students, number, row, group)
    if not found.group:
        raise CourseError(f"{path} has no student of the roster in a group. Nothing was imported.")
    return found


def _groups(cell: str, several: bool) -> list[str]:
    names = re.split("[,;]", cell) if several else [cell]
    return [name for one in names if (name := " ".join(one.split()))]


def _column(table: Headed) -> str:
    names = {name for _, row in table.rows for name in row}
    column = next((name for name in GROUP if name in names), "")
    if not column:
        has = ", ".join(filter(None, table.headings)) or "nothing"
        raise CourseError(
            f"{table.path} has no column for groups, or no lines; its first line has: {has}. Call "
            "the column `group`. Nothing was imported."
        )
    return column


def _add(found: GroupsFile, students: "_Students", number: int, row: Row, group: str) -> None:
    fitting = students.fitting(row)
    if len(fitting) != 1:
        said = " ".join(dict.fromkeys(students.said(row)))
        whom = " and ".join(f"{full_name(one)} ({one.id})" for one in fitting)
        why = f"fits {whom}" if fitting else "fits nobody in the roster"
        found.left_out.append(f"line {number} ({said}, group {group}) {why}")
        return
    (student,) = fitting
    named = printable(f"{full_name(student)} ({student.id})")
    refuse_second(named, found.group.setdefault(student.id, group), group)


class _Students:
    """Whom a line means."""

    def __init__(self, known: list[Any]):
        self.known = known
        self._names = Names(known)
        self._ids = {alike(one.id): one for one in known}
        self._numbers = {one.lms_user_id: one for one in known if one.lms_user_id}
        self._addresses = {one.email.casefold(): one for one in known if one.email}

    def fitting(self, row: Row) -> list[Any]:
        """Return the students whom a line may mean: by what identifies them, else by name."""
        return self._identified(row) or self._names.fitting(self._name(row))

    def said(self, row: Row) -> Iterator[str]:
        """Yield what a line says of a student."""
        yield from filter(None, [self._name(row), *(row.get(name, "") for name in STUDENT)])

    def _identified(self, row: Row) -> list[Any]:
        """Canvas's `id` and `user_id` may be other numbers than those of the roster."""
        ids = [alike(as_written(row.get(name, ""))) for name in STUDENT]
        found = [self._ids[id_] for id_ in ids if id_ in self._ids]
        found += [self._addresses[id_] for id_ in ids if id_ in self._addresses]
        numbers = [as_written(row.get(name, "")) for name in COLUMNS["lms_user_id"]]
        found += [self._numbers[number] for number in numbers if number in self._numbers]
        return list({one.id: one for one in found}.values())

    def _name(self, row: Row) -> str:
        parts = [row.get(name, "") for column in ("first_name", "last_name")
                 for name in COLUMNS[column]]  # fmt: skip
        whole = [row[name] for name in FULL_NAME if name in row]
        return " ".join(filter(None, parts)) or (whole[0] if whole else "")
