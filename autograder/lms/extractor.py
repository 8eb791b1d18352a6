"""Takes the zip of a learning platform apart, for `nbgrader zip_collect`.

nbgrader's own extractor ends for the whole class at one bad archive, and unpacks whatever is in it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import ZipFile, ZipInfo

from nbgrader.plugins import ExtractorPlugin
from nbgrader.utils import parse_utc

from autograder.course.course import Course
from autograder.course.dates import Dates
from autograder.lms.archive import ArchiveError, check, check_name, files_in, open_archive, read
from autograder.lms.platform_collect import Canvas
from autograder.notebooks.hand_in import SIZE_LIMIT, HandIn
from autograder.showing.wording import printable

AGAIN = "Put the notebook itself in its place, then run this again with --force."


@dataclass(frozen=True)
class _File:
    """A file that was written, its name in `submitted/`, and when it was handed in if known."""

    path: Path
    name: str
    when: datetime | None


class CheckedExtractor(ExtractorPlugin):  # type: ignore[misc]  # nbgrader is untyped
    """Writes each student's notebooks for the collector; who hands in what is refused is left out.

    A zip in the archive folder is the platform's, and what is in it are the students' files, unless
    its own name is a student's.
    """

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Fill the extracted folder, of which nbgrader then collects.

        Where somebody is left out, the others are collected, a sentence for each says so, and the
        command ends with exit code 1; so it does, with nothing collected, where the platform's own
        zip is damaged.
        """
        self._written: list[Path] = []
        self._left_out: dict[str, str] = {}
        try:
            for source in sorted(path for path in Path(archive_path).rglob("*") if path.is_file()):
                self._extract(source, Path(extracted_path, source.relative_to(archive_path)))
            self._settle()
        except OSError as error:
            self.parent.fail("Nothing was collected: %s.", printable(str(error)))
        if self._left_out:
            self._collect_the_others()

    def _collect_the_others(self) -> None:
        """nbgrader's next step, which would leave no way to end with an exit code after it."""
        try:
            self.parent.process_extracted_files()
        finally:
            for sentence in self._left_out.values():
                self.log.critical(sentence)
        raise SystemExit(1)

    def _extract(self, source: Path, target: Path) -> None:
        if self._is_archive(target) and not self._is_of_a_student(target):
            try:
                self._extract_platform(source, target)
            except ArchiveError as error:
                self.parent.fail("Nothing was collected: %s %s. Download it again.",
                                 printable(source.name), error)  # fmt: skip
        else:
            self._take(target, partial(_file, source))

    def _extract_platform(self, source: Path, target: Path) -> None:
        with open_archive(source) as archive:
            for member in archive.infolist():
                if not member.filename.endswith("/"):
                    place = target / member.filename.lstrip("/")
                    self._take(place, partial(_member, archive, member))

    def _take(self, target: Path, content: Callable[[], bytes]) -> None:
        """Write a student's file, or those in a student's archive; or leave the student out."""
        try:
            if self._is_archive(target):
                files = files_in(content(), self._suffixes)
                self._write({target / name: data for name, data in files.items()})
            elif target.suffix in self._suffixes:
                self._write({target: content()})
        except ArchiveError as error:
            self._leave_out(target, f"{printable(target.name, 80)} {error}")

    def _write(self, files: dict[Path, bytes]) -> None:
        for path, data in files.items():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            except (FileExistsError, IsADirectoryError, NotADirectoryError):
                raise ArchiveError("is a file and a folder at once") from None
            self._written.append(path)

    def _leave_out(self, target: Path, why: str) -> None:
        """The student of a file, or of an archive, as the collector says whose it is."""
        notebook = target / f"notebook{self._suffixes[0]}" if self._is_archive(target) else target
        info = self._collector.collect(str(notebook))
        student = info["student_id"] if info else ""
        self._refuse(student or str(target), f"{student or 'A file'} was left out: {why}.")

    def _refuse(self, key: str, sentence: str) -> None:
        self._left_out.setdefault(key, f"{printable(sentence)} {AGAIN}")

    def _settle(self) -> None:
        """Leave out who has two files of one name, remove what others left, record dates."""
        for student, files in self._by_student().items():
            if twice := _ambiguous(files):
                self._refuse(student, f"{student} was left out: there is more than one {twice}.")
            if student in self._left_out:
                for file in files:
                    file.path.unlink(missing_ok=True)
            elif times := [file.when for file in files if file.when]:
                dates = Dates(Course(Path(self.parent.coursedir.root)), self._chapter)
                digests = (HandIn.at(file.path).digest for file in files)
                dates.record(student, max(times), [digest for digest in digests if digest])

    def _by_student(self) -> dict[str, list[_File]]:
        files = defaultdict(list)
        for path in self._written:
            if info := self._collector.collect(str(path)):
                name = str(Path(info["file_id"]).with_suffix(path.suffix))  # as nbgrader does
                files[info["student_id"]].append(_File(path, name, _when(info)))
        return files

    def _is_archive(self, path: Path) -> bool:
        return path.suffix.lower() in self.zip_ext

    def _is_of_a_student(self, target: Path) -> bool:
        return isinstance(self._collector, Canvas) and self._collector.entry_of(target) is not None

    @property
    def _collector(self) -> Any:
        return self.parent.collector_plugin_inst

    @property
    def _suffixes(self) -> list[str]:
        return self._collector.valid_ext

    @property
    def _chapter(self) -> str:
        return self.parent.coursedir.assignment_id


def _file(source: Path) -> bytes:
    if source.stat().st_size > SIZE_LIMIT:
        raise ArchiveError(f"is larger than {SIZE_LIMIT >> 20} MB")
    return source.read_bytes()


def _member(archive: ZipFile, member: ZipInfo) -> bytes:
    check(member)
    check_name(PurePosixPath(member.filename))
    return read(archive, member)


def _ambiguous(files: list[_File]) -> str:
    """The name of several files of which nbgrader cannot tell the newest, "" if there is none."""
    undated = {file.name for file in files if file.when is None}
    number = Counter(file.name for file in files)
    return next((name for name in sorted(undated) if number[name] > 1), "")


def _when(info: dict[str, Any]) -> datetime | None:
    """What the collector has read off the platform's name; nbgrader refuses what is no date."""
    try:
        when: datetime | None = parse_utc(info.get("timestamp") or None)
    except ValueError:
        return None
    return when
