"""This module reads a zip archive that a student handed in, or says why it is not taken.

Nothing is written here, and no more is unpacked than the limits allow, whatever the archive says of
itself.
"""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath

from autograder.notebooks.listing import SIZE_LIMIT, is_json, notebook_name

MEMBERS = 10_000  # of an archive with those within it
FILES = 100  # that are taken of them
DEPTH = 2  # archives within the student's archive
NAME_BYTES = 255  # of a file's name
ENTRY = b"PK\x01\x02"  # how each entry of an archive's table of contents begins
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    RuntimeError,
    ValueError,
    OverflowError,
)
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unpack without a limit


class ArchiveError(ValueError):
    """The archive is not taken; the message goes on where a sentence has named it."""


def files_in(data: bytes, suffixes: Collection[str]) -> dict[str, bytes]:
    """Return the files of a student's archive with one of the suffixes, by name, from every folder.

    One that a browser has renamed has its own name again, where no other file has it. Archives
    within the archive are opened too. Hidden files are passed over. Raises ArchiveError.
    """
    found: dict[str, bytes] = {}
    members = members_in(data, lambda path: bool(notebook_name(path.name, suffixes)))
    for path in sorted(members, key=lambda path: path.suffix not in suffixes):
        name, renamed = notebook_name(path.name, suffixes), path.suffix not in suffixes
        if renamed and (name in found or not is_json(members[path])):
            continue
        if name in found:
            raise ArchiveError(f"holds more than one {_named(name)}")
        found[name] = members[path]
    return found


def members_in(
    data: bytes, wanted: Callable[[PurePosixPath], bool], room: int = SIZE_LIMIT
) -> dict[PurePosixPath, bytes]:
    """Return the wanted files of a student's archive by their paths, as in `more.zip/work/a.ipynb`.

    Archives within the archive are opened too. Hidden files are passed over. room: in bytes.
    Raises ArchiveError.
    """
    unpacked = _Unpacked(wanted, room)
    unpacked.add(data, DEPTH, PurePosixPath())
    return unpacked.files


def open_archive(file: Path | io.BytesIO) -> zipfile.ZipFile:
    """Return an archive to read from. Raises ArchiveError where it is damaged or no archive."""
    with _refusing_damage():
        return zipfile.ZipFile(file)


def check(member: zipfile.ZipInfo) -> None:
    """Raise ArchiveError for what no archive should hold, whether it would be taken or not."""
    path, name = PurePosixPath(member.filename), _named(member.filename)
    if path.is_absolute() or ".." in path.parts or PureWindowsPath(member.filename).drive:
        raise ArchiveError(f"holds '{name}', a path that leads out of its folder")
    if "\\" in member.filename:
        raise ArchiveError(f"holds '{name}', a path with a backslash")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise ArchiveError(f"holds '{name}', which is a link")
    if member.flag_bits & 1:
        raise ArchiveError("is encrypted")


def check_name(path: PurePosixPath) -> None:
    """Raise ArchiveError unless a file can have the path, and a terminal can show it."""
    if not str(path).isprintable() or any(len(p.encode()) > NAME_BYTES for p in path.parts):
        raise ArchiveError(f"holds '{_named(path.name)}', a name that no file can have here")


def read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, room: int = SIZE_LIMIT) -> bytes:
    """Read a member, of at most `room` bytes. Raises ArchiveError for more, or for another method.

    What it holds beyond the size that it declares is never unpacked.
    """
    if member.file_size > room:
        raise ArchiveError(f"unpacks to more than {SIZE_LIMIT >> 20} MB")
    if member.compress_type not in METHODS:
        raise ArchiveError("is compressed by another method than deflate")
    with _refusing_damage(), archive.open(member) as file:
        return file.read(member.file_size)


@contextmanager
def _refusing_damage() -> Iterator[None]:
    try:
        yield
    except DAMAGED:
        raise ArchiveError("is damaged, or no zip archive") from None


def _named(text: str) -> str:
    """Return one printable line, and not long."""
    short = text if len(text) <= 80 else f"{text[:79]}…"
    return short if short.isprintable() else ascii(short)[1:-1]


@dataclass
class _Unpacked:
    """The files found so far, and what may still be found. room: in bytes."""

    wanted: Callable[[PurePosixPath], bool]
    room: int
    files: dict[PurePosixPath, bytes] = field(default_factory=dict)
    members: int = MEMBERS

    def add(self, data: bytes, depth: int, place: PurePosixPath) -> None:
        # counted before the table is read: a million entries take a gigabyte
        self.members -= data.count(ENTRY)
        if self.members < 0:
            raise ArchiveError(f"holds more than {MEMBERS:,} files")
        with open_archive(io.BytesIO(data)) as archive:
            members = archive.infolist()
            for member in members:
                check(member)
            for member in members:
                self._take(archive, member, depth, place / member.filename)

    def _take(
        self, archive: zipfile.ZipFile, member: zipfile.ZipInfo, depth: int, path: PurePosixPath
    ) -> None:
        if member.filename.endswith("/") or path.name.startswith("."):
            return
        if path.suffix.lower() == ".zip":
            if not depth:
                raise ArchiveError(f"holds archives within archives, more than {DEPTH} deep")
            self.add(self._read(archive, member), depth - 1, path)
        elif self.wanted(path):
            self._keep(path, self._read(archive, member))

    def _read(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
        data = read(archive, member, self.room)
        self.room -= len(data)
        return data

    def _keep(self, path: PurePosixPath, data: bytes) -> None:
        check_name(PurePosixPath(path.name))
        if path in self.files:
            raise ArchiveError(f"holds more than one {_named(path.name)}")
        if len(self.files) == FILES:
            raise ArchiveError(f"holds more than {FILES} files to collect")
        self.files[path] = data
