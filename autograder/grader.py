"""Grade one notebook: run it confined, judge what came back, one verdict per exercise."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from nbformat import NotebookNode

from autograder import judge as verdicts
from autograder import wire
from autograder.chapter import Chapter, reference_cells
from autograder.checks import Checks, build, case_to_tree
from autograder.claims import claimed
from autograder.errors import WireError
from autograder.judge import Verdict, judge, on_gpu, stopped
from autograder.notebook import SETUP, Cell, cells_to_run, missing
from autograder.reports import Run
from autograder.sandbox import SUBMISSION_SECONDS, Sandbox

STOPS = {
    "timeout": (verdicts.TIMEOUT, "It did not finish in time; a loop may never end."),
    "SIGXCPU": (verdicts.TIMEOUT, "It took more processor time than a submission may have."),
    "SIGKILL": (verdicts.CRASHED, "The kernel stopped it: it reached a limit, or memory ran out."),
    "spent": (
        verdicts.TIMEOUT,
        f"The rest of the notebook took all of the {SUBMISSION_SECONDS:g} seconds that it may.",
    ),
    "SIGSYS": (verdicts.CRASHED, "It asked the kernel for what no submission may have."),
    "signal": (verdicts.CRASHED, "It crashed the Python process."),
    "exited": (verdicts.CRASHED, "It ended the Python process."),
    "done": (verdicts.CRASHED, "It ended the Python process before the last call."),
    "garbled": (verdicts.CRASHED, "It interfered with the process that observes it."),
    "infrastructure": (verdicts.INFRASTRUCTURE, "The grader failed."),
}
HURRY_SECONDS, HURRY_FACTOR = 0.25, 10


class TooSlow(Exception):
    """A submission that was given little time did not finish in it; nothing is known about it."""


class Marker:
    """The checks of a notebook's exercises, by name, and a sandbox to run its code in."""

    def __init__(self, checks: dict[str, Checks], sandbox: Sandbox):
        self.checks, self.sandbox = checks, sandbox
        self.calls = wire.pack({name: _calls(item) for name, item in checks.items()})
        self._patience: float | None = None  # seconds for a step; None is all that there is
        self._left = SUBMISSION_SECONDS  # for all further runs of the submission
        self._slowest = 0.0  # seconds of the longest step so far

    def grade_notebook(self, spliced: NotebookNode, hurry: bool = False) -> dict[str, Verdict]:
        """A verdict for every exercise of a notebook that `notebook.splice` made."""
        found = self.grade(cells_to_run(spliced))
        told = missing(spliced)
        for name in told.keys() & found.keys():
            found[name] = stopped(self.checks[name], verdicts.MISSING, told[name])
        return found

    def grade(self, cells: list[Cell]) -> dict[str, Verdict]:
        """A verdict for every exercise, from the notebook's code cells."""
        self._left = SUBMISSION_SECONDS
        return self.verdicts(cells, list(self.checks))

    def verdicts(self, cells: list[Cell], pending: list[str]) -> dict[str, Verdict]:
        """A verdict for each exercise in `pending`, as if what they build on were right.

        Runs until every exercise has its verdict or the submission's time is over; what stops a
        run costs only itself.
        """
        found: dict[str, Verdict] = {}
        faults = 0
        while pending:
            if self._left <= 0:
                return found | {name: self._stop("spent", "", name) for name in pending}
            run = self._run(cells, pending)
            finished = self._judged(run, cells, pending)
            found |= finished
            pending = [name for name in pending if name not in finished]
            culprit = self._culprit(run, cells, pending)
            if _from_outside(run) and not (faults := faults + 1) > 1:
                continue
            if run.end == "infrastructure" or culprit.startswith(SETUP):
                found |= {name: self._stop("infrastructure", run.detail, name) for name in pending}
                break
            if culprit:
                found[culprit] = self._stop(run.end, run.detail, culprit)
                pending = [name for name in pending if name != culprit]
                cells = [cell for cell in cells if cell.name != culprit]
        return found

    def _run(self, cells: list[Cell], names: list[str]) -> Run:
        run = self.sandbox.run(cells, self.calls, names, self._patience, self._left)
        self._left -= run.seconds
        if self._patience and run.end == "timeout":
            raise TooSlow
        self._slowest = max(self._slowest, run.slowest)
        return run

    def _judged(self, run: Run, cells: list[Cell], names: list[str]) -> dict[str, Verdict]:
        """Verdicts of the exercises whose calls were all observed."""
        failures = {cell.name: run.cells.get(index) for index, cell in enumerate(cells)}
        return {
            name: _judge(
                self.checks[name], run.exercises[index], failures.get(name), self.sandbox.device
            )
            for index, name in enumerate(names)
            if index in run.exercises
        }

    def _culprit(self, run: Run, cells: list[Cell], pending: list[str]) -> str:
        """The cell or exercise at which the run stopped, "" if none is left."""
        if len(run.cells) < len(cells):
            return cells[len(run.cells)].name
        return pending[0] if pending else ""

    def _stop(self, end: str, detail: str, name: str) -> Verdict:
        kind, sentence = STOPS.get(detail if end == "signal" else end, STOPS["signal"])
        if kind == verdicts.INFRASTRUCTURE and detail:
            sentence = f"{sentence} {detail}."
        if name not in self.checks:
            raise KeyError(f"cell {name!r} belongs to no exercise")
        return stopped(self.checks[name], kind, sentence)


