"""Grade one notebook: run it confined, judge what came back, one verdict per exercise."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nbformat import NotebookNode

from autograder.common.cell import IMPORTED, SETUP, Cell
from autograder.common.errors import WireError
from autograder.exercise import wire
from autograder.exercise.observation import Failure, absent, clean
from autograder.judging.budget import Budget, Limits
from autograder.judging.checks import Checks
from autograder.judging.checks_file import case_to_tree
from autograder.judging.claims import claimed
from autograder.judging.judge import judge
from autograder.judging.verdict import SENTENCE, Kind, Verdict, stopped, unjudged
from autograder.notebooks.other_cells import SELF
from autograder.notebooks.splice import cells_to_run, lacks, missing
from autograder.sandbox.sandbox import Sandbox
from autograder.sandbox.steps import Run

END_REASONS = {
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


KEPT = 1_000  # reports that passed, whose verdicts are remembered


class Marker:
    """The checks of a notebook's exercises, by name, and a sandbox to run its code in.

    The verdicts do not name mistakes yet: `diagnose` does.

    libraries: what the notebook imports beside those of every course; they are loaded once.
    """

    def __init__(self, checks: dict[str, Checks], sandbox: Sandbox, libraries: Sequence[str] = ()):
        self.checks, self.sandbox = checks, sandbox
        calls = {name: _calls(known) for name, known in checks.items()}
        self.calls = wire.pack({**calls, **({IMPORTED: [*libraries]} if libraries else {})})
        self.limits = Limits()
        self._passed: dict[tuple[str, bytes], Verdict] = {}  # by digests of reports

    def grade_notebook(self, spliced: NotebookNode, hurry: bool = False) -> dict[str, Verdict]:
        """Return a verdict for every exercise of a notebook that `splice` made.

        In a hurry, raises TooSlow for one that takes far longer than the reference, so that one
        that hangs keeps nobody waiting. Only the full time ends in a verdict of timeout.
        """
        verdicts = self.grade(cells_to_run(spliced), Budget(self.limits, hurry))
        told = missing(spliced)
        for name in told.keys() & verdicts.keys():
            verdicts[name] = stopped(self.checks[name], Kind.MISSING, told[name])
        for name, why in lacks(spliced).items():
            verdicts[name] = explained(verdicts[name], why)
        return verdicts

    def grade(self, cells: list[Cell], budget: Budget | None = None) -> dict[str, Verdict]:
        """Return a verdict for every exercise, from the notebook's code cells."""
        return self.verdicts(cells, list(self.checks), budget or Budget(self.limits))

    def grade_one(self, cells: list[Cell], name: str) -> Verdict:
        """Return the verdict of one exercise, with all the time that a submission has."""
        return self.verdicts(cells, [name], Budget(self.limits))[name]

    def verdicts(self, cells: list[Cell], pending: list[str], budget: Budget) -> dict[str, Verdict]:
        """Return a verdict for each exercise in `pending`, as if what they build on were right.

        Runs until every exercise has its verdict; what stops a run costs only itself. Once the
        submission's time is over, each that is left is tried alone.
        """
        verdicts: dict[str, Verdict] = {}
        tried_again = False
        while pending:
            if budget.left <= 0:
                return verdicts | self._each_alone(cells, pending, verdicts, budget)
            run = self._run(cells, pending, budget)
            verdicts |= self._judged(run, cells, pending)
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
                culprit = self._stops_first(cells, culprit, budget)
            if culprit:
                verdicts |= self._stopped(run.end, run.detail, [culprit])
                pending = [name for name in pending if name != culprit]
                cells = [cell for cell in cells if cell.name != culprit]
        return verdicts

    def _run(self, cells: list[Cell], names: list[str], budget: Budget) -> Run:
        run = self.sandbox.run(cells, self.calls, names, budget.step, budget.left)
        budget.spend(run)
        return run

    def _each_alone(
        self, cells: list[Cell], names: list[str], before: dict[str, Verdict], budget: Budget
    ) -> dict[str, Verdict]:
        """Return verdicts on `names`, each of its own time only. before: those on the others."""
        found: dict[str, Verdict] = {}
        for name in names:
            alone = self._apart(cells, name, before | found)
            found[name] = replace(self._tried_alone(alone, name, budget), tried_alone=True)
        budget.left = 0.0
        return found

    def _tried_alone(self, cells: list[Cell], name: str, budget: Budget) -> Verdict:
        budget.allow_one_alone()
        run = self._run(cells, [name], budget)
        if _from_outside(run):
            budget.allow_one_alone()
            run = self._run(cells, [name], budget)
        if found := self._judged(run, cells, [name]):
            return found[name]
        begun = cells[: len(run.cells) + 1]
        ours = not run.ready or all(cell.name.startswith(SETUP) for cell in begun)
        return self._stopped("infrastructure" if ours else run.end, run.detail, [name])[name]

    def _apart(self, cells: list[Cell], name: str, known: dict[str, Verdict]) -> list[Cell]:
        """Return the cells with which one exercise is tried alone."""
        return cells

    def _judged(self, run: Run, cells: list[Cell], names: list[str]) -> dict[str, Verdict]:
        """Return the verdicts on those of `names` whose calls were all observed."""
        failures = {cell.name: run.cells.get(index) for index, cell in enumerate(cells)}
        return {
            name: self._passed.get((name, run.digests[index]))
            or self._judged_now(name, run, index, failures.get(name))
            for index, name in enumerate(names)
            if index in run.exercises
        }

    def _judged_now(self, name: str, run: Run, index: int, failed_cell: Any) -> Verdict:
        """Judge one exercise. If it passes, the same bytes pass from then on, without a look."""
        trees = run.exercises[index]
        verdict = judged(self.checks[name], trees, failed_cell, self.sandbox.device)
        if verdict.kind == Kind.PASSED and len(self._passed) < KEPT:
            self._passed[name, run.digests[index]] = verdict
        return verdict

    def _culprit(self, run: Run, cells: list[Cell], pending: list[str]) -> str:
        """Return the cell or exercise at which the run stopped, "" if none is left."""
        if len(run.cells) < len(cells):
            return cells[len(run.cells)].name
        return pending[0] if pending else ""

    def _stops_first(self, cells: list[Cell], locked: str, budget: Budget) -> str:
        """Find the first written cell with which a locked one below it stops again, or ""."""
        place = [cell.name for cell in cells].index(locked)
        for last, cell in enumerate(cells[:place]):
            if cell.name.startswith(SETUP) or budget.left <= 0:
                continue
            tried = [
                one
                for at, one in enumerate(cells[: place + 1])
                if at <= last or one.name.startswith(SETUP)
            ]
            if len(self._run(tried, [], budget).cells) < len(tried):
                return cell.name
        return ""

    def _stopped(self, end: str, detail: str, names: list[str]) -> dict[str, Verdict]:
        """Return one verdict for each of `names`. Raises KeyError where one is no exercise's."""
        kind, sentence = END_REASONS.get(detail if end == "signal" else end, END_REASONS["signal"])
        if kind == Kind.INFRASTRUCTURE and detail:
            sentence = f"{sentence} {detail}."
        sentence = sentence.format(limit=self.limits.step, alone=self.limits.alone)
        return {name: stopped(self.checks[name], kind, sentence) for name in names}


