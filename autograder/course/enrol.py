"""A roster file goes into the gradebook, all of it or nothing, by `attn roster` or by nbgrader."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nbgrader.api import Gradebook, Student
from nbgrader.apps.dbapp import DbStudentImportApp

from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.roster import alike, is_enrolled
from autograder.course.roster_file import Line, RosterFile, read
from autograder.course.table_file import refuse


@dataclass(frozen=True)
class Enrolled:
    """An import's result, by ids. changed: with the columns. left: who is not in the file."""

    added: list[str]
    changed: dict[str, list[str]]
    same: list[str]
    left: list[str]


def enrol(course: Course, file: RosterFile) -> Enrolled:
    """Add and change students. Nobody is removed, and what the file has no column for stays.

    Raises CourseError where an id seems to be one of the gradebook or `submitted/`, misspelt.
    """
    with course.gradebook() as book:
        known = {student.id: student for student in book.students}
        refuse(file.path, _strange(file.students, known, course.submitting()))
        done = Enrolled([], {}, [], sorted(known.keys() - {line.id for line in file.students}))
        for line in file.students:
            _enrol(book, line, known.get(line.id), done)
        book.db.commit()
    return done


def _enrol(book: Gradebook, line: Line, student: Any, done: Enrolled) -> None:
    values = {column: value or None for column, value in line.values.items()}
    if student is None:
        book.db.add(Student(id=line.id, **values))
        done.added.append(line.id)
        return
    new = {
        column: value
        for column, value in values.items()
        if (getattr(student, column) or None) != value
    }
    for column, value in new.items():
        setattr(student, column, value)
    if new:
        done.changed[line.id] = list(new)
    else:
        done.same.append(line.id)


def _strange(lines: list[Line], known: dict[str, Any], submitted: Iterable[str]) -> list[str]:
    """Return a sentence for each id that is new, and seems to be of somebody who is known."""
    submitted = {*submitted}
    alikes = {alike(id_): id_ for id_, student in known.items() if is_enrolled(student)}
    addresses = {student.email.casefold(): id_ for id_, student in known.items() if student.email}
    whole = {
        id_.lstrip("0"): id_
        for id_ in known.keys() | submitted
        if id_.isdecimal() and id_.startswith("0")
    }
    faults = []
    for line in lines:
        address = line.values.get("email", "").casefold()
        if line.id in known.keys() | submitted:
            continue
        if other := whole.get(line.id):
            where = "the gradebook" if other in known else "submitted/"
            faults.append(
                f"line {line.number} has {line.id}, and {where} has {other}: Excel has "
                "left out zeros (make the column one of text)"
            )
        elif other := alikes.get(alike(line.id)) or addresses.get(address):
            faults.append(
                f"line {line.number} has the id {line.id!r} for somebody whom the "
                f"gradebook has as {other!r} (write it as there)"
            )
    return faults


stock = DbStudentImportApp.start


def read_any_roster() -> None:
    """From now on, in a process that is nbgrader's own."""
    DbStudentImportApp.start = _start


def _start(self: DbStudentImportApp) -> None:
    """Have nbgrader import what was understood of the file, or end with what is wrong in it."""
    if len(self.extra_args) != 1 or not Path(self.extra_args[0]).is_file():
        stock(self)  # says so
        return
    try:
        file = read(Path(self.extra_args[0]))
    except CourseError as error:
        self.fail("%s", error)
    with TemporaryDirectory() as folder:
        self.extra_args = [_write(file, Path(folder, file.path.name))]
        stock(self)


def _write(file: RosterFile, path: Path) -> str:
    """Write the file as nbgrader reads it, and return its path."""
    with path.open("w", newline="") as plain:
        table = csv.writer(plain)
        table.writerow(["id", *file.students[0].values])
        table.writerows([line.id, *line.values.values()] for line in file.students)
    return str(path)
