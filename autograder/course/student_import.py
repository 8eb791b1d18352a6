"""`nbgrader db student import` reads the files that `attn roster` reads, and imports as ever."""

import csv
from pathlib import Path
from tempfile import TemporaryDirectory

from nbgrader.apps.dbapp import DbStudentImportApp

from autograder.common.errors import CourseError
from autograder.course.roster_file import RosterFile, read

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
