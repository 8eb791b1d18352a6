"""Whose a file in a platform's zip is: `nbgrader zip_collect --collector autograder.lms_collect.…`.

Both look the student up in the roster, by what the platform puts into the name of a file or folder.
What could be two people's is nobody's.
"""

import re
import unicodedata
from abc import abstractmethod
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.plugins import FileNameCollectorPlugin

from autograder.course.course import Course
from autograder.lms.downloads import Downloads
from autograder.showing.wording import printable

QUOTES = re.compile(r"[\u02bc\u2018\u2019\u00b4]")
MOODLE_LEAVES_OUT = re.compile(r"""[\x00-\x1f\x7f-\x9f&<>"`|':\\/]""")
NUMBERS = re.compile(r"_(?=(\d+)_(\d+)_(.+))", re.DOTALL)
ANONYMOUS = re.compile(r"(?:LATE_)?anon_([^_]+)_(\d+)_(.+)", re.DOTALL)


class NoOwner(ValueError):
    """Nobody can be named to whom a file belongs; the message says why, and what to do."""


@dataclass(frozen=True)
class Entry:
    """One way to read the name of a file or folder in a download.

    place: where it lies in the folder of what was unpacked. name: all of it, as downloaded.
    called: the part that is the student's name. person: the number or word by which the platform
    knows the student; no other student has it. attachment: the platform's number of the file,
    which is higher for what was uploaded later; 0 where it has none. file: the rest, the file's own
    name; "" of a folder.
    """

    place: tuple[str, ...]
    name: str
    called: str
    person: str
    attachment: int
    file: str


class Platform(FileNameCollectorPlugin):  # type: ignore[misc]  # nbgrader is untyped
    """What Canvas and Moodle have in common."""

    def collect(self, submitted_file: str) -> dict[str, str] | None:
        """The student and the notebook; None for what is no notebook, or nobody's."""
        path = Path(submitted_file)
        try:
            owned = self.owned(path) if path.suffix in self.valid_ext else None
        except NoOwner:
            return None
        return {"student_id": owned[0], "file_id": self._file(owned[1], path)} if owned else None

    def owned(self, path: Path) -> tuple[str, Entry] | None:
        """A file's student and how its name was read; None where the platform did not name it.

        The outermost such name is the platform's; a student chooses those in a zip within the zip.
        Raises NoOwner.
        """
        readings = self.named(path)
        return self._owner(readings) if readings else None

    def named(self, path: Path) -> list[Entry]:
        """How to read the platform's name of a file, or of a folder that it is in; or nothing."""
        extracted = self.parent._format_collect_path(self.parent.extracted_directory)
        parts = path.relative_to(extracted).parts
        found = (self.readings(name, parts[:depth]) for depth, name in enumerate(parts))
        return next(filter(None, found), [])

    @staticmethod
    @abstractmethod
    def readings(name: str, place: tuple[str, ...] = ()) -> list[Entry]:
        """Each way to read a name that the platform may have given; the likeliest first."""

    @abstractmethod
    def _owner(self, readings: list[Entry]) -> tuple[str, Entry]: ...

    def _file(self, entry: Entry, path: Path) -> str:
        return entry.file if entry.file and entry.name == path.name else path.name

    @cached_property
    def _students(self) -> list[Any]:
        directory = self.parent.coursedir
        with Gradebook(directory.db_url, directory.course_id) as book:
            return list(book.students)

    def _in_words(self, students: list[Any]) -> str:
        return ", ".join(f"{full_name(one)} ({one.id})" for one in students)


