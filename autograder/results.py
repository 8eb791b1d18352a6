"""What `attn grade` keeps of a submission: one row per exercise, and what it was graded from."""

import hashlib
import json
from pathlib import Path
from typing import Any

from autograder.card import sentence
from autograder.judge import Verdict

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

    A line is written only after the gradebook has the marks, so a run that was killed goes on
    where it stopped.
    """

    def __init__(self, path: Path):
        self.path = path
        self.entries: dict[str, Row] = {}
        text = path.read_text() if path.exists() else ""
        for line in text.splitlines():
            self._read(line)
        self._torn = bool(text) and not text.endswith("\n")

    def _read(self, line: str) -> None:
        try:
            entry = json.loads(line)
            self.entries[entry["student"]] = entry
        except (ValueError, KeyError, TypeError):
            return  # the line that a killed run left half written

    def finished(self, student: str, mark: str) -> bool:
        """Whether this very submission was graded with these very checks."""
        return self.entries.get(student, {}).get("fingerprint") == mark

    def add(self, student: str, mark: str, found: list[Row]) -> None:
        """Append one finished submission."""
        entry = {"student": student, "fingerprint": mark, "rows": found}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(("\n" if self._torn else "") + json.dumps(entry) + "\n")
        self._torn = False
        self.entries[student] = entry
