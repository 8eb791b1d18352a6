"""When work was handed in: as the command that collected it knows, else as its own folder says."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from autograder.course.course import Course
from autograder.notebooks.hand_in import HandIn, NotebookError, content
from autograder.showing.wording import printable

STAMP = "timestamp.txt"  # nbgrader's name for it
SHOWN = 60  # characters of what such a file says
MAX_NAMED = 20  # students in a sentence


@dataclass(frozen=True)
class Stamp:
    """A file with a date: when it says that work was handed in, None where that is not understood.

    says: why it is not, in a sentence that begins with the file's name.
    """

    when: datetime | None
    says: str

    def correct(self, path: Path) -> str:
        """Two sentences for who can write into `path` a date that is understood."""
        return f"{path} {self.says}. Write it like {EXAMPLES}."


class Dates:
    """The dates of a chapter's submissions. All are in UTC, without a time zone.

    What collecting knows is kept outside of the students' folders, for the very bytes that were
    collected: work that is put in their place later does not have their date.
    """

    def __init__(self, course: Course, chapter: str):
        self._course = course
        self.path = course.journal(chapter).with_suffix(".dates.jsonl")

    def record(self, student: str, when: datetime, digests: Iterable[str]) -> None:
        """Keep when the notebooks with these SHA-256 were handed in, as collecting knows it."""
        line = {"student": student, "when": when.isoformat(), "notebooks": [*digests]}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write("\n" + json.dumps(line))  # a killed command may have left half a line

    def of(self, student: str, notebook: Path) -> datetime | None:
        """Return the recorded date, else that of the folder; None where neither is there."""
        if collected := self._collected(student, notebook):
            return collected
        own = stamp(self._course.around(student, notebook))
        return own.when if own else None

    def of_folder(self, student: str, folder: Path) -> datetime | None:
        """Return the date of the notebooks in a folder of the student's, wherever it is now."""
        own = stamp(folder)
        recorded = self._recorded(student, folder).values()
        return max(recorded, default=own.when if own else None)

    def share(self, student: str, folder: Path, other: str) -> None:
        """Keep for another student, too, what is recorded for the notebooks in a folder."""
        for digest, when in self._recorded(student, folder).items():
            if self._known.get(other, {}).get(digest) != when:
                self.record(other, when, [digest])

    def unread(self, submissions: dict[str, Path]) -> dict[str, str]:
        """Whose date is that of the folder and is not understood: how to correct it."""
        return {
            student: own.correct(self._path(student, submissions[student]))
            for student, own in self._own_stamps(submissions).items()
            if not own.when
        }

    def warnings(
        self, submissions: dict[str, Path], named: Callable[[str], str] = str
    ) -> list[str]:
        """Return a sentence about the students whose date nobody recorded, if there are any.

        named: what to call a student.
        """
        chosen = [student for student, own in self._own_stamps(submissions).items() if own.when]
        if not chosen:
            return []
        who = _names([*map(named, chosen)], len(submissions))
        return [
            f"The date of hand-in is that of the {STAMP} in their folder, and whoever made the "
            f"folder chose it: {who}."
        ]

    def _own_stamps(self, submissions: dict[str, Path]) -> dict[str, Stamp]:
        """Return the files with a date that count, since collecting knows none."""
        own = {
            student: stamp(self._course.around(student, notebook))
            for student, notebook in submissions.items()
            if not self._collected(student, notebook)
        }
        return {student: found for student, found in own.items() if found}

    def _path(self, student: str, notebook: Path) -> Path:
        """Return the path in the course of a student's file with the date."""
        path, root = self._course.around(student, notebook) / STAMP, self._course.root
        return path.relative_to(root) if path.is_relative_to(root) else path

    def _collected(self, student: str, notebook: Path) -> datetime | None:
        known = self._known.get(student)
        return known.get(HandIn.at(notebook).digest) if known else None

    def _recorded(self, student: str, folder: Path) -> dict[str, datetime]:
        """Return what is recorded for the notebooks in a folder, by their SHA-256."""
        known = self._known.get(student)
        if not known:
            return {}
        digests = (HandIn.at(path).digest for path in sorted(folder.rglob("*.ipynb")))
        return {digest: known[digest] for digest in digests if digest and digest in known}

    @cached_property
    def _known(self) -> dict[str, dict[str | None, datetime]]:
        """Return dates by student and digest; what was collected again has the last one."""
        known: dict[str, dict[str | None, datetime]] = {}
        for student, when, digests in self._lines():
            known.setdefault(student, {}).update(dict.fromkeys(digests, when))
        return known

    def _lines(self) -> Iterator[tuple[str, datetime, list[str | None]]]:
        if not self.path.exists():
            return
        for line in self.path.read_bytes().splitlines():
            try:
                entry = json.loads(line)
                yield entry["student"], datetime.fromisoformat(entry["when"]), entry["notebooks"]
            except (ValueError, KeyError, TypeError):
                continue  # the line that a killed command left half written


def stamp(folder: Path) -> Stamp | None:
    """Return the file with the date in a student's folder; None where there is none.

    Not read by nbgrader, which follows links, waits for pipes, and ends the program for a date
    that it does not understand.
    """
    path = folder / STAMP
    if not os.path.lexists(path):
        return None
    try:
        text = content(path).decode("utf-8-sig")
    except (NotebookError, UnicodeDecodeError):
        return Stamp(None, "is not a text file")
    shown = printable(repr(text.strip()[: 2 * SHOWN]), SHOWN)
    return Stamp(moment(text), f"says {shown}, which cannot be read as {WHOLE}")


def _names(students: list[str], number: int) -> str:
    """Return the first of them; number: of all students."""
    if number > 1 and len(students) == number:
        return "everybody"
    shown = ", ".join(printable(student, 80) for student in students[:MAX_NAMED])
    return shown + (f" and {len(students) - MAX_NAMED} more" if len(students) > MAX_NAMED else "")


WHOLE = "a date, a time and a time zone"
EXAMPLES = "2026-03-02 19:00 UTC or 2026-03-02 19:00 +0200"
YEARS = range(2000, 2100)
LONGEST = 100  # characters
FORM = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)(?: +|T)(?P<time>([01]\d|2[0-3]):\d\d(:\d\d(\.\d{1,9})?)?) *"
    r"(?P<zone>UTC|GMT|Z|(?P<hours>[+-](0\d|1[0-4])):?(?P<minutes>[0-5]\d)?)",
    re.ASCII | re.IGNORECASE,
)


def moment(text: str) -> datetime | None:
    """Read a date in UTC and without a zone, as a gradebook has it; None if it is not whole."""
    found = FORM.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if found is None:
        return None
    zone = f"{found['hours']}:{found['minutes'] or '00'}" if found["hours"] else "+00:00"
    try:
        when = datetime.fromisoformat(f"{found['date']}T{found['time']}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return when.replace(tzinfo=None) if when.year in YEARS else None


def in_words(when: datetime) -> str:
    """Write "Monday, 2 March 2026, 17:00:30 UTC"; seconds only where there are some."""
    seconds = ":%S" if when.second else ""
    return f"{when:%A}, {when.day} {when:%B %Y, %H:%M{seconds}} UTC"
