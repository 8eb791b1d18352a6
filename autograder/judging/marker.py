"""Grade one notebook: run it confined, judge what came back, one verdict per exercise."""

from dataclasses import replace
from typing import Any

from nbformat import NotebookNode

from autograder.calls import wire
from autograder.calls.cell import SETUP, Cell
from autograder.calls.errors import WireError
from autograder.judging.checks import Checks
from autograder.judging.checks_file import case_to_tree
from autograder.judging.claims import claimed
from autograder.judging.judge import judge
from autograder.judging.limits import Limits
from autograder.judging.not_found import explained
from autograder.judging.verdict import Kind, Verdict, stopped, unjudged
from autograder.notebooks.splice import cells_to_run, lacks, missing
from autograder.sandbox.sandbox import Sandbox
from autograder.sandbox.steps import Run

STOPS = {
    "timeout": (
        Kind.TIMEOUT,
        "It is too slow, or endless: {limit:.0f} seconds of processor time were not enough.",
    ),
    "SIGXCPU": (Kind.TIMEOUT, "It took more processor time than a submission may have."),
    "SIGKILL": (Kind.CRASHED, "The kernel stopped it: it reached a limit, or memory ran out."),
    "over": (Kind.TIMEOUT, "Tried alone, it did not finish within {alone:.0f} seconds."),
    "SIGSYS": (Kind.CRASHED, "It asked the kernel for what no submission may have."),
    "signal": (Kind.CRASHED, "It crashed the Python process."),
    "exited": (Kind.CRASHED, "It ended the Python process."),
    "done": (Kind.CRASHED, "It ended the Python process before the last call."),
    "garbled": (Kind.CRASHED, "It interfered with the process that observes it."),
    "infrastructure": (Kind.INFRASTRUCTURE, "The grader failed."),
}


class TooSlow(Exception):
    """A submission that was given little time did not finish in it; nothing is known about it."""