class Canvas(Platform):
    """`lovelaceada_LATE_1042_88231_04_masks-1.ipynb`: 1042 is `lms_user_id` in the roster.

    Canvas makes the name of the student's sortable name without what is no letter, digit or
    underscore, then LATE, the student's number and that of the file. While an assignment is graded
    anonymously it is `anon_x1Y2z_88231_04_masks.ipynb`, with a word for the student. A student's
    second file of one name has -1 behind it.
    https://github.com/instructure/canvas-lms/blob/master/lib/content_zipper.rb
    """

    @staticmethod
    def readings(name: str, place: tuple[str, ...] = ()) -> list[Entry]:
        """Numbers may be in the student's name and in the file's, too."""
        if hidden := ANONYMOUS.fullmatch(name):
            return [Entry(place, name, "", hidden[1], int(hidden[2]), hidden[3])]
        return [
            Entry(place, name, name[: found.start()].removesuffix("_LATE"), found[1],
                  int(found[2]), found[3])
            for found in NUMBERS.finditer(name)
        ]  # fmt: skip

    def _owner(self, readings: list[Entry]) -> tuple[str, Entry]:
        known = [(student, entry) for entry in readings for student in self._students
                 if student.lms_user_id == entry.person]  # fmt: skip
        if len({student.id for student, _ in known}) > 1:
            by_name = [pair for pair in known if _sortable(pair[0]) == _letters(pair[1].called)]
            if len({student.id for student, _ in by_name}) != 1:
                both = self._in_words([student for student, _ in known])
                raise NoOwner(f"fits {len(known)} students of the roster by lms_user_id: {both}")
            known = by_name
        if known:
            return known[0][0].id, known[0][1]
        first = readings[0]
        if not first.called:
            raise NoOwner(
                "is anonymous. Download it again once the grades are posted, or give "
                f"{first.person} as lms_user_id to a student of the roster"
            )
        raise NoOwner(f"fits nobody in the roster: no student has the lms_user_id {first.person}")

    def _file(self, entry: Entry, path: Path) -> str:
        """Only the chapter's own name is taken to be one that Canvas has numbered."""
        name, chapter = super()._file(entry, path), self.parent.coursedir.assignment_id
        numbered = re.fullmatch(rf"{re.escape(chapter)}-\d+", Path(name).stem)
        return f"{chapter}{Path(name).suffix}" if numbered else name


class Moodle(Platform):
    """`Ada Lovelace_3417_assignsubmission_file/04_masks.ipynb`: the name as in the roster.

    Moodle makes a space of each underscore of a name (`mod/assign/classes/downloader.php`), then
    `clean_filename` leaves out what `clean_param` does for PARAM_FILE (`lib/classes/param.php`):
    O'Brien arrives as OBrien. The number is another in each assignment, so it cannot tell who it is
    before that is known; then it can. Older Moodles put an underscore behind the folder's name.
    https://github.com/moodle/moodle/blob/main/public/mod/assign/classes/downloader.php
    """

    entry = re.compile(
        r"(?P<called>[^_]+)_(?P<person>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)",
        re.DOTALL,
    )

    @staticmethod
    def readings(name: str, place: tuple[str, ...] = ()) -> list[Entry]:
        """One, since a name has no underscore in it."""
        found = Moodle.entry.fullmatch(name)
        return [Entry(place, name, **found.groupdict(), attachment=0)] if found else []

    def _owner(self, readings: list[Entry]) -> tuple[str, Entry]:
        (entry,) = readings
        before = self._downloads.owner("Moodle", entry.person)
        if any(student.id == before for student in self._students):
            return str(before), entry
        fitting = self._by_name.get(as_in_moodle(entry.called), [])
        if len(fitting) == 1:
            return fitting[0].id, entry
        if fitting:
            raise NoOwner(f"fits {len(fitting)} students of the roster: {self._in_words(fitting)}")
        raise NoOwner("fits nobody in the roster, by first_name and last_name")

    @cached_property
    def _by_name(self) -> dict[str, list[Any]]:
        by_name = defaultdict(list)
        for student in self._students:
            by_name[as_in_moodle(full_name(student))].append(student)
        return by_name

    @cached_property
    def _downloads(self) -> Downloads:
        directory = self.parent.coursedir
        return Downloads(Course(Path(directory.root)), directory.assignment_id)


def full_name(student: Any) -> str:
    """First and last name of a student of the gradebook, one space between."""
    return printable(" ".join(f"{student.first_name or ''} {student.last_name or ''}".split()))


def as_in_moodle(name: str) -> str:
    """What is left of a name to compare when Moodle has cleaned it and a system has unpacked it."""
    kept = MOODLE_LEAVES_OUT.sub("", QUOTES.sub("", name.replace("_", " ")))
    return " ".join(unicodedata.normalize("NFC", kept).casefold().split())


def _sortable(student: Any) -> str:
    return _letters(f"{student.last_name or ''}{student.first_name or ''}")


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFC", name)).casefold()
