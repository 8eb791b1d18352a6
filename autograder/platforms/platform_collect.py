"""Whose a file in a platform's zip is, for the collectors of `nbgrader zip_collect`.

Canvas and Moodle look the student up in the roster, by what they put into the name of a file or
folder. What could be two people's is nobody's.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from nbgrader.plugins import FileNameCollectorPlugin

from autograder.course.course import Course
from autograder.course.group_list import groups_of
from autograder.course.opening import opened
from autograder.notebooks.listing import notebook_name
from autograder.platforms.whose_name import full_name, letters

MEND = (
    "To give a file to somebody, correct the roster; or unpack the download in its folder and name "
    "the file or folder as the roster has the student. Then run this again."
)


class NoOwner(ValueError):
    """Nobody can be named to whom a file belongs; the message says why, and `advice` what to do."""

    def __init__(self, why: str, advice: str = MEND):
        super().__init__(why)
        self.advice = advice


@dataclass(frozen=True)
class Entry:
    """One way to read the name of a file or folder in a download.

    place: where it lies in the folder of what was unpacked. name: all of it, as downloaded.
    called: the part that is the student's name. person: the number or word by which the platform
    knows the student; no other student has it; "" where it gives none. attachment: the platform's
    number of the file, which is higher for what was uploaded later; 0 where it has none. file: the
    rest, the file's own name; "" of a folder. instead: it was handed in instead of a file.
    """

    place: tuple[str, ...]
    name: str
    called: str
    person: str
    attachment: int
    file: str
    instead: bool = False


class Platform(FileNameCollectorPlugin):  # type: ignore[misc]  # nbgrader is untyped
    """The part that Canvas and Moodle have in common."""

    def collect(self, submitted_file: str) -> dict[str, str] | None:
        """Return the student and the notebook; None for what is no notebook, or nobody's."""
        path = Path(submitted_file)
        try:
            owned = self.owned(path) if path.suffix in self.valid_ext else None
        except NoOwner:
            return None
        return {"student_id": owned[0], "file_id": self._file(owned[1], path)} if owned else None

    def owned(self, path: Path) -> tuple[str, Entry] | None:
        """Return a file's student and how its name was read; None if the platform did not name it.

        The outermost such name is the platform's; a student chooses those in a zip within the zip.
        Raises NoOwner.
        """
        readings = self.named(path)
        return self._owner(readings) if readings else None

    def named(self, path: Path) -> list[Entry]:
        """Read the platform's name of a file, or of its folder, in each way that fits."""
        parts = self._parts(path)
        found = (self.readings(name, parts[:depth]) for depth, name in enumerate(parts))
        return next(filter(None, found), [])

    def unnamed(self, path: Path) -> NoOwner:
        """Return the error for a file that has no name as this platform gives it."""
        why = f"has no name as {type(self).__name__} gives it"
        for other in Platform.__subclasses__():
            if any(map(other.readings, self._parts(path))):
                name = other.__name__
                remedy = f"Run this again with --collector autograder.nbgrader_plugins.{name}."
                return NoOwner(f"{why}, but as {name} does", remedy)
        return NoOwner(why)

    def survey(self, paths: Iterable[Path]) -> None:
        """Before the first is asked for: all files of the downloads."""

    def group(self, entry: Entry, student: str) -> str:
        """Return the group for which a member's entry was handed in, "" where it is no group's."""
        found = self._groups_called(entry.called)
        return found[0] if len(found) == 1 and student in self._groups[found[0]] else ""

    def _members(self, called: str) -> list[str]:
        """Return the ids of the members of the one group of that name."""
        found = self._groups_called(called)
        return list(self._groups[found[0]]) if len(found) == 1 else []

    def _groups_called(self, called: str) -> list[str]:
        return [name for name in self._groups if called and letters(name) == letters(called)]

    @staticmethod
    @abstractmethod
    def readings(name: str, place: tuple[str, ...] = ()) -> list[Entry]:
        """Return each way to read a name that the platform may have given; the likeliest first."""

    @abstractmethod
    def _owner(self, readings: list[Entry]) -> tuple[str, Entry]: ...

    def _parts(self, path: Path) -> tuple[str, ...]:
        """Return the folders and the name of a file within what was unpacked."""
        extracted = self.parent._format_collect_path(self.parent.extracted_directory)
        return path.relative_to(extracted).parts

    def _file(self, entry: Entry, path: Path) -> str:
        return notebook_name(entry.file, self.valid_ext) or path.name

    @cached_property
    def _students(self) -> list[Any]:
        directory = self.parent.coursedir
        with opened(directory.db_url, directory.course_id) as book:
            return list(book.students)

    @cached_property
    def _groups(self) -> Mapping[str, list[str]]:
        directory = self.parent.coursedir
        return groups_of(Course(Path(directory.root)), directory.assignment_id).members

    def _in_words(self, students: Iterable[Any]) -> str:
        return ", ".join(f"{full_name(one)} ({one.id})" for one in students)
