"""This module sorts a platform's downloads for `nbgrader zip_collect`: who gets what.

Nothing is lost: what a newer hand-in replaces is kept beside the downloads, and whatever is not
collected is named with what to do about it.
"""

import shutil
from collections import defaultdict
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from autograder.course.course import Course
from autograder.course.dates import Dates
from autograder.course.groups import note_group
from autograder.course.roster import roster
from autograder.notebooks.listing import notebook_name
from autograder.platforms.newest import (
    DatedNames,
    Downloads,
    Fate,
    File,
    HandedIn,
    collected,
    decide,
    newest,
    order,
    ordered,
)
from autograder.platforms.platform_collect import Entry, NoOwner, Platform
from autograder.showing.wording import printable

REPLACED = "replaced"  # beside nbgrader's `archive` and `extracted`
AGAIN = "Put the notebook itself in its place, then run this again."
NO_NOTEBOOK = "there is no notebook"
ASK = "Ask for the .ipynb file."
NOT_THEIRS = "Remove from the archive folder what is not theirs, then run this again."
CONFLICT = (
    "{} has another number than {}, which was collected before: another person of that name, or "
    "another assignment"
)
Key = tuple[str, tuple[str, ...], str]  # a student, the download, the platform's number of them


class Collecting:
    """One run of zip_collect. app: nbgrader's. force: take what may be another person's, too."""

    def __init__(self, app: Any, extracted: Path, force: bool):
        self._app, self._extracted, self._force = app, extracted, force
        self._collector = app.collector_plugin_inst
        self._hand_ins: dict[Key, HandedIn] = {}
        self._first_files: dict[str, str] = {}  # the name of each student's first file, of any kind
        self._left_out: dict[str, str] = {}
        self._unmatched: dict[str, NoOwner] = {}
        self._remarks: list[str] = []
        self._written: set[Path] = set()
        self._taken: list[HandedIn] = []
        self._names = DatedNames()
        self._counts = {"new": 0, "replaced": 0, "unchanged": 0}

    def see(self, path: Path, downloaded: tuple[float, float]) -> None:
        """A file of a download, of whatever kind: whose it is, or that it is nobody's."""
        try:
            owned = self._owned(path)
        except NoOwner as why:
            self._unmatched.setdefault(self._name(path), why)
            return
        if owned:
            self._first_files.setdefault(owned[0], path.name)
            if owned[1].instead:
                self._hand_in(*owned, downloaded).fault = _no_notebook(path.name)
        elif isinstance(self._collector, Platform) and not self.is_hidden(path):
            self._unmatched[self._name(path)] = self._collector.unnamed(path)

    def is_hidden(self, path: Path) -> bool:
        """Tell whether Jupyter, say, has put a file there: `.ipynb_checkpoints/…`."""
        parts = path.relative_to(self._extracted).parts
        return any(part.startswith(".") and part != ".." for part in parts)

    def add(self, path: Path, downloaded: tuple[float, float]) -> None:
        """A notebook that was written."""
        self._written.add(path)
        info = self._collector.collect(str(path))
        if info is not None:
            owned = self._owned(path)
            name = str(Path(info["file_id"]).with_suffix(path.suffix))  # as nbgrader does
            self._names.add(path, info)
            was = path.parent.name
            renamed = notebook_name(was, self._collector.valid_ext) not in ("", was)
            file = File(path, name, order(info), owned[1] if owned else None, renamed)
            self._hand_in(info["student_id"], file.entry, downloaded).files.append(file)

    def refuse(self, path: Path, target: Path, why: str, downloaded: tuple[float, float]) -> None:
        """Refuse what a student handed in; path: of a notebook that it could hold."""
        info = self._collector.collect(str(path))
        if info is not None:
            owned = self._owned(path)
            hand_in = self._hand_in(info["student_id"], owned[1] if owned else None, downloaded)
            hand_in.fault = hand_in.fault or why
        elif self._name(target) not in self._unmatched:
            self._left_out[str(target)] = f"A file was left out: {why}. {AGAIN}"

    def settle(self) -> None:
        """Keep each student's newest hand-in, if it is not in `submitted/` already."""
        by_student = defaultdict(list)
        for hand_in in self._hand_ins.values():
            hand_in.settle()
            by_student[hand_in.student].append(hand_in)
        for student, hand_ins in sorted(by_student.items()):
            if chosen := self._newest(student, hand_ins):
                self._place(chosen)
        taken = {file.path for hand_in in self._taken for file in hand_in.files}
        for path in self._written - taken:
            path.unlink(missing_ok=True)
        self._notice_who_has_no_notebook()

    def collect(self) -> int:
        """nbgrader's next step, then what there is to say; returns the command's exit code."""
        if self._taken:
            self._collector.collect = ordered(self._collector.collect)
            self._app.process_extracted_files()
        for hand_in in self._taken:
            self._remember(hand_in)
            paths = [file.path for file in hand_in.files]
            self._names.stamp(self._submitted(hand_in.student), paths)
        for sentence in self._remarks:
            self._app.log.info(sentence)
        counted = ", ".join(f"{number} {word}" for word, number in self._counts.items())
        left_out = len(self._left_out) + len(self._unmatched)
        self._app.log.info("Collected: %s; %d left out.", counted, left_out)
        for sentence in self._left_out.values():
            self._app.log.critical(sentence)
        for name, why in self._unmatched.items():
            self._app.log.critical(f"Not collected: {printable(name)} {printable(str(why))}.")
        for advice in dict.fromkeys(why.advice for why in self._unmatched.values()):
            self._app.log.critical(advice)
        return 1 if self._left_out or self._unmatched else 0

    def _newest(self, student: str, hand_ins: list[HandedIn]) -> HandedIn | None:
        chosen, why = newest(hand_ins)
        if why:
            faulty = any(one.fault == why for one in hand_ins)
            advice = AGAIN if faulty else NOT_THEIRS
            self._leave_out(student, why, ASK if why.startswith(NO_NOTEBOOK) else advice)
        return chosen

    def _place(self, hand_in: HandedIn) -> None:
        """Make room for a hand-in in `submitted/`, if it has to go there."""
        student, place = hand_in.student, self._submitted(hand_in.student)
        there = collected(place) if place.is_dir() and any(place.iterdir()) else None
        before, now = self._downloads.of(student), hand_in.download(self._platform)
        fate = decide(there, before, hand_in.notebooks, now)
        if fate == Fate.CONFLICT and not self._force:
            self._leave_out(
                student,
                CONFLICT.format(now and now.name, before and before.name),
                "To replace the earlier one, run this again with --force.",
            )
        elif fate == Fate.SAME:
            self._counts["unchanged"] += 1
            self._remember(hand_in)
        elif fate == Fate.OLDER:
            self._counts["unchanged"] += 1
            self._remarks.append(
                f"{self._called(student)}: a hand-in that was collected earlier "
                "is newer, and stays."
            )
        else:
            self._take(hand_in)
            self._counts["new" if fate == Fate.NEW else "replaced"] += 1
            if fate != Fate.NEW:
                self._move_aside(student, place)

    def _take(self, hand_in: HandedIn) -> None:
        """Have nbgrader collect it, and say what of it counts where that is not all."""
        self._taken.append(hand_in)
        called = self._called(hand_in.student)
        if hand_in.older:
            times = 1 + len(hand_in.older)
            self._remarks.append(
                f"{called} handed in {hand_in.older[0].name} {times} times; the last one counts."
            )
        for file in hand_in.beside:
            self._remarks.append(
                f"{called}: {file.name} counts, and not "
                f"{printable(file.path.parent.name)} beside it."
            )

    def _move_aside(self, student: str, place: Path) -> None:
        base = Path(self._app._format_collect_path(REPLACED), student)
        base.mkdir(parents=True, exist_ok=True)
        kept = next(base / str(n) for n in count(1) if not (base / str(n)).exists())
        shutil.move(place, kept)
        where = kept.relative_to(self._course.root)
        self._remarks.append(
            f"{self._called(student)}: a newer hand-in replaces the earlier one, kept in {where}."
        )

    def _remember(self, hand_in: HandedIn) -> None:
        """Note when it was handed in, and how the platform calls it."""
        student = hand_in.student
        if when := self._names.last(file.path for file in hand_in.files):
            Dates(self._course, self._chapter).record(student, when, hand_in.notebooks)
        download = hand_in.download(self._platform, group := self._group(hand_in))
        if group and collected(self._submitted(student)) == hand_in.notebooks:
            note_group(self._course, self._chapter, group, student)
        if download and download != self._downloads.of(student):
            self._downloads.record(download)

    def _group(self, hand_in: HandedIn) -> str:
        """Return the group for which it was handed in as a whole, "" where it is a student's."""
        entry = hand_in.entry
        known = entry is not None and isinstance(self._collector, Platform)
        return str(self._collector.group(entry, hand_in.student)) if known else ""

    def _notice_who_has_no_notebook(self) -> None:
        known = {hand_in.student for hand_in in self._hand_ins.values()}
        for student, name in sorted(self._first_files.items()):
            if student not in known:
                self._leave_out(student, _no_notebook(name), ASK)

    def _leave_out(self, student: str, why: str, what_to_do: str) -> None:
        sentence = f"{self._called(student)} was left out: {printable(why)}. {what_to_do}"
        self._left_out.setdefault(student, sentence)

    def _hand_in(
        self, student: str, entry: Entry | None, downloaded: tuple[float, float]
    ) -> HandedIn:
        place, person = (entry.place, entry.person) if entry else ((), "")
        hand_in = self._hand_ins.setdefault((student, place, person), HandedIn(student, person))
        hand_in.seen(entry, downloaded)
        return hand_in

    def _owned(self, path: Path) -> tuple[str, Entry] | None:
        return self._collector.owned(path) if isinstance(self._collector, Platform) else None

    def _name(self, path: Path) -> str:
        """Return a file, or the folder that the platform named, as the teacher finds it."""
        parts = path.relative_to(self._extracted).parts
        named = isinstance(self._collector, Platform) and self._collector.named(path)
        return "/".join(parts[: len(named[0].place) + 1] if named else parts)

    def _submitted(self, student: str) -> Path:
        directory = self._app.coursedir
        place = directory.format_path(directory.submitted_directory, student, self._chapter)
        return Path(place)

    def _called(self, student: str) -> str:
        return printable(self._roster.named(student))

    @property
    def _platform(self) -> str:
        return type(self._collector).__name__

    @cached_property
    def _roster(self) -> Any:
        return roster(self._course)

    @cached_property
    def _course(self) -> Course:
        return Course(Path(self._app.coursedir.root))

    @cached_property
    def _downloads(self) -> Downloads:
        return Downloads(self._course, self._chapter)

    @property
    def _chapter(self) -> str:
        return str(self._app.coursedir.assignment_id)


def _no_notebook(name: str) -> str:
    return f"{NO_NOTEBOOK}, but {printable(name, 80)}"
