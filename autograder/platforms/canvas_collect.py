"""Whose a file in Canvas's zip is: by the number that Canvas knows the student by."""

import re
from pathlib import Path
from typing import Any

from autograder.platforms.platform_collect import Entry, NoOwner, Platform
from autograder.platforms.whose_name import letters, plain

NUMBERS = re.compile(r"_(?=(\d+)_(\d+)_(.+))", re.DOTALL)
ANONYMOUS = re.compile(r"(?:LATE_)?anon_([^_]+)_(\d+)_(.+)", re.DOTALL)
# what was typed into a page, or an address, in place of a file
INSTEAD = re.compile(r"(.*)_(\d+)_((?:text|link)\.html)", re.DOTALL)
ANONYMOUS_INSTEAD = re.compile(r"(?:LATE_)?anon_([^_]+)_((?:text|link)\.html)", re.DOTALL)


class Canvas(Platform):
    """`lovelaceada_LATE_1042_88231_04_masks-1.ipynb`: 1042 is `lms_user_id` in the roster.

    Canvas makes the name of the student's sortable name without what is no letter, digit or
    underscore, then LATE, the student's number and that of the file. While an assignment is graded
    anonymously it is `anon_x1Y2z_88231_04_masks.ipynb`, with a word for the student. A student's
    second file of one name has -1 behind it. What a student typed or linked to in place of a file
    is `lovelaceada_1042_text.html` or `…_link.html`. Where a group is graded as one, its file has
    the group's name and the number of one member (`representatives`, in the model of assignments).
    https://github.com/instructure/canvas-lms/blob/master/lib/content_zipper.rb
    """

    @staticmethod
    def readings(name: str, place: tuple[str, ...] = ()) -> list[Entry]:
        """Numbers may be in the student's name and in the file's, too."""
        if hidden := ANONYMOUS.fullmatch(name):
            return [Entry(place, name, "", hidden[1], int(hidden[2]), hidden[3])]
        if hidden := ANONYMOUS_INSTEAD.fullmatch(name):
            return [Entry(place, name, "", hidden[1], 0, hidden[2], instead=True)]
        of_files = [
            Entry(place, name, _called(name[: found.start()]), found[1], int(found[2]), found[3])
            for found in NUMBERS.finditer(name)
        ]
        typed = INSTEAD.fullmatch(name)
        return of_files + [
            Entry(place, name, _called(found[1]), found[2], 0, found[3], instead=True)
            for found in (typed,)
            if found
        ]

    def _owner(self, readings: list[Entry]) -> tuple[str, Entry]:
        known = [
            (student, entry)
            for entry in readings
            for student in self._students
            if plain(student.lms_user_id or student.id) == entry.person
        ]
        known = known or [
            (student, entry)
            for entry in readings
            for student in self._students
            if _is_called(student, entry) and not student.lms_user_id
        ]
        if len({student.id for student, _ in known}) > 1:
            by_name = [pair for pair in known if _is_called(*pair)]
            if len({student.id for student, _ in by_name}) != 1:
                both = self._in_words({student.id: student for student, _ in known}.values())
                raise NoOwner(f"fits {len(known)} students of the roster by lms_user_id: {both}")
            known = by_name
        if known:
            return known[0][0].id, known[0][1]
        for entry in readings:
            if members := self._members(entry.called):
                return members[0], entry
        raise self._nobody(readings[0])

    def _nobody(self, first: Entry) -> NoOwner:
        if not first.called:
            return NoOwner(
                "is anonymous. Download it again once the grades are posted, or give "
                f"{first.person} as lms_user_id to a student of the roster"
            )
        return NoOwner(f"fits nobody in the roster: no student has the lms_user_id {first.person}")

    def _file(self, entry: Entry, path: Path) -> str:
        """Only the chapter's own name is taken to be one that Canvas has numbered."""
        name, chapter = super()._file(entry, path), self.parent.coursedir.assignment_id
        numbered = re.fullmatch(rf"{re.escape(chapter)}-\d+", Path(name).stem)
        return f"{chapter}{Path(name).suffix}" if numbered else name


def _called(before: str) -> str:
    return before.removesuffix("_LATE")


def _is_called(student: Any, entry: Entry) -> bool:
    """Canvas has the last name first, unless somebody has set it otherwise."""
    first, last = student.first_name or "", student.last_name or ""
    return bool(first + last) and letters(entry.called) in (
        letters(last + first),
        letters(first + last),
    )
