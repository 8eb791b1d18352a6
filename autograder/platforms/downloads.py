"""By what names a platform knows a student's hand-in, as the command that collected it learnt."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property

from autograder.course.course import Course


@dataclass(frozen=True)
class Download:
    """One student's hand-in, as it was collected last.

    platform: Canvas or Moodle. person: by what it knows the student. name: of the file or folder as
    it was downloaded. order: is greater for what was handed in later. notebooks: SHA-256 of each.
    """

    student: str
    platform: str
    person: str
    name: str
    order: tuple[float, ...]
    notebooks: tuple[str, ...]


class Downloads:
    """What was collected of a chapter from platforms; kept outside of students' folders."""

    def __init__(self, course: Course, chapter: str):
        self.path = course.journal(chapter).with_suffix(".downloads.jsonl")

    def record(self, download: Download) -> None:
        """Keep it; of a student the last that was kept counts."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            # a killed command may have left half a line
            file.write("\n" + json.dumps(asdict(download)))

    def of(self, student: str) -> Download | None:
        """The student's, None where nothing was collected from a platform."""
        return self._known.get(student)

    def owner(self, platform: str, person: str) -> str | None:
        """The student whom the platform knows by that number or word; a group's is nobody's."""
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
                yield Download(**{**values, "order": tuple(values["order"]),
                                  "notebooks": tuple(values["notebooks"])})  # fmt: skip
            except (ValueError, KeyError, TypeError):
                continue  # the line that a killed command left half written
