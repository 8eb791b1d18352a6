"""Dates that a platform has put into the names of its files, where a collector finds them there."""

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.utils import parse_utc

from autograder.course.dates import STAMP, moment

Info = dict[str, Any]  # what a collector of nbgrader says of a file


class DatedNames:
    """The dates of unpacked files, as their names have them."""

    def __init__(self) -> None:
        self._written: dict[Path, str] = {}

    def add(self, path: Path, info: Info) -> None:
        """A file, and what the collector says of it."""
        if info.get("timestamp"):
            self._written[path] = str(info["timestamp"])

    def last(self, paths: Iterable[Path]) -> datetime | None:
        """When the last of a student's files came; None unless the date of each is understood."""
        times = [moment(self._written[path]) for path in paths if path in self._written]
        known = [when for when in times if when]
        return max(known) if known and len(known) == len(times) else None

    def stamp(self, folder: Path, paths: list[Path]) -> None:
        """Write the date where grading looks for it: nbgrader has left out its zone.

        One that is not understood is written as it is; grading then asks a person to correct it.
        """
        written = [self._written[path] for path in paths if path in self._written]
        unread = [text for text in written if not moment(text)]
        if written and folder.is_dir():
            says = unread[0] if unread else f"{self.last(paths)} UTC"
            (folder / STAMP).write_text(says)


def order(info: Info) -> datetime | None:
    """Return what tells the newer of two files: the date as nbgrader reads it, without a zone."""
    try:
        when: datetime | None = parse_utc(info.get("timestamp") or None)
    except (ValueError, OverflowError, TypeError):
        return None
    return when


def ordered(collect: Callable[[str], Info | None]) -> Callable[[str], Info | None]:
    """A collector for nbgrader, which ends for the whole class at a date that it cannot read."""

    def collected(path: str) -> Info | None:
        info = collect(path)
        return {**info, "timestamp": order(info)} if info else None

    return collected