class Substituting(Marker):
    """Marks a chapter: what a learner's function builds on is the oracle where theirs fails."""

    def __init__(self, chapter: Chapter, checks: dict[str, Checks], sandbox: Sandbox):
        super().__init__(checks, sandbox)
        self.chapter = chapter

    def grade(self, cells: list[Cell]) -> dict[str, Verdict]:
        """A verdict for every exercise of the chapter, from the notebook's code cells."""
        found = super().grade(cells)
        for name, exercise in self.chapter.exercises.items():
            failed = [part for part in exercise.builds_on if found[part].kind != verdicts.PASSED]
            if failed and found[name].kind not in (verdicts.PASSED, verdicts.INFRASTRUCTURE):
                again = self.verdicts(self.with_stand_ins(cells, failed), [name])
                found[name] = _kinder(found[name], again[name])
        return found

    def with_stand_ins(self, cells: list[Cell], failed: Collection[str]) -> list[Cell]:
        """The cells, with the oracle in the place of what failed."""
        return [self._stand_in(cell, failed) for cell in cells]

    def _stand_in(self, cell: Cell, failed: Collection[str]) -> Cell:
        right = self.chapter.exercises[cell.name].right if cell.name in failed else None
        return Cell(cell.name, right.source_as(cell.name)) if right else cell


class Grader(Substituting):
    """All exercises of a chapter with their checks for one secret seed, and a sandbox.

    gpu: a sandbox on the GPU, for what is right on the CPU.
    """

    def __init__(
        self, chapter: Chapter, seed: str | None, sandbox: Sandbox, gpu: Sandbox | None = None
    ):
        checks = {name: build(item, seed) for name, item in chapter.exercises.items()}
        super().__init__(chapter, checks, sandbox)
        self.gpu = Substituting(chapter, checks, gpu) if gpu else None
        self._hurried, self._trusted = HURRY_SECONDS, False

    def fault(self) -> str:
        """Why this machine cannot grade the chapter, "" once the reference solution passed on it.

        Whatever makes the reference fail would cost every student marks that they earned.
        """
        if self._trusted:
            return ""
        self._patience = None
        found = self.grade(reference_cells(self.chapter))
        self._hurried = max(HURRY_SECONDS, HURRY_FACTOR * self._slowest)
        failed = [verdict for verdict in found.values() if verdict.kind != verdicts.PASSED]
        self._trusted = not failed  # a fault may pass, so it is looked for again
        return "".join(
            f"The reference solution of {verdict.exercise} fails here: {verdict.sentence}"
            for verdict in failed[:1]
        )

    def grade_notebook(self, spliced: NotebookNode, hurry: bool = False) -> dict[str, Verdict]:
        """A verdict for every exercise of a notebook that `notebook.splice` made.

        In a hurry, raises TooSlow for one that takes far longer than the reference, so that one
        that hangs keeps nobody waiting. Only the full patience ends in a verdict of timeout.
        """
        if fault := self.fault():
            stop = verdicts.INFRASTRUCTURE, fault
            return {name: stopped(checks, *stop) for name, checks in self.checks.items()}
        self._patience = self._hurried if hurry else None
        return super().grade_notebook(spliced)

    def grade(self, cells: list[Cell]) -> dict[str, Verdict]:
        """A verdict for every exercise: on the CPU, and where that is right, on the GPU."""
        found = super().grade(cells)
        if self.gpu is None:
            return found
        failed = [name for name, verdict in found.items() if verdict.kind != verdicts.PASSED]
        again = _with_room(self.gpu, self.with_stand_ins(cells, failed))
        return found | {name: on_gpu(again[name]) for name in found if name not in failed}


def _with_room(gpu: Marker, cells: list[Cell]) -> dict[str, Verdict]:
    """Verdicts of the GPU. Whoever found too little memory there runs once more, alone."""
    found = gpu.grade(cells)
    if all(verdict.kind != verdicts.MEMORY for verdict in found.values()):
        return found
    gpu.sandbox.alone = True
    try:
        return gpu.grade(cells)
    finally:
        gpu.sandbox.alone = False


def _from_outside(run: Run) -> bool:
    """Whether something else may have ended the run, as the kernel does where memory runs out."""
    return run.end == "infrastructure" or (run.end, run.detail) == ("signal", "SIGKILL")


def _calls(checks: Checks) -> list[dict[str, Any]]:
    """The inputs alone: a case's name may tell what is expected of it."""
    return [case_to_tree(replace(item.case, name="", public=True)) for item in checks.cases]


def _judge(checks: Checks, trees: Any, failed_cell: Any, device: str) -> Verdict:
    """Judge what a hostile process may have made up; a claim that cannot be read is refused.

    What is raised after that is a fault of ours, and no submission pays for it.
    """
    try:
        seen = claimed(trees, checks.exercise, len(checks.cases), failed_cell)
    except WireError:
        return stopped(checks, *STOPS["garbled"])
    return judge(checks, seen, device)


def _kinder(own: Verdict, with_stand_in: Verdict) -> Verdict:
    """The verdict with stand-ins for what failed before, if it is better than without."""
    if with_stand_in.kind == verdicts.PASSED or with_stand_in.misconception:
        return with_stand_in
    return own
