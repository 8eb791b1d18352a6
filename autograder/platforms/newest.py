"""A platform's downloads hold work of each student; this finds the hand-in that counts."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import Enum, auto
from functools import cached_property
from pathlib import Path
from typing import Any

from nbgrader.utils import parse_utc

from autograder.course.course import Course
from autograder.course.dates import STAMP, moment
from autograder.notebooks.hand_in import HandIn, notebooks_in
from autograder.platforms.platform_collect import Entry

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
        """Say when the last of a student's files came, if the date of each is understood."""
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
    """Wrap a collector of nbgrader's, which ends for the whole class at a date it cannot read."""

    def collected(path: str) -> Info | None:
        info = collect(path)
        return {**info, "timestamp": order(info)} if info else None

    return collected


@dataclass(frozen=True)
class Download:
    """One student's hand-in, as it was collected last.

    platform: Canvas or Moodle. person: by what it knows the student. name: of the file or folder as
    it was downloaded. order: is greater for what was handed in later. notebooks: SHA-256 of each.
    group: for which it was handed in as a whole, "" where it is a student's.
    """

    student: str
    platform: str
    person: str
    name: str
    order: tuple[float, ...]
    notebooks: tuple[str, ...]
    group: str = ""


class Downloads:
    """The work on a chapter that was collected from platforms, kept beside students' folders."""

    def __init__(self, course: Course, chapter: str):
        self.path = course.journal(chapter).with_suffix(".downloads.jsonl")

    def record(self, download: Download) -> None:
        """Keep it; of a student the last that was kept counts."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            # a killed command may have left half a line
            file.write("\n" + json.dumps(asdict(download)))

    def of(self, student: str) -> Download | None:
        """Return the student's, None where nothing was collected from a platform."""
        return self._known.get(student)

    def owner(self, platform: str, person: str) -> str | None:
        """Return the student whom the platform knows by that number or word; groups are nobody."""
        owners = self._owners.get((platform, person), set())
        return next(iter(owners)) if person and len(owners) == 1 else None

    @cached_property
    def _known(self) -> dict[str, Download]:
        return {download.student: download for download in self._lines()}

    @cached_property
    def _owners(self) -> dict[tuple[str, str], set[str]]:
        owners = defaultdict[tuple[str, str], set[str]](set)
        for one in self._known.values():
            owners[one.platform, one.person].add(one.student)
        return owners

    def _lines(self) -> Iterator[Download]:
        if not self.path.exists():
            return
        for line in self.path.read_bytes().splitlines():
            try:
                values = json.loads(line)
                values |= {name: tuple(values[name]) for name in ("order", "notebooks")}
                yield Download(**values)
            except (ValueError, KeyError, TypeError):
                continue  # the line that a killed command left half written


@dataclass(frozen=True)
class File:
    """A notebook that was unpacked, and its name in `submitted/`.

    when: it was handed in, if the collector knows. entry: how the platform's name was read, None
    with a collector that is not ours. renamed: a browser or a system had changed the file's name.
    """

    path: Path
    name: str
    when: datetime | None
    entry: Entry | None
    renamed: bool = False

    @cached_property
    def digest(self) -> str:
        """SHA-256 of its bytes."""
        return str(HandIn.at(self.path).digest)

    @property
    def attachment(self) -> int:
        """The platform's number of this very file; 0 where it has none, as within an archive."""
        own = self.entry is not None and self.entry.name == self.path.name
        return self.entry.attachment if own and self.entry else 0


