"""`progress.json` beside the notebook keeps what a learner has solved, and is the learner's.

`check` writes it and `status` reads it. Nothing sends it anywhere, and no grade depends on it.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.common.files import PROGRESS
from autograder.judging.verdict import Kind, Verdict


@dataclass(frozen=True)
class Entry:
    """The last check of one exercise: whether it passed, points earned, when (UTC, ISO 8601)."""

    passed: bool
    points: float
    when: str


def note(folder: Path, verdict: Verdict) -> bool:
    """Keep the verdict in the folder's file; False where it cannot be written."""
    when = datetime.now(UTC).isoformat(timespec="seconds")
    entry = Entry(verdict.kind == Kind.PASSED, verdict.points or 0, when)
    with suppress(OSError):
        _replace(folder / PROGRESS, read(folder) | {verdict.exercise: entry})
        return True
    return False


def read(folder: Path) -> dict[str, Entry]:
    """Return the last check of each exercise; without what is not as `note` writes it."""
    try:
        kept = json.loads((folder / PROGRESS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    entries = kept.items() if isinstance(kept, dict) else ()
    return {name: entry for name, raw in entries if (entry := _entry(raw))}


def _entry(raw: Any) -> Entry | None:
    match raw:
        case {"passed": bool(passed), "points": int() | float() as points, "when": str(when)}:
            return Entry(passed, points, when)
    return None


def _replace(path: Path, entries: dict[str, Entry]) -> None:
    """All at once, so that whoever reads it finds the old file or the new one."""
    text = json.dumps({name: asdict(entry) for name, entry in entries.items()}, indent=2)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_text(text + "\n", encoding="utf-8")
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
