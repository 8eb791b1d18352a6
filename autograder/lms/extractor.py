"""Takes the zip of a learning platform apart, for `nbgrader zip_collect`.

nbgrader's own extractor ends for the whole class at one bad archive, and unpacks whatever is in it.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import ZipFile, ZipInfo

from nbgrader.plugins import ExtractorPlugin

from autograder.lms.collecting import Collecting
from autograder.lms.platform_collect import Platform
from autograder.notebooks.archive import (
    ArchiveError,
    check,
    check_name,
    files_in,
    open_archive,
    read,
)
from autograder.notebooks.listing import SIZE_LIMIT
from autograder.showing.wording import printable

Time = tuple[float, float]  # greater for a later download


class CheckedExtractor(ExtractorPlugin):  # type: ignore[misc]  # nbgrader is untyped
    """Writes each student's notebooks for the collector; who hands in what is refused is left out.

    A zip in the archive folder is the platform's, and what is in it are the students' files, unless
    its own name is a student's. Several downloads may lie there: of each student the newest counts.
    """

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Fill the extracted folder, have nbgrader collect of it, and end the command.

        It ends with exit code 0, or 1 where somebody was left out or a file is nobody's: all others
        are collected, and a sentence for each says what to do. It is 1 with nothing collected where
        the platform's own zip is damaged.
        """
        self._all = Collecting(self.parent, Path(extracted_path), self.force)
        try:
            for source in sorted(path for path in Path(archive_path).rglob("*") if path.is_file()):
                self._extract(source, Path(extracted_path, source.relative_to(archive_path)))
            self._all.settle()
        except OSError as error:
            self.parent.fail("Nothing was collected: %s.", printable(str(error)))
        raise SystemExit(self._all.collect())

    def _extract(self, source: Path, target: Path) -> None:
        if self._is_archive(target) and not self._is_of_a_student(target):
            try:
                self._extract_platform(source, target)
            except ArchiveError as error:
                self.parent.fail("Nothing was collected: %s %s. Download it again.",
                                 printable(source.name), error)  # fmt: skip
        else:
            changed = source.stat().st_mtime
            self._take(target, partial(_file, source), (changed, changed))

    def _extract_platform(self, source: Path, target: Path) -> None:
        with open_archive(source) as archive:
            members = archive.infolist()
            packed = max(map(_packed, members), default=0.0), source.stat().st_mtime
            for member in members:
                if not member.filename.endswith("/"):
                    place = target / member.filename.lstrip("/")
                    self._take(place, partial(_member, archive, member), packed)

    def _take(self, target: Path, content: Callable[[], bytes], time: Time) -> None:
        """Write a student's file, or those in a student's archive; or note why that cannot be."""
        self._all.see(target)
        try:
            if self._is_archive(target):
                files = files_in(content(), self._suffixes)
                self._write({target / name: data for name, data in files.items()}, time)
            elif target.suffix in self._suffixes:
                self._write({target: content()}, time)
        except ArchiveError as error:
            inner = target / f"notebook{self._suffixes[0]}" if self._is_archive(target) else target
            self._all.refuse(inner, target, f"{printable(target.name, 80)} {error}", time)

    def _write(self, files: dict[Path, bytes], time: Time) -> None:
        for path, data in files.items():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            except (FileExistsError, IsADirectoryError, NotADirectoryError):
                raise ArchiveError("is a file and a folder at once") from None
            self._all.add(path, time)

    def _is_archive(self, path: Path) -> bool:
        return path.suffix.lower() in self.zip_ext

    def _is_of_a_student(self, target: Path) -> bool:
        return isinstance(self._collector, Platform) and bool(self._collector.named(target))

    @property
    def _collector(self) -> Any:
        return self.parent.collector_plugin_inst

    @property
    def _suffixes(self) -> list[str]:
        return self._collector.valid_ext


def _packed(member: ZipInfo) -> float:
    """When a member was packed, on the platform's clock: both write the zip as it is downloaded."""
    try:
        return datetime(*member.date_time).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _file(source: Path) -> bytes:
    if source.stat().st_size > SIZE_LIMIT:
        raise ArchiveError(f"is larger than {SIZE_LIMIT >> 20} MB")
    return source.read_bytes()


def _member(archive: ZipFile, member: ZipInfo) -> bytes:
    check(member)
    check_name(PurePosixPath(member.filename))
    return read(archive, member)
