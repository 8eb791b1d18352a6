"""So many cards an hour for each student: who hands in more often waits for the next."""

import json
from collections import defaultdict
from pathlib import Path

HOUR = 3600.0  # seconds


class Allowance:
    """When each student got a card, in a file, so that another start does not forget it.

    path: of a chapter's file, a JSON line for each card. per_hour: how many are allowed.
    """

    def __init__(self, path: Path, per_hour: int):
        self.path, self._per_hour = path, per_hour
        self._cards: dict[str, list[float]] = defaultdict(list)
        if path.exists():
            for line in path.read_bytes().splitlines():
                self._read(line)

    def _read(self, line: bytes) -> None:
        try:
            entry = json.loads(line)
            self._cards[entry["student"]].append(float(entry["when"]))
        except (ValueError, KeyError, TypeError):
            pass  # the line that a killed process left half written

    def free_at(self, student: str) -> float:
        """Return the time, in seconds since 1970, from which the student may have a card."""
        recent = self._cards[student][-self._per_hour :]
        return recent[0] + HOUR if len(recent) == self._per_hour else 0.0

    def spend(self, student: str, now: float) -> None:
        """Remember that the student gets a card now."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:  # a killed process may have left half a line
            file.write("\n" + json.dumps({"student": student, "when": now}))
        self._cards[student].append(now)
