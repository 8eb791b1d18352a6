"""What changes in `submitted/`, whoever puts it there: an exchange, a download, a person."""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from autograder.arrivals.inbox import Work
from autograder.course.course import Course

ENTRIES = 1000  # that are looked at in each folder of a student
State = frozenset[tuple[str, int, int]]  # path, time of the last change, bytes


class HandInFolders:
    """The folders of students, as they were at the last two looks."""

    def __init__(self, course: Course, chapters: Collection[str]):
        self._course, self._chapters = course, chapters
        self._base = course.root / course.directory.submitted_directory
        self._last: dict[Work, State] = {}
        self._told: dict[Work, State] = {}
        self._students: set[str] = set()

    def changed(self) -> list[Work]:
        """Return what has changed since it was last returned, but not between the last two looks.

        A file that is being copied has another length at each look.
        """
        now = dict(self._states())
        still = [work for work in now if self._last.get(work) == now[work]]
        settled = [work for work in still if self._told.get(work) != now[work]]
        self._last = now
        self._told |= {work: now[work] for work in settled}
        return [work for work in settled if self._is_work(*work)]

    def note(self, collected: Collection[Work]) -> None:
        """Take these as returned: they were put there whole."""
        others = self._course.chapters
        for student in {student for _, student in collected}:
            states = self._of(self._base / student, others)
            now = {(chapter, student): state for chapter, state in states}
            self._last |= now
            self._told |= {work: now[work] for work in now.keys() & {*collected}}
            self._students.add(student)

    def _is_work(self, chapter: str, student: str) -> bool:
        """Tell whether it is a student's folder with work for the chapter, as grading finds it."""
        if student not in self._students:
            self._students |= {*self._course.handed_in(chapter)}
        return student in self._students and self._course.notebook(chapter, student) is not None

    def _states(self) -> Iterator[tuple[Work, State]]:
        others = self._course.chapters
        for entry in _entries(self._base):
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                for chapter, state in self._of(Path(entry.path), others):
                    yield (chapter, entry.name), state

    def _of(self, home: Path, others: Collection[str]) -> Iterator[tuple[str, State]]:
        """Yield what a student has for each chapter; a name that is no chapter's may be for any."""
        tops = {entry.name: frozenset(_walk(entry)) for entry in _entries(home)}
        odd = frozenset[tuple[str, int, int]]().union(
            *(state for name, state in tops.items() if name not in others and name[0] != ".")
        )
        for chapter in self._chapters:
            if state := odd | tops.get(chapter, frozenset()):
                yield chapter, state


def _walk(top: "os.DirEntry[str]") -> Iterator[tuple[str, int, int]]:
    stack, left = [top], ENTRIES
    while stack and left:
        entry, left = stack.pop(), left - 1
        with suppress(OSError):  # one that has just gone, or cannot be read
            about = entry.stat(follow_symlinks=False)
            yield entry.path, about.st_mtime_ns, about.st_size
        if entry.is_dir(follow_symlinks=False):
            stack += _entries(entry.path)


def _entries(folder: str | Path) -> list["os.DirEntry[str]"]:
    """Return what is in a folder; nothing of one that is not there, or cannot be read."""
    try:
        return [*os.scandir(folder)]
    except OSError:
        return []