class Marker:
    """The checks of a notebook's exercises, by name, and a sandbox to run its code in."""

    def __init__(self, checks: dict[str, Checks], sandbox: Sandbox):
        self.checks, self.sandbox = checks, sandbox
        self.calls = wire.pack({name: _calls(known) for name, known in checks.items()})
        self.limits = Limits()
        self._patience: float | None = None  # less than a step's, where nobody is kept waiting
        self._left = 0.0  # seconds for what is run together, or alone
        self._steps: list[float] = []  # seconds of processor time that each took
        self._alone: set[str] = set()  # what was tried alone

    def grade_notebook(self, spliced: NotebookNode) -> dict[str, Verdict]:
        """A verdict for every exercise of a notebook that `splice` made."""
        verdicts = self.grade(cells_to_run(spliced))
        told = missing(spliced)
        for name in told.keys() & verdicts.keys():
            verdicts[name] = stopped(self.checks[name], Kind.MISSING, told[name])
        for name, why in lacks(spliced).items():
            verdicts[name] = explained(verdicts[name], why)
        return verdicts

    def grade(self, cells: list[Cell]) -> dict[str, Verdict]:
        """A verdict for every exercise, from the notebook's code cells."""
        self._begin()
        return self.verdicts(cells, list(self.checks), final=False)

    def grade_one(self, cells: list[Cell], name: str) -> Verdict:
        """The verdict of one exercise alone, with all the time that a submission has."""
        self._begin()
        return self.verdicts(cells, [name])[name]

    def _begin(self) -> None:
        self._left, self._steps, self._alone = self.limits.together, [], set()

    def verdicts(
        self, cells: list[Cell], pending: list[str], final: bool = True
    ) -> dict[str, Verdict]:
        """A verdict for each exercise in `pending`, as if what they build on were right.

        Runs until every exercise has its verdict; what stops a run costs only itself. Once the
        submission's time is over, each that is left is tried alone. final: no exercise is graded
        again, so each mistake is named now.
        """
        verdicts: dict[str, Verdict] = {}
        tried_again = False
        while pending:
            if self._left <= 0:
                return verdicts | self._each_alone(cells, pending, verdicts)
            run = self._run(cells, pending)
            verdicts = self._judged(run, cells, pending, verdicts, final)
            pending = [name for name in pending if name not in verdicts]
            if _from_outside(run) and not tried_again:
                tried_again = True
                continue
            if run.end == "over":
                continue
            culprit = self._culprit(run, cells, pending)
            if run.end == "infrastructure" or _is_ours(cells, culprit):
                return verdicts | self._stopped("infrastructure", run.detail, pending)
            if culprit.startswith(SETUP):
                culprit = self._stops_first(cells, culprit)
            if culprit:
                verdicts |= self._stopped(run.end, run.detail, [culprit])
                pending = [name for name in pending if name != culprit]
                cells = [cell for cell in cells if cell.name != culprit]
        return verdicts

    def _run(self, cells: list[Cell], names: list[str]) -> Run:
        patience = self._patience or self.limits.step
        run = self.sandbox.run(cells, self.calls, names, patience, self._left)
        self._left = 0.0 if run.end == "over" else self._left - run.seconds
        if self._patience and run.end in ("timeout", "over"):
            raise TooSlow
        self._steps += run.steps
        return run

    def _each_alone(
        self, cells: list[Cell], names: list[str], before: dict[str, Verdict]
    ) -> dict[str, Verdict]:
        """The verdicts on `names`, each of its own time only. before: those on the others."""
        if self._patience:
            raise TooSlow
        found: dict[str, Verdict] = {}
        for name in names:
            found[name] = self._tried_alone(self._apart(cells, name, before | found), name)
        self._left = 0.0
        self._alone.update(names)
        return found

    def _tried_alone(self, cells: list[Cell], name: str) -> Verdict:
        self._left = self.limits.alone
        run = self._run(cells, [name])
        if _from_outside(run):
            self._left = self.limits.alone
            run = self._run(cells, [name])
        if found := self._judged(run, cells, [name], {}, final=True):
            return found[name]
        begun = cells[: len(run.cells) + 1]
        ours = not run.ready or all(cell.name.startswith(SETUP) for cell in begun)
        return self._stopped("infrastructure" if ours else run.end, run.detail, [name])[name]

    def _apart(self, cells: list[Cell], name: str, known: dict[str, Verdict]) -> list[Cell]:
        """The cells with which one exercise is tried alone."""
        return cells

    def _judged(
        self, run: Run, cells: list[Cell], names: list[str], before: dict[str, Verdict], final: bool
    ) -> dict[str, Verdict]:
        """The verdicts from `before`, and those of the exercises whose calls were all observed."""
        failures = {cell.name: run.cells.get(index) for index, cell in enumerate(cells)}
        verdicts = dict(before)
        for index, name in enumerate(names):
            if index in run.exercises:
                verdicts[name] = judged(
                    self.checks[name], run.exercises[index], failures.get(name),
                    self.sandbox.device, final or self._is_final(name, cells, verdicts),
                )  # fmt: skip
        return verdicts

    def _is_final(self, name: str, cells: list[Cell], verdicts: dict[str, Verdict]) -> bool:
        """Whether this exercise is not graded again, given the verdicts on earlier ones."""
        return True

    def _culprit(self, run: Run, cells: list[Cell], pending: list[str]) -> str:
        """The cell or exercise at which the run stopped, "" if none is left."""
        if len(run.cells) < len(cells):
            return cells[len(run.cells)].name
        return pending[0] if pending else ""

    def _stops_first(self, cells: list[Cell], locked: str) -> str:
        """The first written cell with which a locked one below it stops again, "" if none is."""
        place = [cell.name for cell in cells].index(locked)
        for last, cell in enumerate(cells[:place]):
            if cell.name.startswith(SETUP) or self._left <= 0:
                continue
            tried = [one for at, one in enumerate(cells[: place + 1])
                     if at <= last or one.name.startswith(SETUP)]  # fmt: skip
            if len(self._run(tried, []).cells) < len(tried):
                return cell.name
        return ""

    def _stopped(self, end: str, detail: str, names: list[str]) -> dict[str, Verdict]:
        """The same verdict for each of `names`. Raises KeyError where one is no exercise's."""
        kind, sentence = STOPS.get(detail if end == "signal" else end, STOPS["signal"])
        if kind == Kind.INFRASTRUCTURE and detail:
            sentence = f"{sentence} {detail}."
        sentence = sentence.format(limit=self.limits.step, alone=self.limits.alone)
        return {name: stopped(self.checks[name], kind, sentence) for name in names}


def _from_outside(run: Run) -> bool:
    """Whether something else may have ended the run, as the kernel does where memory runs out."""
    return run.end == "infrastructure" or (run.end, run.detail) == ("signal", "SIGKILL")


def _is_ours(cells: list[Cell], culprit: str) -> bool:
    """Whether a run stopped at a locked cell before any cell of the student's had run."""
    names = [cell.name for cell in cells]
    return culprit.startswith(SETUP) and all(
        name.startswith(SETUP) for name in names[: names.index(culprit)]
    )


def _calls(checks: Checks) -> list[dict[str, Any]]:
    """The inputs alone: a case's name may tell what is expected of it."""
    cases = (replace(checked.case, name="", public=True) for checked in checks.cases)
    return [case_to_tree(case) for case in cases]


def judged(checks: Checks, trees: Any, failed_cell: Any, device: str, named: bool) -> Verdict:
    """The verdict on one exercise. An error of ours is no verdict, and leaves the others theirs."""
    try:
        return _judge(checks, trees, failed_cell, device, named)
    except Exception as error:
        return unjudged(checks, error)


def _judge(checks: Checks, trees: Any, failed_cell: Any, device: str, named: bool) -> Verdict:
    """Judge what a hostile process may have made up; a claim that cannot be read is refused.

    What is raised after that is a fault of ours, and no submission pays for it.
    """
    try:
        seen = claimed(trees, checks.exercise, len(checks.cases), failed_cell)
    except WireError:
        return stopped(checks, *STOPS["garbled"])
    return judge(checks, seen, device, named)
