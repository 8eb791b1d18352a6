"""Whose a folder in Moodle's zip is: by the student's name."""

import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from autograder.course.course import Course
from autograder.platforms.nameless import Nameless
from autograder.platforms.newest import Downloads
from autograder.platforms.platform_collect import Entry, NoOwner, Platform
from autograder.platforms.whose_name import Names


class Moodle(Platform):
    """`Ada Lovelace_3417_assignsubmission_file/04_masks.ipynb`: the name as in the roster.

    Moodle makes a space of each underscore of a name (`mod/assign/classes/downloader.php`), then
    `clean_filename` leaves out what `clean_param` does for PARAM_FILE (`lib/classes/param.php`):
    O'Brien arrives as OBrien. The number is another in each assignment, so it cannot tell who it is
    before that is known; then it can. Older Moodles put an underscore behind the folder's name.
    Where groups hand in it is `Lab group 1_77_assignsubmission_file`, and for those who are in none
    `Default group_assignsubmission_file`; while names are hidden, `Participant_3417_…`.
    https://github.com/moodle/moodle/blob/main/public/mod/assign/classes/downloader.php
    """

    entry = re.compile(
        r"(?P<called>.+?)(?:[_ ](?P<person>\d+))?_assignsubmission_[a-z0-9]+_?(?P<file>.*)",
        re.DOTALL,
    )

    @staticmethod
    def readings(name: str, place: tuple[str, ...] = ()) -> list[Entry]:
        """One: behind the student's name come at most a number and Moodle's own word."""
        if not (found := Moodle.entry.fullmatch(name)):
            return []
        return [Entry(place, name, found["called"], found["person"] or "", 0, found["file"])]

    def survey(self, paths: Iterable[Path]) -> None:
        """All names of the downloads say in what order they are, and which are no student's."""
        entries = {entry for path in paths for entry in self.named(path)}
        called = [entry.called for entry in entries]
        self._names = Names(self._students, called)
        self._nameless = Nameless(entries, self._names, self.parent.coursedir.assignment_id)

    def _owner(self, readings: list[Entry]) -> tuple[str, Entry]:
        (entry,) = readings
        before = self._downloads.owner("Moodle", entry.person)
        if any(student.id == before for student in self._students):
            return str(before), entry
        called = entry.called
        fitting = self._names.fitting(called) or self._nameless.members(called)
        if len(fitting) == 1:
            return fitting[0].id, entry
        if fitting:
            raise NoOwner(f"fits {len(fitting)} students of the roster: {self._in_words(fitting)}")
        raise self._nameless.nobody(entry)

    @cached_property
    def _names(self) -> Names:
        return Names(self._students)

    @cached_property
    def _nameless(self) -> Nameless:
        return Nameless((), self._names, self.parent.coursedir.assignment_id)

    @cached_property
    def _downloads(self) -> Downloads:
        directory = self.parent.coursedir
        return Downloads(Course(Path(directory.root)), directory.assignment_id)
