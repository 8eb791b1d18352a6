"""When work was handed in: as the command that collected it knows, else as its own folder says."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import cached_property
from pathlib import Path

from nbgrader.utils import parse_utc

from autograder.course.course import Course
from autograder.notebooks.hand_in import HandIn, content
from autograder.showing.wording import printable

STAMP = "timestamp.txt"  # nbgrader's name for it
LONGEST = 100  # characters of a date
NAMED = 20  # students whom a sentence names


class Dates:
    """The dates of a chapter's submissions. All are in UTC, without a time zone.

    What collecting knows is kept outside of the students' folders, for the very bytes that were
    collected: work that is put in their place later does not have their date.
    """

    def __init__(self, course: Course, chapter: str):
        self.path = course.journal(chapter).with_suffix(".dates.jsonl")

    def record(self, student: str, when: datetime, digests: Iterable[str]) -> None:
        """Keep when the notebooks with these SHA-256 were handed in, as collecting knows it."""
        line = {"student": student, "when": when.isoformat(), "notebooks": [*digests]}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write("\n" + json.dumps(line))  # a killed command may have left half a line

    def of(self, student: str, notebook: Path) -> datetime | None:
        """The recorded date, else that of the folder; None where neither is there."""
        return self._collected(student, notebook) or _brought(notebook)

    def told(self, submissions: dict[str, Path], named: Callable[[str], str] = str) -> list[str]:
        """A sentence for each way in which a class has dates that nobody recorded.

        named: what to call a student.
        """
        own = {student: _brought(notebook) for student, notebook in submissions.items()
               if _has_stamp(notebook) and not self._collected(student, notebook)}  # fmt: skip
        chosen = [student for student, when in own.items() if when]
        unread = [student for student, when in own.items() if not when]
        sentences = {
            f"The date of hand-in is that of the {STAMP} in their folder, and whoever made the "
            "folder chose it": chosen,
            f"The {STAMP} in their folder has no date that can be read, so they count as on "
            "time": unread,
        }  # fmt: skip
        return [f"{text}: {_names([*map(named, who)], len(submissions))}."
                for text, who in sentences.items() if who]  # fmt: skip

    def _collected(self, student: str, notebook: Path) -> datetime | None:
        known = self._known.get(student)
        return known.get(HandIn.at(notebook).digest) if known else None

    @cached_property
    def _known(self) -> dict[str, dict[str | None, datetime]]:
        """By student and digest; what was collected again has the date of the last time."""
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


def _has_stamp(notebook: Path) -> bool:
    return os.path.lexists(notebook.parent / STAMP)


def _brought(notebook: Path) -> datetime | None:
    """The date in the student's folder; None where there is none that can be read.

    Not read by nbgrader, which follows links, waits for pipes, and ends the program for a date
    that it does not understand.
    """
    try:
        text = content(notebook.parent / STAMP).decode()
        when: datetime | None = parse_utc(text.strip()) if len(text) <= LONGEST else None
    except Exception:
        return None
    return when


def _names(students: list[str], number: int) -> str:
    """The first of them; number: of all students."""
    if number > 1 and len(students) == number:
        return "everybody"
    shown = ", ".join(printable(student, 80) for student in students[:NAMED])
    return shown + (f" and {len(students) - NAMED} more" if len(students) > NAMED else "")
