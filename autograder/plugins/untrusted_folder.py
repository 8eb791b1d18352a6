"""Copies a folder that students can write to: a link in it may lead to another student's work."""

import os
import shutil
import stat
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NoReturn

Ignore = Callable[[str, list[str]], Collection[str]]  # a folder and its names; those to leave out


class FolderTooLarge(RuntimeError):
    """The files of a folder have more bytes than are allowed."""


def copy_files(source: Path, target: Path, ignore: Ignore, limit: int) -> list[str]:
    """Copy files and the folders that they lie in; return the paths of what is neither.

    No link is followed, even one that takes a file's place while this runs, and nothing waits for
    a pipe. limit: bytes in all. Raises FolderTooLarge, and OSError for what cannot be read.
    """
    left_out, room = [], limit
    for place, folders, names, at in os.fwalk(source, onerror=_fail):
        here = target / Path(place).relative_to(source)
        here.mkdir()
        ignored = {*ignore(place, [*folders, *names])}
        links = [name for name in folders if stat.S_ISLNK(_lstat(name, at))]
        folders[:] = [name for name in folders if name not in {*ignored, *links}]
        for name in [*links, *names]:
            if name not in ignored:
                size = _copy(name, at, here / name, room)
                room -= size or 0
                left_out += [str(Path(place, name).relative_to(source))] if size is None else []
    return left_out


def _fail(error: OSError) -> NoReturn:
    raise error


def _lstat(name: str, at: int) -> int:
    return os.stat(name, dir_fd=at, follow_symlinks=False).st_mode


def _copy(name: str, at: int, target: Path, room: int) -> int | None:
    """Copy one file and its date; return its bytes, None for what is no file."""
    if not stat.S_ISREG(_lstat(name, at)):
        return None
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # it may be something else by now
    with os.fdopen(os.open(name, flags, dir_fd=at), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            return None
        if about.st_size > room:
            raise FolderTooLarge("its files are too large")
        with target.open("wb") as copy:
            shutil.copyfileobj(file, copy)
    os.utime(target, ns=(about.st_atime_ns, about.st_mtime_ns))
    return about.st_size
