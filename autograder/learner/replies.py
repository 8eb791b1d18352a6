"""What the tutor replies to each of its tools: plain text, made of what a learner has.

No solution is there, neither in the notebook nor in its checks, so none can be given away.
"""

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.common.errors import CourseError
from autograder.common.files import CHECKS
from autograder.judging.checks import Checks
from autograder.judging.verdict import NOT_WRITTEN, Kind, Verdict
from autograder.learner import notebook_hints, progress, reading
from autograder.learner.chapter_folders import chapters_in
from autograder.learner.linux_only import require_linux
from autograder.learner.own_notebook import notebook_of
from autograder.learner.printout import CONFINED, UNCONFINED
from autograder.learner.public_cases import NAME, public_checks
from autograder.learner.status import Status, current
from autograder.showing.card import Card
from autograder.showing.wording import printable

if TYPE_CHECKING:  # it needs Linux, and the other replies do not
    from autograder.learner.clean_run import WatchedSandbox

KEPT = "The cell was run as it is saved, and progress.json has the result."
NOT_KEPT = "The code of this call was run instead of the saved cell, and nothing was recorded."
NOTES = 10  # on how the notebook was read
NOT_GIVEN = (
    "Code can be given in a call only where bubblewrap confines it, which cannot be used here. Let "
    "the learner save the notebook, and leave out `answer`."
)
NOT_WRITABLE = "The cell was run as it is saved; progress.json cannot be written."
NOTHING = "Nothing was recorded."
FAULT = "This is no fault of the answer, and nothing was recorded."


class Replies:
    """Replies on the chapters in one folder. Not shared between threads.

    Each raises CourseError or CheckFailed, with one sentence, where something is missing.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self._started: WatchedSandbox | None = None

    def exercises(self) -> str:
        """List the exercises of each chapter, and say what is next."""
        folders = chapters_in(self.folder)
        now = current([Status.of(folder) for folder in folders])
        return "\n".join([*map(_overview, folders), printable(f"{now.chapter}: {now.next}")])

    def check(self, exercise: str, answer: str) -> str:
        """Run one exercise: the card, how the notebook was read, where it ran, what was kept."""
        require_linux()
        from autograder.learner.clean_run import clean_check

        folder, known = self._find(exercise)
        sandbox, given = self._sandbox(), bool(answer.strip())
        if given and not sandbox.confined:
            raise CourseError(NOT_GIVEN)
        run = clean_check(notebook_of(folder), known.exercise, answer, sandbox)
        verdict = run.verdicts[known.exercise]
        kept = NOT_KEPT if given else _kept(folder, verdict)
        told = [*run.notes[:NOTES], CONFINED if run.confined else UNCONFINED, kept]
        return "\n".join([str(Card(verdict)), "", *map(printable, told)])

    def hint(self, exercise: str, level: int) -> str:
        """Return a hint as it stands in the notebook."""
        folder, known = self._find(exercise)
        return notebook_hints.hint(notebook_of(folder), known.exercise, level)

    def section(self, exercise: str) -> str:
        """Return the section of the book that the exercise names."""
        folder, known = self._find(exercise)
        return reading.section(folder, known.read)

    def close(self) -> None:
        """End what runs, from any thread."""
        if self._started:
            self._started.kill()

    def _find(self, exercise: str) -> tuple[Path, Checks]:
        """Return the folder and the checks of an exercise."""
        name, others = exercise.strip().removesuffix("()"), list[str]()
        for folder in chapters_in(self.folder):
            known = public_checks(folder / CHECKS)
            if name in known:
                return folder, known[name]
            others += known
        alike = get_close_matches(name[:NAME], others, n=1)
        instead = f"Did you mean {alike[0]}?" if alike else "The tool `exercises` lists them."
        raise CourseError(f"{printable(name, NAME)} is no exercise here. {instead}")

    def _sandbox(self) -> "WatchedSandbox":
        """Return the one that all calls share: its worker starts once, and forks for each call."""
        from autograder.learner.clean_run import watched_sandbox

        if self._started is None:
            self._started = watched_sandbox()
        return self._started


def _kept(folder: Path, verdict: Verdict) -> str:
    """Record the result of a saved cell, and say so."""
    if verdict.kind == Kind.INFRASTRUCTURE:
        return FAULT
    if verdict.kind == Kind.MISSING and verdict.sentence != NOT_WRITTEN:
        return NOTHING
    return KEPT if progress.note(folder, verdict) else NOT_WRITABLE


def _overview(folder: Path) -> str:
    """List the exercises of a chapter, one on a line."""
    status, known = Status.of(folder), public_checks(folder / CHECKS)
    lines = [f"{status.chapter}: {status.headline}"]
    for step in status.steps:
        about = f"; about {step.minutes} minutes" if step.minutes else ""
        read = f"; read {known[step.name].read}" if known[step.name].read else ""
        lines.append(f"  {step.mark} {step.name}: {step}{about}{read}")
    return "\n".join(map(printable, lines))
