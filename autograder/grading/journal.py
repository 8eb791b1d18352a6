"""A file remembers what of a class was graded: a line for each submission that has a verdict."""

import json
import math
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import (
    Any,
    Final,
    NotRequired,
    TypedDict,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from autograder.common.errors import CourseError
from autograder.grading.provenance import Record
from autograder.grading.results import Row

FAULT: Final = "fault"


class HeldPayload(TypedDict):
    """The part of a graded submission that its rows do not say, until it is written; see Graded."""

    notebook: str
    scores: dict[str, float | None]
    comments: dict[str, str | None]


class Entry(TypedDict):
    """A line of the journal, on one submission.

    fingerprint: of all that decided about it. notes: on how the notebook was read. record: what the
    marks were made from; entries that were written before there were records have none. fault: why
    there is no verdict, with a traceback of ours where there is one. held: until it is written.
    """

    student: str
    fingerprint: str
    rows: list[Row]
    notes: list[str]
    record: NotRequired[Record]
    fault: NotRequired[str]
    held: NotRequired[HeldPayload]


class Journal:
    """A file of finished submissions, one JSON line each; the last line of a student counts.

    Lines are written only after the gradebook has the marks, so a run that was killed goes on
    where it stopped. A line with a fault is about a submission that has no verdict. In memory is
    where each line stands, not what it says. damaged: how many lines could not be read, beside the
    one that a killed run left half written.
    """

    def __init__(self, path: Path):
        self.path = path
        self._load()

    def _load(self) -> None:
        self.damaged = 0
        self._places: dict[str, tuple[str, int]] = {}
        self._faults: dict[str, int] = {}
        self._end, self._torn = 0, False
        if self.path.exists():
            with self.path.open("rb") as file:
                for line in file:
                    self._read(line)

    def _read(self, line: bytes) -> None:
        self._torn = not line.endswith(b"\n")
        if entry := _entry(line):
            self._note(entry)
        elif line.strip() and not self._torn:
            self.damaged += 1
        self._end += len(line)

    def _note(self, entry: Entry) -> None:
        """Remember that the line of an entry begins where the file ended so far."""
        student = entry["student"]
        if FAULT in entry:
            self._faults[student] = self._end
        else:
            self._faults.pop(student, None)
            self._places[student] = entry["fingerprint"], self._end

    def __contains__(self, student: str) -> bool:
        return student in self._places

    @property
    def students(self) -> list[str]:
        """Who has an entry."""
        return [*self._places]

    def entry(self, student: str) -> Entry:
        """Return the entry of a finished submission."""
        return self._at(self._places[student][1])

    def fault(self, student: str) -> Entry | None:
        """Return the entry of a submission that had no verdict at the last grading, else None."""
        return self._at(self._faults[student]) if student in self._faults else None

    def _at(self, place: int) -> Entry:
        with self.path.open("rb") as file:
            file.seek(place)
            entry: Entry = json.loads(file.readline())  # which was looked at when it was loaded
        return entry

    def finished(self, student: str, mark: str) -> bool:
        """Tell whether this very submission was graded with these very checks."""
        return student in self and self._places[student][0] == mark

    def add(self, finished: list[Entry]) -> None:
        """Append the entries of finished submissions, which count once they are on the disk.

        Raises OSError where they cannot be written; then none of them is.
        """
        lines = [json.dumps(entry).encode() + b"\n" for entry in finished]
        gap = b"\n" if self._torn else b""  # ends the line that a killed run left half written
        self._append(gap + b"".join(lines))
        self._end, self._torn = self._end + len(gap), False
        for entry, line in zip(finished, lines, strict=True):
            self._note(entry)
            self._end += len(line)

    def _append(self, data: bytes) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab", buffering=0) as file:
            try:
                left = memoryview(data)
                while left:
                    left = left[file.write(left) :]
                os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):
                    file.truncate(self._end)
                raise

    def mend(self) -> int:
        """Take the lines that cannot be read out of the file; returns how many those were.

        Those whom they were about are graded again.
        """
        damaged = self.damaged
        if damaged:
            with self.path.open("rb") as file:
                kept = [line for line in file if _entry(line)]
            fresh = self.path.with_suffix(".new")
            fresh.write_bytes(b"".join(kept))
            fresh.replace(self.path)
            self._load()
        return damaged


def intact(path: Path) -> Journal:
    """Open the journal to read it only. Raises CourseError where lines of it are damaged."""
    journal = Journal(path)
    if journal.damaged:
        raise CourseError(
            f"{path} is damaged: {journal.damaged} of its lines cannot be read. "
            f"To restore them: attn grade {path.stem}"
        )
    return journal


def _entry(line: bytes) -> Entry | None:
    """Read a line of the journal; None where it is damaged."""
    try:
        entry: Entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if fits(Entry)(entry) else None


Check = Callable[[Any], bool]


@cache  # a journal has thousands of lines of one kind
def fits(kind: Any) -> Check:
    """Tells of a value that was JSON whether it is of a type as annotations write it.

    A float is finite. A TypedDict has what it requires, and may have what it does not know.
    """
    if is_typeddict(kind):
        return _with_fields(kind)
    inner = [fits(one) for one in get_args(kind)]
    if get_origin(kind) is list:
        return lambda value: isinstance(value, list) and all(map(inner[0], value))
    if get_origin(kind) is dict:
        return lambda value: isinstance(value, dict) and all(map(inner[1], value.values()))
    if inner:
        return lambda value: any(one(value) for one in inner)
    if kind is float:
        return lambda value: type(value) in (int, float) and abs(value) < math.inf
    return lambda value: isinstance(value, kind)


def _with_fields(kind: Any) -> Check:
    fields = {name: fits(part) for name, part in get_type_hints(kind).items()}
    required = kind.__required_keys__
    return lambda value: (
        isinstance(value, dict)
        and required <= value.keys()
        and all(fields[name](part) for name, part in value.items() if name in fields)
    )
