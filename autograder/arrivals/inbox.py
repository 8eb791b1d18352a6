"""nbgrader's exchange: hand-ins that are all there are collected, those that are not can wait."""

import os
import time
from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError, ExchangeFactory

from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.nbgrader_errors import patiently, quiet
from autograder.grading.lock import grading
from autograder.notebooks.discovery import name_fault
from autograder.notebooks.hand_in import content
from autograder.plugins.exchange import Collect

WHOLE = "timestamp.txt", "submission_secret.txt"  # `nbgrader submit` writes these last
WITHOUT_SECRET = 60  # seconds after which a hand-in of an older nbgrader, which has none, is whole
Work = tuple[str, str]  # a chapter, and one of its students


class Inbox:
    """The hand-ins of some chapters in the exchange of a course.

    folder: where they lie; None without such an exchange. failed: why the hand-in of a student
    could not be collected at the last look; it is tried again at the next. owners: the accounts
    that own what was collected at the last look, where they are not the student's.
    """

    def __init__(self, course: Course, chapters: Collection[str]):
        self._course, self._chapters = course, chapters
        self._done: set[str] = set()  # names of folders
        self.failed: dict[Work, str] = {}
        self.owners: dict[Work, str] = {}
        self.folder = self._find()

    def _find(self) -> Path | None:
        factory = ExchangeFactory(config=self._course.config)
        if not issubclass(factory.collect, Collect):
            return None  # an exchange of another kind, which has no folder
        collect = Collect(coursedir=self._course.directory, config=self._course.config)
        inbound = Path(collect.root, self._course.directory.course_id, "inbound")
        return inbound if inbound.is_dir() else None

    def collect(self) -> list[Work]:
        """Put what is new into `submitted/`; returns whose. Raises OSError without the exchange."""
        self.failed, self.owners = {}, {}
        self.folder = self.folder or self._find()  # `nbgrader release_assignment` makes it
        if self.folder is None:
            return []
        new: dict[str, list[str]] = defaultdict(list)
        with os.scandir(self.folder) as there:
            names = {entry.name for entry in there} - self._done
        for name in sorted(names):
            student, chapter, *_ = [*name.rsplit("+", 3)[:2], ""]
            if not student or name_fault(student):
                continue  # anybody may make a folder here, and this one would lead elsewhere
            if chapter in self._chapters and is_whole(self.folder / name):
                new[chapter].append(name)
        return [work for chapter, names in new.items() for work in self._collect(chapter, names)]

    def _collect(self, chapter: str, names: list[str]) -> list[Work]:
        config = self._course.config
        directory = CourseDirectory(config=config, assignment_id=chapter)
        arrived = Arrived(
            coursedir=directory, authenticator=Authenticator(config=config), config=config
        )
        arrived.update, arrived.names, arrived.earlier = True, names, self._done
        quiet(arrived.log)
        try:
            with grading(self._course):
                patiently(directory.db_url, arrived.start)
        except ExchangeError as error:
            raise CourseError(f"The exchange cannot be used: {error}") from error
        self.failed |= {(chapter, student): why for student, why in arrived.failed.items()}
        self.owners |= {(chapter, student): who for student, who in arrived.owners.items()}
        self._done |= {name for name in names if name.rsplit("+", 3)[0] not in arrived.failed}
        return [(chapter, student) for student in arrived.collected]


class Arrived(Collect):
    """Collects as nbgrader does, but only hand-ins that are whole, and each by itself.

    names: of the folders that are new. earlier: of those that were collected before. collected,
    failed, owners: students, why, and whose account owns the hand-in if not theirs, which nbgrader
    writes into its log only.
    """

    names: Collection[str] = ()
    earlier: Collection[str] = ()
    src_records: list[Any]

    def init_src(self) -> None:
        """As nbgrader chooses: the newest of each student."""
        super().init_src()
        self.collected: list[str] = []
        self.failed: dict[str, str] = {}
        self.owners: dict[str, str] = {}
        self.src_records = [one for one in self.src_records if one["filename"] in self.names]

    def _sort_by_timestamp(self, records: list[Mapping[str, Any]]) -> list[Any]:
        """Pass over what is still being handed in, which may never be whole."""
        there = {*self.names, *self.earlier}
        whole = [one for one in records if one["filename"] in there] or records
        return list(super()._sort_by_timestamp(whole))

    def copy_files(self) -> None:
        """One that cannot be read keeps nobody else waiting, and replaces no earlier one."""
        for record in self.src_records:
            self.src_records = [record]
            try:
                with TemporaryDirectory() as aside:  # nbgrader removes the earlier one, then copies
                    self.copy_aside(Path(self.inbound_path, record["filename"]), Path(aside))
                super().copy_files()
            except (OSError, RuntimeError, ExchangeError) as error:
                self.failed[record["username"]] = reason_of(error)

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        super().do_copy(src, dest, log)
        student, owner = Path(dest).parent.name, _owner(Path(src))
        self.collected.append(student)
        if self.check_owner and owner != student:
            self.owners[student] = owner


def _owner(folder: Path) -> str:
    try:
        return folder.owner()
    except KeyError:  # an account that this machine does not know
        return str(folder.stat().st_uid)


def is_whole(hand_in: Path) -> bool:
    """Tell whether `nbgrader submit` has written all of a hand-in, a folder named with its date.

    A student's own folder may have such files of an earlier hand-in, which are copied first.
    """
    stamp, secret = (hand_in / name for name in WHOLE)
    try:
        if content(stamp).decode() != hand_in.name.rsplit("+", 3)[2]:
            return False
        if secret.is_file():
            return secret.stat().st_mtime_ns >= stamp.stat().st_mtime_ns
        newest = max(path.stat().st_ctime for path in hand_in.rglob("*"))
    except (OSError, ValueError, IndexError):
        return False
    return time.time() - newest > WITHOUT_SECRET


def reason_of(error: BaseException) -> str:
    """Say in a line why files could not be copied; shutil has a list of reasons, one for each."""
    first = error.args[0] if error.args else error
    if isinstance(first, list) and first:
        first = first[0][-1]
    return str(error.strerror if isinstance(error, OSError) and error.strerror else first)