@dataclass
class HandedIn:
    """One student's work in one download.

    person: by what the platform knows the student. order: is greater for what was handed in later,
    on one platform. older: files that a newer one of the same name replaces. beside: renamed
    files that have the name of another. fault: why it is not taken, or "".
    """

    student: str
    person: str = ""
    order: tuple[float, ...] = ()
    files: list[File] = field(default_factory=list)
    older: list[File] = field(default_factory=list)
    beside: list[File] = field(default_factory=list)
    fault: str = ""

    def seen(self, entry: Entry | None, downloaded: tuple[float, float]) -> None:
        """Something of it lies in a download: a file, or what was refused."""
        attachment = entry.attachment if entry else 0
        self.order = max(self.order, (attachment, *downloaded))

    def settle(self) -> None:
        """Keep of files with one name the one that has the last number, or find the fault."""
        by_name = defaultdict(list)
        for file in self.files:
            by_name[file.name].append(file)
        for name, files in sorted(by_name.items()):
            if not all(file.renamed for file in files):
                self.beside += [file for file in files if file.renamed]
            same = [file for file in files if file not in self.beside]
            if len(same) == 1 or all(file.when for file in same):  # nbgrader takes the newest
                continue
            if len({file.attachment for file in same} - {0}) < len(same):
                self.fault = self.fault or f"there is more than one {name}"
                continue
            newest = max(same, key=lambda file: file.attachment)
            self.older += [file for file in same if file is not newest]
        self.files = [file for file in self.files if file not in self.older + self.beside]

    @property
    def notebooks(self) -> tuple[str, ...]:
        """SHA-256 of each of its files, by name."""
        return digests((file.name, file.digest) for file in self.files)

    @property
    def entry(self) -> Entry | None:
        """The last of how its files' names were read; None with a collector that is not ours."""
        entries = (file.entry for file in self.files if file.entry)
        return max(entries, key=lambda entry: entry.attachment, default=None)

    def download(self, platform: str, group: str = "") -> Download | None:
        """Return what to keep of it; None with a collector that is not ours."""
        if self.entry is None:
            return None
        known = self.entry.person, self.entry.name, self.order, self.notebooks, group
        return Download(self.student, platform, *known)


def newest(hand_ins: list[HandedIn]) -> tuple[HandedIn | None, str]:
    """Return the last whole one of a student's hand-ins, and why a later one is not taken, or "".

    None where there is none, or where it cannot be told whose or which it is.
    """
    people = {one.person for one in hand_ins}
    if len(people) > 1:
        numbers = " and ".join(sorted(people))
        return None, (
            f"the platform has this name twice, with the numbers {numbers}: two people, "
            "or downloads of two assignments"
        )
    numbered = all(one.order[0] for one in hand_ins)  # what was typed in has no number
    in_order = sorted(hand_ins, key=lambda one: one.order if numbered else one.order[1:])
    whole = [one for one in in_order if not one.fault]
    if not whole:
        return None, in_order[-1].fault
    last = whole[-1]
    if any(one.order == last.order and one.notebooks != last.notebooks for one in whole):
        return None, "two downloads differ, and it is not known which is later"
    return last, in_order[-1].fault


class Fate(Enum):
    """The fate of a student's newest hand-in in a download."""

    NEW = auto()  # nothing is there yet
    REPLACED = auto()  # it takes the place of what is there
    SAME = auto()  # it is there, or was collected before and mended by hand since
    OLDER = auto()  # what is there was handed in later
    CONFLICT = auto()  # what is there came from another person, or for another assignment


def decide(
    there: tuple[str, ...] | None,
    before: Download | None,
    notebooks: tuple[str, ...],
    now: Download | None,
) -> Fate:
    """Decide what to do with notebooks that were handed in, given as SHA-256.

    there: those in the student's folder, None where it is empty. before, now: how the platform
    named what was collected last, and what is to be collected; None where no platform did.
    """
    if there is None:
        return Fate.NEW
    if notebooks == there or (before and notebooks == before.notebooks):
        return Fate.SAME
    if before and now and before.platform == now.platform:
        if before.person != now.person:
            return Fate.CONFLICT
        if before.order > now.order:
            return Fate.OLDER
    return Fate.REPLACED


def collected(folder: Path) -> tuple[str, ...]:
    """SHA-256 of each notebook in a student's folder, by name; empty where there is none."""
    if not folder.is_dir():
        return ()
    notebooks = [path for path in notebooks_in(folder) if path.suffix == ".ipynb"]
    return digests((path.name, str(HandIn.at(path).digest)) for path in notebooks)


def digests(named: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the SHA-256 of files in the order of the files' names."""
    return tuple(digest for _, digest in sorted(named))
