"""Marks that change when a class is graded again are kept apart until they are announced."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from autograder.grading.journal import Entry, HeldPayload, Journal
from autograder.grading.results import Graded


@dataclass(frozen=True)
class Mark:
    """The points that an exercise was given."""

    points: float
    max_points: float
    verdict: str

    def __str__(self) -> str:
        return f"{self.points:g} of {self.max_points:g}, {self.verdict}"


@dataclass(frozen=True)
class Change:
    """One exercise of one student before and after; None where the chapter has or had it not."""

    student: str
    exercise: str
    before: Mark | None
    after: Mark | None
    handed_in_again: bool

    @property
    def gain(self) -> float:
        """Points more than before."""
        before, after = (mark.points if mark else 0.0 for mark in (self.before, self.after))
        return after - before


def changes(before: Entry, after: Entry) -> list[Change]:
    """Return the exercises in which points or verdict differ between two entries of a student."""
    old, new = _marks(before), _marks(after)
    return [
        Change(after["student"], name, old.get(name), new.get(name), _again(before, after))
        for name in old | new
        if old.get(name) != new.get(name)
    ]


def in_one_sentence(differing: list[Change], students: int) -> str:
    """Say in a sentence how many students are concerned, how many gain and how many lose."""
    gains = defaultdict[str, float](float)
    for change in differing:
        gains[change.student] += change.gain
    counts = {
        "gain": sum(gain > 0 for gain in gains.values()),
        "lose": sum(gain < 0 for gain in gains.values()),
        "keep": sum(gain == 0 for gain in gains.values()),
    }
    parts = [_counted(number, verb) for verb, number in counts.items() if number]
    return f"{len(gains)} of {students} student{'' if students == 1 else 's'}: {', '.join(parts)}."


def _counted(number: int, verb: str) -> str:
    said = f"{verb}s" if number == 1 else verb
    return f"{number} {said} the points" if verb == "keep" else f"{number} {said}"


def write_changes(path: Path, differing: list[Change]) -> None:
    """One JSON object per line: student, exercise, the marks before and after."""
    with path.open("w") as file:
        file.writelines(json.dumps(asdict(change)) + "\n" for change in differing)


class Held:
    """Graded submissions whose marks differ from those in the journal, in a file beside it.

    fingerprints: by student, of what would be graded now. What was held of anything else
    is of no use any more, and neither is what was written before a run was killed: it is passed
    over here, and is gone from the file once `drop` was called. chosen: who is graded; what is held
    of others is not spoken of, and stays, also that of students without a fingerprint.
    """

    def __init__(
        self, path: Path, journal: Journal, fingerprints: dict[str, str], chosen: Collection[str]
    ):
        self.path, self.journal = path, journal
        self._lines = Journal(path)
        held = {
            student
            for student in self._lines.students
            if (student not in fingerprints or self._lines.finished(student, fingerprints[student]))
            and self._waits(self._lines.entry(student))
        }
        self._students, self._others = held.intersection(chosen), held.difference(chosen)

    def __len__(self) -> int:
        return len(self._students)

    def __contains__(self, student: str) -> bool:
        return student in self._students

    def __iter__(self) -> Iterator[tuple[Graded, Entry]]:
        """Yield what is held: a graded submission and its entry for the journal."""
        for student in sorted(self._students):
            entry = self._lines.entry(student)
            rest = entry.pop("held")
            yield Graded(student, entry["rows"], notes=entry["notes"], **rest), entry

    def take(self, graded: Graded, entry: Entry) -> bool:
        """Hold a graded submission if its marks differ from earlier ones; returns whether."""
        if not self._differs(entry):
            return False
        rest: HeldPayload = {
            "notebook": graded.notebook,
            "scores": graded.scores,
            "comments": graded.comments,
        }
        self._lines.add([{**entry, "held": rest}])
        self._students.add(graded.student)
        return True

    def changes(self) -> list[Change]:
        """Return what would change if all that is held were written, sorted by student."""
        return [
            change
            for student in sorted(self._students)
            for change in changes(self.journal.entry(student), self._lines.entry(student))
        ]

    def is_of_other_work(self, entry: Entry) -> bool:
        """Tell whether an entry is of another file or other cases than the journal's, or may be."""
        before, now = self.journal.entry(entry["student"]).get("record"), entry.get("record")
        if before is None or now is None:
            return True
        return (before["submission"], before["seed"]) != (now["submission"], now["seed"])

    def drop(self, students: Collection[str] | None = None) -> None:
        """Forget what is held of some of the chosen students, by default of all of them."""
        self._students -= {*(self._students if students is None else students)}
        kept = [self._lines.entry(one) for one in sorted(self._students | self._others)]
        self.path.unlink(missing_ok=True)
        self._lines = Journal(self.path)
        if kept:
            self._lines.add(kept)

    def _waits(self, entry: Entry) -> bool:
        return "held" in entry and self._differs(entry)

    def _differs(self, entry: Entry) -> bool:
        student = entry["student"]
        return student in self.journal and bool(changes(self.journal.entry(student), entry))


def _marks(entry: Entry) -> dict[str, Mark]:
    return {
        row["exercise"]: Mark(row["points"] or 0, row["max_points"], row["verdict"])
        for row in entry["rows"]
    }


def _again(before: Entry, after: Entry) -> bool:
    """Tell whether the student handed in another file in between, as far as entries record it."""
    if "record" not in before or "record" not in after:
        return False
    return before["record"]["submission"] != after["record"]["submission"]
