"""Whose a file in a platform's zip is: `nbgrader zip_collect --collector autograder.lms_collect.…`.

Both look the student up in the roster, by what the platform puts into the name of a file or folder.
"""

import re
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from nbgrader.api import Gradebook
from nbgrader.plugins import FileNameCollectorPlugin

from autograder.showing.wording import printable


class Canvas(FileNameCollectorPlugin):  # type: ignore[misc]  # nbgrader is untyped
    """`lovelaceada_LATE_1042_88231_04_masks-1.ipynb`: 1042 is `lms_user_id` in the roster.

    Canvas puts a -1 behind the name when a student hands in again.
    """

    entry = re.compile(r"[^_]+_(?:LATE_)?(?P<who>\d+)_\d+_(?P<file>.+?)(?:-\d+)?(?P<suffix>\.\w+)?")
    column = "lms_user_id"

    def collect(self, submitted_file: str) -> dict[str, str] | None:
        """The student and the notebook; None for a file that is no notebook.

        Ends the command if the roster does not have exactly one such student: nobody's work is
        passed over.
        """
        path = Path(submitted_file)
        if path.suffix not in self.valid_ext:
            return None
        named = self.entry_of(path)
        if named is None:
            self._refuse(path, f"has no name as {type(self).__name__} gives it")
        owners = [student.id for student in self._roster if self._named(student, named["who"])]
        if len(owners) != 1:
            number = "no student" if not owners else f"{len(owners)} students"
            self._refuse(path, f"belongs to {number} of the roster ({self.column})")
        own = named["file"] + (named["suffix"] or "")
        return {"student_id": owners[0],
                "file_id": own if named.string == path.name else path.name}  # fmt: skip

    def entry_of(self, path: Path) -> re.Match[str] | None:
        """What the platform says of a file in the extracted folder; None if it names nobody there.

        The first such name is the platform's; a student chooses those in a zip within the zip.
        """
        extracted = self.parent._format_collect_path(self.parent.extracted_directory)
        parts = path.relative_to(extracted).parts
        return next(filter(None, map(self.entry.fullmatch, parts)), None)

    def _named(self, student: Any, who: str) -> bool:
        return bool(student.lms_user_id == who)

    @cached_property
    def _roster(self) -> list[Any]:
        directory = self.parent.coursedir
        with Gradebook(directory.db_url, directory.course_id) as book:
            return list(book.students)

    def _refuse(self, file: Path, why: str) -> NoReturn:
        name = printable("/".join(file.parts[-2:]))
        self.log.critical(f"Nothing was collected: {name} {why}. Mend the roster or take the file "
                          "out of the archive, then run this again with --force.")  # fmt: skip
        raise SystemExit(1)


class Moodle(Canvas):
    """`Ada Lovelace_3417_assignsubmission_file/04_masks.ipynb`: the name as in the roster.

    The number changes with each assignment, so it cannot tell who it is.
    """

    entry = re.compile(r"(?P<who>[^_]+)_\d+_assignsubmission_file_?(?P<file>.*?)(?P<suffix>\.\w+)?")
    column = "first_name and last_name"

    def _named(self, student: Any, who: str) -> bool:
        # Moodle puts a space where a name has an underscore
        name = f"{student.first_name or ''} {student.last_name or ''}".replace("_", " ")
        return " ".join(name.split()) == " ".join(who.split())
