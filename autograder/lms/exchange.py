"""Collects from nbgrader's exchange, for `nbgrader collect`, and keeps when work was handed in."""

import shutil
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import ExchangeCollect
from nbgrader.utils import parse_utc

from autograder.course.course import Course
from autograder.course.dates import STAMP, Dates
from autograder.notebooks.hand_in import HandIn, notebooks_in


class Collect(ExchangeCollect):  # type: ignore[misc]  # nbgrader is untyped
    """Takes as the date what the exchange's own folder says, not what a file in it says."""

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy a submission, whose folder is called STUDENT+CHAPTER+DATE+RANDOM."""
        super().do_copy(src, dest, log)
        student, chapter, date, *_ = Path(src).name.rsplit("+", 3)
        self._stamp(Path(dest, STAMP), date)
        digests = (HandIn.at(path).digest for path in notebooks_in(Path(dest)))
        dates = Dates(Course(Path(self.coursedir.root)), chapter)
        dates.record(student, parse_utc(date), [digest for digest in digests if digest])

    def _stamp(self, path: Path, date: str) -> None:
        """The file that `nbgrader autograde` and formgrader read."""
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.write_text(date)
