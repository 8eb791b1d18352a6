"""Several notebooks are weighed by what is written in them, to find the one that counts."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nbformat import NotebookNode

from autograder.common.cell import grade_id, is_solution
from autograder.notebooks.answers import Answers
from autograder.notebooks.hand_in import NotebookError
from autograder.notebooks.submission import Submission, parse
from autograder.notebooks.watchdog import OutOfTime

NOT_WRITTEN = "NotImplementedError"  # which a stub raises
KEPT = 10_000  # notebooks whose weights are kept


@dataclass(frozen=True)
class Weight:
    """A measure of what is written in a notebook. answers: a digest of them, "" without any.

    done, begun: answers in which nothing of the stub raises, and all. length: their characters.
    is_of_chapter: whether it has half of the chapter's cells for answers, by nbgrader's ids.
    """

    answers: str
    done: int
    begun: int
    length: int
    is_of_chapter: bool

    @property
    def amount(self) -> tuple[int, int]:
        return self.done, self.begun


@dataclass(frozen=True)
class Candidate:
    """A notebook that can be read. path: may lead into an archive."""

    path: Path
    weight: Weight


class Scale:
    """Weighs notebooks against one release. A command looks several times; each is read once."""

    _known: ClassVar[dict[tuple[bytes, bytes], Weight | None]] = {}

    def __init__(self, released: NotebookNode):
        self._released = released
        self._release = _digest(json.dumps(released, sort_keys=True).encode())

    def weigh(self, data: bytes, path: Path) -> Weight | None:
        """Weigh what is in the file at `path`; None where that is no notebook."""
        key = self._release, _digest(data)
        if key not in self._known:
            if len(self._known) >= KEPT:
                self._known.clear()
            self._known[key] = self._weighed(data, path)
        return self._known[key]

    def _weighed(self, data: bytes, path: Path) -> Weight | None:
        try:
            submission = parse(data, path)
            answers = Answers(self._released, submission).written()
        except (NotebookError, OutOfTime):
            return None
        done = sum(NOT_WRITTEN not in text for text in answers.values())
        text = json.dumps(answers, sort_keys=True).encode() if answers else b""
        return Weight(
            _digest(text).hex() if answers else "",
            done,
            len(answers),
            sum(map(len, answers.values())),
            self._is_of_chapter(submission),
        )

    def _is_of_chapter(self, submission: Submission) -> bool:
        asked = {grade_id(cell) for cell in self._released["cells"] if is_solution(cell)}
        there = {cell.grade_id for cell in submission.cells}
        return bool(asked) and 2 * len(asked & there) >= len(asked)


def best(candidates: Iterable[Candidate], named: Path) -> list[Candidate]:
    """Return those that hold different answers, and first the one that counts.

    It is the one with more written; of those with as much, the one at `named`, or the longest.
    Stubs with a remark in them, or of an earlier release, count where there is nothing else.
    """
    written = [one for one in candidates if one.weight.begun]
    written = [one for one in written if one.weight.done] or written
    nearest = sorted(written, key=lambda one: (one.path != named, len(one.path.parts), one.path))
    different = {one.weight.answers: one for one in reversed(nearest)}.values()

    def rank(one: Candidate) -> tuple[tuple[int, int], bool, int]:
        return one.weight.amount, one.path == named, one.weight.length

    return sorted(different, key=rank, reverse=True)


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
