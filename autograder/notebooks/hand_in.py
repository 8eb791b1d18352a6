"""The file that a student handed in: its bytes, or one sentence why there are none."""

import errno
import hashlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.notebooks.archive import ArchiveError, members_in
from autograder.notebooks.kinds import ITSELF, no_notebook
from autograder.notebooks.listing import (
    SIZE_LIMIT,
    entries,
    is_nobodys,
    listing,
    may_be_notebook,
    shown,
    shown_text,
)

CLEAR = "Clear its outputs and hand it in again."
ARCHIVE = b"PK\x03\x04"  # how a zip begins that holds something
NAMED = 3  # files that a sentence names
LOOKED_AT = 20  # files that are looked into for what they are
BLANKS = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"


class NotebookError(ValueError):
    """The file is not a notebook that can be read; the message says why, for the student."""


class UnreadableError(NotebookError):
    """This machine could not read the file, which may be a good notebook."""


@dataclass(frozen=True)
class HandIn:
    """A student's file without its folder: its name, and its bytes or why there are none.

    notes: what the teacher should know of where it was found.
    """

    name: str
    found: bytes | NotebookError
    notes: tuple[str, ...] = ()

    @classmethod
    def at(cls, path: Path, *notes: str) -> "HandIn":
        """Read the file as it is now, perhaps in an archive: `folder/work.zip/04_masks.ipynb`."""
        try:
            return cls(path.name, content(path), notes)
        except NotebookError as error:
            return cls(path.name, error, notes)

    @property
    def data(self) -> bytes:
        """The bytes. Raises the NotebookError that is there instead."""
        if isinstance(self.found, NotebookError):
            raise self.found
        return self.found

    @property
    def digest(self) -> str | None:
        """SHA-256 of the file, None where it could not be read."""
        if isinstance(self.found, NotebookError):
            return None
        return hashlib.sha256(self.found).hexdigest()

    @property
    def mark(self) -> bytes:
        """Return bytes that change when the student hands in something else, or elsewhere."""
        found = self.found if isinstance(self.found, bytes) else str(self.found).encode()
        return b"\n".join([found, *(note.encode() for note in self.notes)])


def content(path: Path) -> bytes:
    """Return the bytes of a submission. Raises NotebookError unless it is a file of a fair size.

    No link is followed, neither for the file nor for the folder that it lies in.
    """
    try:
        descriptor = _open(path)
        try:
            return _read(descriptor, path)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno == errno.ENOTDIR and (archive := _archive(path)):
            return _unpacked(*archive, path)
        raise _explained(path, error) from None


def head(path: Path) -> bytes:
    """Return the first bytes of a file that are no blanks or marks of an encoding, if readable."""
    try:
        descriptor = _open(path)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        return file.read(64).lstrip(BLANKS) if _is_regular(descriptor) else b""


def notebooks_in(folder: Path, chapter: str = "") -> list[Path]:
    """Return the files of a folder that may be a notebook or the chapter's by their names, sorted.

    chapter: by default the name of the folder.
    """
    with os.scandir(folder) as entries:
        names = [
            entry.name
            for entry in entries
            if entry.is_file(follow_symlinks=False) and not entry.name.startswith(".")
        ]
    begins = chapter or folder.name
    return [folder / name for name in sorted(names) if may_be_notebook(name, begins)]


def _archive(path: Path) -> tuple[Path, bytes] | None:
    """Return the archive that a path leads into, and its bytes; None where it leads into none."""
    for place in path.parents:
        if _is_file(place):
            data = content(place)
            return (place, data) if data.startswith(ARCHIVE) else None
    return None


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _unpacked(archive: Path, data: bytes, path: Path) -> bytes:
    """Return the bytes of the file at `path`, which lies in an archive."""
    within = PurePosixPath(path.relative_to(archive))
    try:
        return members_in(data, lambda member: member == within)[within]
    except ArchiveError as error:
        raise NotebookError(f"{shown(archive)} {error}.") from None
    except KeyError:
        raise NotebookError(f"{shown(path)} is not in {shown(archive)} any more.") from None


def _open(path: Path) -> int:
    """Return a descriptor of `path`; a pipe is opened without waiting for its other end."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        return os.open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)


def _read(descriptor: int, path: Path) -> bytes:
    if not _is_regular(descriptor):
        raise NotebookError(f"{shown(path)} is not a file.")
    if os.fstat(descriptor).st_size > SIZE_LIMIT:
        raise NotebookError(f"{shown(path)} is larger than {SIZE_LIMIT >> 20} MB. {CLEAR}")
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read(SIZE_LIMIT)


def _is_regular(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)


def _explained(path: Path, error: OSError) -> NotebookError:
    if error.errno == errno.ENOENT:
        return NotebookError(_absent(path))
    if error.errno == errno.ENOTDIR:
        return NotebookError(f"{shown(path.parent)} is not a folder with a notebook in it.")
    if error.errno == errno.ELOOP:
        return NotebookError(f"{shown(path)} is a link. Hand in the file itself.")
    if error.errno == errno.ENXIO:
        return NotebookError(f"{shown(path)} is not a file.")
    return UnreadableError(f"{shown(path)} could not be read: {error.strerror}.")


def _absent(path: Path) -> str:
    there = listing(path.parent, path.stem)
    others = [*there.notebooks, *there.archives, *there.others]
    sentence = f"No notebook named {shown(path)} was submitted"
    if not others:
        left = [entry for entry in entries(path.parent, LOOKED_AT) if not is_nobodys(Path(entry))]
        return f"{sentence}." if left else f"{sentence}: the folder is empty."
    names = [shown_text(str(other.relative_to(path.parent))) for other in others]
    return f"{sentence}, but {_first(names)}. {_advice(others, there.notebooks)}"


def _first(names: list[str]) -> str:
    """Return the first names of a list, and how many more there are."""
    shown = names[:NAMED] + ([f"{len(names) - NAMED} more"] if len(names) > NAMED else [])
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _advice(files: list[Path], named: list[Path]) -> str:
    """Say what to do where none of some files counts; named: those with a notebook's name."""
    known = []
    for path in files[:LOOKED_AT]:
        says = no_notebook(path.name, head(path))
        if not says and path in named:
            return "Give the right one that name and hand it in again."
        known += [f"{shown(path) if len(files) > 1 else 'It'} {says}"] if says else []
    return known[0] if known else ITSELF


# When it was handed in, and the secret that the feedback's address is made of.
RECEIPT = {"timestamp.txt": r"[\w :.+-]{1,64}\s*", "submission_secret.txt": r"[0-9a-f]{128}"}


def receipt(path: Path) -> str | None:
    """Return the text of such a file; None if `path` is anything else, a link, or too long.

    A student can hand in any file of that name: what does not look like a receipt goes nowhere.
    """
    if path.name not in RECEIPT:
        return None
    try:
        text = content(path).decode()
    except (NotebookError, UnicodeDecodeError):
        return None
    return text if re.fullmatch(RECEIPT[path.name], text, re.ASCII) else None


def keep_receipts(submitted: Path, autograded: Path) -> None:
    """Copy them from a student's folder to the one that nbgrader makes feedback from."""
    for name in RECEIPT:
        text = receipt(submitted / name)
        target = autograded / name
        target.unlink(missing_ok=True)  # nbgrader leaves read-only files
        if text is not None:
            target.write_text(text)
