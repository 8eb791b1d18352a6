"""What `attn grade` keeps of a submission: one row per exercise, and what it was graded from."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autograder.judge import Verdict
from autograder.wording import sentence

Row = dict[str, Any]


def rows(student: str, chapter: str, verdicts: dict[str, Verdict]) -> list[Row]:
    """One row per exercise, as `--results` writes it. Points are null without a verdict."""
    return [
        {
            "student": student,
            "chapter": chapter,
            "exercise": name,
            "points": verdict.points,
            "max_points": verdict.max_points,
            "verdict": verdict.kind,
            "misconception": verdict.misconception or None,
            "message": " ".join(filter(None, (sentence(verdict.sentence), verdict.hint))),
        }
        for name, verdict in verdicts.items()
    ]


def fingerprint(*parts: bytes) -> str:
    """A digest of everything a verdict depends on: submission, exercises, engine, seed."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


class Journal:
    """A file of finished submissions, one JSON line each; the last line of a student counts.

    Lines are written only after the gradebook has the marks, so a run that was killed goes on
    where it stopped. In memory is where each line stands, not what it says.
    """

    def __init__(self, path: Path):
        self.path = path
        self._places: dict[str, tuple[str, int]] = {}
        self._end = 0
        if path.exists():
            with path.open("rb") as file:
                for line in file:
                    self._read(line)
                    self._end += len(line)
                self._torn = not line.endswith(b"\n") if self._end else False
        else:
            self._torn = False

    def _read(self, line: bytes) -> None:
        try:
            entry = json.loads(line)
            self._places[entry["student"]] = entry["fingerprint"], self._end
        except (ValueError, KeyError, TypeError):
            return  # the line that a killed run left half written

    def __contains__(self, student: str) -> bool:
        return student in self._places

    def entry(self, student: str) -> Row:
        """A finished submission: student, fingerprint, rows, notes, and the record of its grading.

        Entries that were written before there were records have none.
        """
        with self.path.open("rb") as file:
            file.seek(self._places[student][1])
            found: Row = json.loads(file.readline())
        return found

    def finished(self, student: str, mark: str) -> bool:
        """Whether this very submission was graded with these very checks."""
        return student in self and self._places[student][0] == mark

    def add(self, finished: list[Row]) -> None:
        """Append the entries of finished submissions."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            if self._torn:
                self._end += file.write(b"\n")
                self._torn = False
            for entry in finished:
                self._places[entry["student"]] = entry["fingerprint"], self._end
                self._end += file.write(json.dumps(entry).encode() + b"\n")


def write_results(path: Path, found: Iterable[list[Row]]) -> None:
    """One JSON object per line, in the order of `found`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        for student in found:
            file.writelines(json.dumps(row) + "\n" for row in student)