def _from_outside(run: Run) -> bool:
    """Tell whether something else may have ended the run, as the kernel where memory runs out."""
    return run.end == "infrastructure" or (run.end, run.detail) == ("signal", "SIGKILL")


def _is_ours(cells: list[Cell], culprit: str) -> bool:
    """Tell whether a run stopped at a locked cell before any cell of the student's had run."""
    names = [cell.name for cell in cells]
    return culprit.startswith(SETUP) and all(
        name.startswith(SETUP) for name in names[: names.index(culprit)]
    )


def _calls(checks: Checks) -> list[dict[str, Any]]:
    """Return the inputs alone: a case's name may tell what is expected of it."""
    cases = (replace(checked.case, name="", public=True) for checked in checks.cases)
    return [case_to_tree(case) for case in cases]


def judged(checks: Checks, trees: Any, failed_cell: Any, device: str) -> Verdict:
    """Judge one exercise. An error of ours is no verdict, and leaves the others theirs."""
    try:
        return _judge(checks, trees, failed_cell, device)
    except Exception as error:
        return unjudged(checks, error)


def _judge(checks: Checks, trees: Any, failed_cell: Any, device: str) -> Verdict:
    """Judge what a hostile process may have made up; a claim that cannot be read is refused.

    What is raised after that is a fault of ours, and no submission pays for it.
    """
    try:
        seen = claimed(trees, checks.exercise, len(checks.cases), failed_cell)
    except WireError:
        return stopped(checks, *END_REASONS["garbled"])
    return judge(checks, seen, device)


QUOTED = re.compile(r"^(?:name|No module named) '([^'.]+)[^']*'")


def explained(verdict: Verdict, lacks: dict[str, str]) -> Verdict:
    """Add the sentence on the name that was not found, instead of a general hint.

    lacks: a sentence by name, and by SELF where the solution's cell cannot be read.
    """
    failure = verdict.difference.failure if verdict.difference else None
    name = _not_found(failure, verdict.exercise) if failure else None
    if name is None or name not in lacks:
        return verdict
    told = f"{verdict.sentence.rstrip('.')}. {lacks[name]}"
    evidence = verdict.evidence and replace(verdict.evidence, explained=True)
    return replace(verdict, sentence=clean(told, SENTENCE), evidence=evidence)


def _not_found(failure: Failure, exercise: str) -> str | None:
    """Return the name that Python did not find; SELF for the exercise's own, or for no Python."""
    if failure.type == "SyntaxError" or failure.message == absent(exercise):
        return SELF
    found = QUOTED.match(failure.message)
    return found[1] if found else None
