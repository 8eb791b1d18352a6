"""The file that a student handed in: its bytes, or one sentence why there are none."""

import errno
import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

SIZE_LIMIT = 100 * 2**20  # bytes
CLEAR = "Clear its outputs and hand it in again."
AGAIN = "Open it in Jupyter, save it, and hand it in again."


class NotebookError(ValueError):
    """The file is not a notebook that can be read; the message says why, for the student."""


class UnreadableError(NotebookError):
    """This machine could not read the file, which may be a good notebook."""


@dataclass(frozen=True)
class HandIn:
    """A student's file without its folder: its name, and its bytes or why there are none."""

    name: str
    found: bytes | NotebookError

    @classmethod
    def at(cls, path: Path) -> "HandIn":
        """The file as it is now."""
        try:
            return cls(path.name, content(path))
        except NotebookError as error:
            return cls(path.name, error)

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
        """What changes when the student hands in something else."""
        return self.found if isinstance(self.found, bytes) else str(self.found).encode()


def content(path: Path) -> bytes:
    """The bytes of a submission. Raises NotebookError unless it is a file of a fair size.

    No link is followed, neither for the file nor for the folder that it lies in.
    """
    try:
        descriptor = _open(path)
        try:
            return _read(descriptor, path)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _explained(path, error) from None


def shown(path: Path) -> str:
    """A file's name as a sentence can hold it."""
    name = path.name if len(path.name) < 80 else f"{path.name[:60]}…{path.name[-19:]}"
    return name if name.isprintable() else ascii(name)


def notebooks_in(folder: Path, chapter: str = "") -> list[Path]:
    """The files of a folder that may be a notebook or the chapter's by their names, sorted.

    chapter: by default the name of the folder.
    """
    with os.scandir(folder) as entries:
        names = [
            entry.name
            for entry in entries
            if entry.is_file(follow_symlinks=False) and not entry.name.startswith(".")
        ]
    begins = (chapter or folder.name).lower()
    return [
        folder / name
        for name in sorted(names)
        if ".ipynb" in name.lower() or name.lower().startswith(begins)
    ]


def _open(path: Path) -> int:
    """A descriptor of `path`; a pipe is opened without waiting for its other end."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        return os.open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)


def _read(descriptor: int, path: Path) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise NotebookError(f"{shown(path)} is not a file.")
    if status.st_size > SIZE_LIMIT:
        raise NotebookError(f"{shown(path)} is larger than {SIZE_LIMIT >> 20} MB. {CLEAR}")
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read(SIZE_LIMIT)


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
    try:
        others = [shown(other) for other in notebooks_in(path.parent, path.stem)]
    except OSError:
        others = []
    sentence = f"No notebook named {shown(path)} was submitted"
    if not others:
        return f"{sentence}."
    there = ", ".join(others[:3]) + (" and more" if len(others) > 3 else "")
    return f"{sentence}, but {there}. Give the right one that name and hand it in again."
