"""Through nbgrader's exchange go releases without a secret, and work with its date."""

import shutil
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseAssignment
from nbgrader.utils import gettz, ignore_patterns

from autograder.chapters.solutions import chapter_names
from autograder.common.errors import CourseError
from autograder.course import assistants
from autograder.course.course import Course
from autograder.course.dates import STAMP, Dates, moment
from autograder.course.release import refuse_to_hand_out
from autograder.notebooks.candidates import paths_in
from autograder.notebooks.hand_in import HandIn
from autograder.plugins.untrusted_folder import copy_files
from autograder.showing.wording import printable


class Release(ExchangeReleaseAssignment):  # type: ignore[misc]  # nbgrader is untyped
    """Hands out what `attn release` made, for `nbgrader release_assignment` and formgrader."""

    def init_src(self) -> None:
        """nbgrader would copy whatever lies in the folder, a solution or the secret seed, too."""
        super().init_src()
        name = self.coursedir.assignment_id
        if name not in chapter_names(Path(self.coursedir.root)):
            return  # an assignment that nbgrader makes alone
        try:
            refuse_to_hand_out(Path(self.src_path), name, self.coursedir.ignore)
        except (CourseError, OSError) as error:
            self.fail(f"Nothing was released. {printable(str(error))}")

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy the rule for assistants too; nbgrader's settings leave out all Markdown files."""
        super().do_copy(src, dest, log)
        for name in assistants.FILES:
            if (rule := Path(src, name)).is_file():
                shutil.copy(rule, dest)


class Collect(ExchangeCollect):  # type: ignore[misc]  # nbgrader is untyped
    """Takes as the date what the exchange's own folder says, not what a file in it says."""

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy a submission, whose folder is called STUDENT+CHAPTER+DATE+RANDOM.

        All of it appears at once: a part would have its date and never be collected again. nbgrader
        would follow links, so it gets a copy without them.
        """
        student, chapter, date, *_ = Path(src).name.rsplit("+", 3)
        part = Path(dest).with_name(f".{chapter}.part")
        shutil.rmtree(part, ignore_errors=True)
        with TemporaryDirectory() as aside:
            super().do_copy(str(self.copy_aside(Path(src), Path(aside))), str(part), log)
        self._stamp(part / STAMP, date)
        part.rename(dest)
        digests = (HandIn.at(path).digest for path in paths_in(Path(dest), chapter))
        dates = Dates(Course(Path(self.coursedir.root)), chapter)
        if when := self._when(date):
            dates.record(student, when, [digest for digest in digests if digest])

    def copy_aside(self, source: Path, folder: Path) -> Path:
        """Copy a student's files, as far as nbgrader's settings let them in.

        Raises OSError or RuntimeError where it cannot be done.
        """
        settings, target = self.coursedir, folder / source.name
        ignore = ignore_patterns(settings.ignore, settings.include, settings.max_file_size)
        for name in copy_files(source, target, ignore, 1000 * settings.max_dir_size):
            self.log.warning("%s: %s is not a file and was left out", source.name, name)
        return target

    def _path_to_record(self, path: str) -> dict[str, Any]:
        """nbgrader's, which ends for the whole class at a date that it does not understand."""
        name = Path(path).name
        student, _, date, *_ = name.rsplit("+", 3)
        when = self._when(date) or datetime.min
        return {"username": student, "filename": name, "timestamp": when}

    def _when(self, date: str) -> datetime | None:
        """Return it in UTC. The exchange may write names of zones, such as CST, in `timezone`."""
        if when := moment(date):
            return when
        clock, _, name = date.rpartition(" ")
        local, zone = moment(f"{clock} UTC"), gettz(self.timezone)
        here = [local.replace(tzinfo=zone, fold=fold) for fold in (0, 1)] if local else []
        fitting = [when.astimezone(UTC) for when in here if zone and when.tzname() == name]
        return fitting[0].replace(tzinfo=None) if fitting else None

    def _stamp(self, path: Path, date: str) -> None:
        """The file that `nbgrader autograde` and formgrader read."""
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.write_text(date)
