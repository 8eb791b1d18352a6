"""What of a chapter's groups is in the students' folders, as it was left when they were shared.

It lies outside of the students' folders: a note in a folder may be the student's own invention.
"""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from autograder.common.errors import CourseError
from autograder.course.course import Course


@dataclass(frozen=True)
class Share:
    """A group's work in one member's folder.

    source: who handed it in; "" where it came from a platform for the group as a whole. digests: of
    what was put there; two of them while one replaces the other. stamp: SHA-256 of the source's
    file with the date.
    """

    group: str
    source: str
    digests: list[str]
    stamp: str = ""


@dataclass
class GroupRecord:
    """One chapter's: shares by student; counted: the digest of the work that counts, by group.

    seen: the digests of each student's work that was there already. alone: who was in no group.
    """

    path: Path
    shares: dict[str, Share] = field(default_factory=dict)
    counted: dict[str, str] = field(default_factory=dict)
    seen: dict[str, list[str]] = field(default_factory=dict)
    alone: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, course: Course, chapter: str) -> "GroupRecord":
        """Raise CourseError where it cannot be read."""
        path = course.journal(chapter).with_suffix(".groups.json")
        if not path.exists():
            return cls(path)
        try:
            values = json.loads(path.read_text("utf-8"))
            shares = {student: Share(**share) for student, share in values.pop("shares").items()}
            return cls(path, shares, **values)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise CourseError(
                f"{path} is damaged. It says which folders of {chapter} hold a group's work. Put "
                "it back from a backup; or delete it, and the work counts as each member's own."
            ) from None

    def write(self) -> None:
        """All of it, or nothing."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        half = self.path.with_suffix(".part")
        values = asdict(self)
        del values["path"]
        with half.open("w", encoding="utf-8") as file:
            json.dump(values, file, ensure_ascii=False, indent=1, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        half.replace(self.path)
