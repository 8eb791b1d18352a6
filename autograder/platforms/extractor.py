"""Takes the zip of a learning platform apart, for `nbgrader zip_collect`.

nbgrader's own extractor ends for the whole class at one bad archive, and unpacks whatever is in it.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import Any
from zipfile import ZipFile, ZipInfo

from nbgrader.plugins import ExtractorPlugin

from autograder.common.errors import CourseError
from autograder.notebooks.archive import (
    ArchiveError,
    check,
    check_name,
    files_in,
    open_archive,
    read,
)
from autograder.notebooks.listing import SIZE_LIMIT, is_json, is_systems, notebook_name
from autograder.platforms.collecting import Collecting
from autograder.platforms.platform_collect import Platform
from autograder.showing.wording import printable

Time = tuple[float, float]  # greater for a later download
# where a file of a download goes to, what gives its bytes, and when it was downloaded
Item = tuple[Path, Callable[[], bytes], Time]


class CheckedExtractor(ExtractorPlugin):  # type: ignore[misc]  # nbgrader is untyped
    """Writes each student's notebooks for the collector; who hands in what is refused is left out.

    A zip in the archive folder is the platform's, and what is in it are the students' files, unless
    its own name is a student's. Several downloads may lie there: of each student the newest counts.
    """

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Fill the extracted folder, have nbgrader collect of it, and end the command.

        It ends with exit code 0, or 1 where somebody was left out or a file is nobody's: all others
        are collected, and a sentence for each says what to do. It is 1 with nothing collected where
        the platform's own zip is damaged, or the gradebook cannot be used.
        """
        self._all = Collecting(self.parent, Path(extracted_path), self.force)
        try:
            with ExitStack() as opened:
                self._take_all(list(self._items(Path(archive_path), Path(extracted_path), opened)))
            self._all.settle()
        except OSError as error:
            self.parent.fail("Nothing was collected: %s.", printable(str(error)))
        except CourseError as error:
            self.parent.fail("Nothing was collected. %s", printable(str(error)))
        raise SystemExit(self._all.collect())

    def _items(self, archives: Path, extracted: Path, opened: ExitStack) -> Iterator[Item]:
        """Yield each file of the downloads, but for what a system has put there."""
        for source in sorted(path for path in archives.rglob("*") if path.is_file()):
            target = extracted / source.relative_to(archives)
            if is_systems(target.relative_to(extracted)):
                continue
            if self._is_archive(target) and not self._is_of_a_student(target):
                yield from self._members(source, target, opened)
            else:
                changed = source.stat().st_mtime
                yield target, partial(_file, source), (changed, changed)

    def _members(self, source: Path, target: Path, opened: ExitStack) -> Iterator[Item]:
        try:
            archive = opened.enter_context(open_archive(source))
        except ArchiveError as error:
            self.parent.fail(
                "Nothing was collected: %s %s. Download it again.", printable(source.name), error
            )
        members = archive.infolist()
        packed = max(map(_packed, members), default=0.0), source.stat().st_mtime
        for member in members:
            if not member.filename.endswith("/") and not is_systems(PurePath(member.filename)):
                place = target / member.filename.lstrip("/")
                yield place, partial(_member, archive, member), packed

    def _take_all(self, items: list[Item]) -> None:
        if isinstance(self._collector, Platform):
            self._collector.survey(target for target, *_ in items)
        for item in items:
            self._take(*item)

    def _take(self, target: Path, content: Callable[[], bytes], time: Time) -> None:
        """Write a student's file, or those in a student's archive; or note why that cannot be."""
        self._all.see(target, time)
        if self._all.is_hidden(target):
            return
        name = notebook_name(target.name, self._suffixes)
        try:
            if self._is_archive(target):
                files = files_in(content(), self._suffixes)
                self._write({target / name: data for name, data in files.items()}, time)
            elif target.suffix in self._suffixes:
                self._write({target: content()}, time)
            elif name and is_json(data := content()):
                self._write({target / name: data}, time)
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
    """Say when a member was packed, by the platform's clock: both write the zip for a download."""
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
