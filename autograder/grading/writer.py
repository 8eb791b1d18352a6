"""The one that writes: notebooks at once, marks in batches, the journal after the marks."""

import json
import time
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder.course.course import Course
from autograder.course.dates import Dates
from autograder.course.nbgrader_errors import GradebookError
from autograder.grading.gradebook import Marks, Submission
from autograder.grading.hand_marks import digests
from autograder.grading.journal import Entry, Journal
from autograder.grading.results import Graded
from autograder.notebooks.hand_in import keep_receipts

BATCH, BATCH_SECONDS = 64, 0.5  # a transaction takes so many, or fewer once so long has passed


class Writer:
    """Writes what becomes of a chapter's submissions; `refused` says what could not be written.

    journal: where the entries of finished submissions are kept. submissions: of every student.
    """

    def __init__(self, course: Course, name: str, journal: Journal, submissions: dict[str, Path]):
        self.course, self.name, self.journal = course, name, journal
        self.submissions = submissions
        self.refused: dict[str, Exception] = {}
        self._batch: list[tuple[Graded, Entry]] = []
        self._due = time.monotonic() + BATCH_SECONDS
        self._open = ExitStack()

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, kind: Any, error: object, *_: object) -> None:
        with self._open:
            if not isinstance(error, GradebookError):  # which would be waited for again
                self.flush()  # also what was finished when Ctrl-C came

    @cached_property
    def gradebook(self) -> Marks:
        """Opened when the first marks are there, while the worker processes go on."""
        return self._open.enter_context(Marks(self.course, self.name))

    def target(self, student: str) -> Path:
        """Return the path of the student's autograded notebook."""
        step = self.course.directory.autograded_directory
        return self.course.folder(step, self.name, student) / f"{self.name}.ipynb"

    def take(self, graded: Graded, entry: Entry) -> None:
        """Write a submission that has a verdict; marks and journal entry follow a little later."""
        target = self.target(graded.student)
        _write_notebook(target, graded.notebook)
        submitted = self.course.around(graded.student, self.submissions[graded.student])
        keep_receipts(submitted, target.parent)
        self._batch.append((graded, entry))
        if len(self._batch) >= BATCH or time.monotonic() > self._due:
            self.flush()

    def flush(self) -> None:
        """One transaction for all that is waiting, then their lines in the journal."""
        batch, self._batch = self._batch, []
        if not batch:
            return
        try:
            self._commit(batch)
        except (OSError, GradebookError):  # of the disk, and of nobody's submission
            raise
        except Exception:  # of one of them: find out which
            for graded, entry in batch:
                self._commit_alone(graded, entry)
        self._due = time.monotonic() + BATCH_SECONDS

    def _marks_of(self, graded: Graded) -> Submission:
        submitted = self._dates.of(graded.student, self.submissions[graded.student])
        answers = digests(json.loads(graded.notebook), graded.scores)
        return Submission(graded.student, submitted, graded.scores, graded.comments, answers)

    def _commit(self, batch: list[tuple[Graded, Entry]]) -> None:
        self.gradebook.write([self._marks_of(graded) for graded, _ in batch])
        self.journal.add([entry for _, entry in batch])

    def _commit_alone(self, graded: Graded, entry: Entry) -> None:
        try:
            self._commit([(graded, entry)])
        except Exception as error:
            self.refused[graded.student] = error

    @cached_property
    def _dates(self) -> Dates:
        return Dates(self.course, self.name)


def _write_notebook(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)  # also where nbgrader left a read-only file
