"""What students handed in themselves, where a group's work takes its place in their folders.

It is kept beside `submitted/`, and brought back when a student leaves the group.
"""

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from autograder.course.course import Course
from autograder.course.dates import STAMP
from autograder.notebooks.hand_in import HandIn, receipt
from autograder.notebooks.listing import RECEIPTS, is_systems

KEPT = "own_hand_ins"  # the folder in the course's root
NOTE = "group.txt"  # says in a student's folder whose work it is
SECRET = "submission_secret.txt"  # of the student: nbgrader makes the feedback's address of it


class Folders:
    """The students' folders of one chapter in `submitted/`, and what is kept beside it."""

    def __init__(self, course: Course, chapter: str):
        self._root, self._chapter = course.root, chapter
        self._submitted = Path(course.root, course.directory.submitted_directory)

    def of(self, student: str) -> Path:
        """Return the student's folder; may not exist."""
        return self._submitted / student / self._chapter

    def kept(self, student: str) -> Path | None:
        """Return what the student handed in last of what is kept, None where nothing is."""
        base = self._base(student)
        numbers = [int(path.name) for path in base.glob("*") if path.name.isdecimal()]
        return base / str(max(numbers)) if numbers else None

    def put_away(self, student: str, name: str = "{}") -> Path:
        """Move what is in the student's folder to what is kept, and return where it is now."""
        base = self._base(student)
        base.mkdir(parents=True, exist_ok=True)
        place = next(place for n in count(1) if not (place := base / name.format(n)).exists())
        shutil.move(self.of(student), place)
        return place

    def bring_back(self, student: str) -> bool:
        """Move what was kept last into the student's folder; False where nothing was."""
        place = self.kept(student)
        if place is None:
            return False
        self.of(student).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(place, self.of(student))
        return True

    def give(self, source: Path, student: str, note: str, clear: Callable[[str], object]) -> None:
        """Write a copy of a folder over the student's, all of it or nothing.

        clear: called with the student before, if the student's folder is there.
        """
        target = self.of(student)
        secret = receipt(target / SECRET)
        half = target.with_name(f".{target.name}.part")
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(parents=True)
        for path in _files(source):
            place = half / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place, follow_symlinks=False)
        _copy_stamp(source, half)
        _write_note(half, note)
        if secret:
            (half / SECRET).write_text(secret)
        if os.path.lexists(target):
            clear(student)
        half.rename(target)

    def note_anew(self, source: Path, student: str, note: str) -> None:
        """Give a copy the date that the source has now, and another note."""
        _copy_stamp(source, self.of(student))
        _write_note(self.of(student), note)

    def remove(self, student: str) -> None:
        """Remove the student's folder."""
        shutil.rmtree(self.of(student))

    def _base(self, student: str) -> Path:
        return self._root / KEPT / self._chapter / student


def digest(folder: Path) -> str:
    """SHA-256 of the names and contents of all files that a student handed in; "" without any."""
    if folder.is_symlink() or not folder.is_dir():
        return ""
    all_files, some = hashlib.sha256(), False
    for path in _files(folder):
        some = True
        all_files.update(hashlib.sha256(str(path.relative_to(folder)).encode()).digest())
        all_files.update(_content(path))
    return all_files.hexdigest() if some else ""


def stamp_digest(folder: Path) -> str:
    """SHA-256 of the file with the date of hand-in, "" where there is none."""
    return HandIn.at(folder / STAMP).digest or ""


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files and links that a student handed in, sorted; no link is followed."""
    for place, folders, names in os.walk(folder):
        links = [name for name in folders if Path(place, name).is_symlink()]
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted([*names, *links]):
            path = Path(place, name)
            if not name.startswith(".") and not is_systems(path) and _is_handed_in(path, folder):
                yield path


def _is_handed_in(path: Path, folder: Path) -> bool:
    ours = path.parent == folder and path.name in (*RECEIPTS, NOTE)
    return not ours and (path.is_symlink() or stat.S_ISREG(path.stat().st_mode))


def _content(path: Path) -> bytes:
    if path.is_symlink():
        return hashlib.sha256(b"link to " + os.fsencode(path.readlink())).digest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _copy_stamp(source: Path, target: Path) -> None:
    (target / STAMP).unlink(missing_ok=True)
    if (source / STAMP).is_file() and not (source / STAMP).is_symlink():
        shutil.copyfile(source / STAMP, target / STAMP)


def _write_note(folder: Path, note: str) -> None:
    (folder / NOTE).unlink(missing_ok=True)  # it may be a link
    (folder / NOTE).write_text(note, encoding="utf-8")
