"""A folder in Moodle's zip has its student's name, or that of a group, or a hidden one."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder.course.course import Course
from autograder.platforms.newest import Downloads
from autograder.platforms.platform_collect import MEND, Entry, NoOwner, Platform
from autograder.platforms.whose_name import Names, as_in_moodle

# "Participant" in languages of Moodle, as it is left when slashes are
HIDDEN = {"participant", "participante", "partecipante", "teilnehmer", "teilnehmerin", "deelnemer",
          "deltagare", "deltager", "deltaker", "osallistuja", "uczestnik", "účastník", "résztvevő",
          "συμμετέχων", "участник", "参加者", "参与者", "參與者"}  # fmt: skip
GROUP = re.compile(
    r"\b(groups?|gruppen?|groupes?|grupos?|gruppo|gruppi|groep|grup|grupp|ryhmä|skupina|csoport|"
    r"teams?|[ée]quipes?|equipos?|squad|lab|labor|tutorial|tutorium|übung|section|sektion|pairs?|"
    r"[a-z]?\d+)\b|gruppe\b|группа|グループ|小组|组$",
    re.IGNORECASE,
)

REVEAL = (
    "Reveal the students' identities in Moodle, in the assignment's list of submissions, then "
    "download them again."
)
IMPORT = "Import the roster with `attn roster FILE`, then run this again."


class Nameless:
    """Says of a name that fits nobody what it looks like. entries: of all the downloads."""

    def __init__(self, entries: Collection[Entry], names: Names, chapter: str):
        self._names, self._numbers = names, defaultdict[str, set[str]](set)
        called = {entry.called for entry in entries}
        for entry in entries:
            self._numbers[as_in_moodle(entry.called)].add(entry.person)
        self._none_fits = not any(map(names.fitting, called))
        self._of_group = (
            "To give a group's work to its members, import the groups, of these names, with `attn "
            "groups FILE`, then run this again. In Moodle, Participants > Groups > "
            f"Overview exports them. Or put the notebook into submitted/STUDENT/{chapter}/ of each."
        )

    def members(self, called: str) -> list[Any]:
        """Whom older Moodles mean by `Group A-Ada Lovelace`."""
        parts = called.split("-")
        halves = [("-".join(parts[:at]), "-".join(parts[at:])) for at in range(1, len(parts))]
        found = [
            student
            for group, name in halves
            if GROUP.search(group)
            for student in self._names.fitting(name)
        ]
        return list({student.id: student for student in found}.values())

    def nobody(self, entry: Entry) -> NoOwner:
        """Return the error to raise for it: the first that holds."""
        called, none_fits = as_in_moodle(entry.called), self._none_fits
        is_group = bool(GROUP.search(called))
        cases = (
            (not self._names.known, "fits nobody, since the gradebook has no students", IMPORT),
            (called.rpartition("-")[2].rstrip("0123456789 ") in HIDDEN,
             "is an anonymous hand-in: Moodle hides the students' names", REVEAL),
            (none_fits and len(self._numbers[called]) > 1,
             "fits nobody in the roster, and several have that name: it seems to be an anonymous "
             "hand-in, whose name Moodle hides", REVEAL),
            (is_group and not entry.person,
             "comes from the default group: students in no group or in several handed it in",
             self._of_group),
            (is_group, "looks like a group's hand-in: no student has that name",
             self._of_group),
            (none_fits, "fits nobody in the roster, as no name of the downloads does: perhaps "
             "groups handed in", f"{self._of_group} {MEND}"),
            (True, "fits nobody in the roster, by first_name and last_name, id or email", MEND),
        )  # fmt: skip
        return next(NoOwner(why, advice) for holds, why, advice in cases if holds)


class Moodle(Platform):
    """`Ada Lovelace_3417_assignsubmission_file/04_masks.ipynb`: the name as in the roster.

    Moodle makes a space of each underscore of a name (`mod/assign/classes/downloader.php`), then
    `clean_filename` leaves out what `clean_param` does for PARAM_FILE (`lib/classes/param.php`):
    O'Brien arrives as OBrien. The number is another in each assignment, so it cannot tell who it is
    before that is known; then it can. Older Moodles put an underscore behind the folder's name.
    Where groups hand in it is `Lab group 1_77_assignsubmission_file`, with the group's number, and
    for those who are in none or in several `Default group_assignsubmission_file`; while names are
    hidden, `Participant_3417_…`.
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
        before, called = self._downloads.owner("Moodle", entry.person), entry.called
        if not self._names.fitting(called) and (members := self._members(called)):
            return str(before) if before in members else members[0], entry
        if any(student.id == before for student in self._students):
            return str(before), entry
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
