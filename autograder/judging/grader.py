"""Grade the notebooks of a chapter: with stand-ins for what failed before, on the CPU and a GPU."""

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from nbformat import NotebookNode

from autograder.common.cell import EXERCISE, Cell
from autograder.judging.budget import Budget, Limits, limits_of
from autograder.judging.checks import Checks, build
from autograder.judging.marker import Marker
from autograder.judging.shortfall import reason
from autograder.judging.verdict import Kind, Verdict, on_gpu, stopped
from autograder.notebooks.chapter import (
    Chapter,
    libraries,
    location,
    reference,
    reference_cells,
)  # fmt: skip
from autograder.notebooks.hand_in import HandIn, NotebookError, UnreadableError
from autograder.notebooks.splice import NOTES, missing, notes, splice
from autograder.notebooks.submission import Submission, parse
from autograder.sandbox.sandbox import Sandbox


class MarkerWithStandIns(Marker):
    """Marks a chapter: what a learner's function builds on is the reference where theirs fails.

    Also where theirs is right in a way of its own that costs the later one points: it uses what
    only the later one may not, or what no counter sees.
    """

    def __init__(self, chapter: Chapter, checks: dict[str, Checks], sandbox: Sandbox):
        super().__init__(checks, sandbox, libraries(chapter))
        self.chapter, self._solved = chapter, reference(chapter)

    def grade(self, cells: list[Cell], budget: Budget | None = None) -> dict[str, Verdict]:
        """Return a verdict for every exercise of the chapter, from the notebook's code cells."""
        budget = budget or Budget(self.limits)
        verdicts = super().grade(cells, budget)
        wrong = _failed(verdicts)
        for name in verdicts:
            below = self._reached(name, cells)
            again = not verdicts[name].tried_alone and not _settled(verdicts[name])
            if below & wrong and again:
                failed = below & _failed(verdicts)
                verdicts[name] = self._with_reference(cells, name, failed, budget)
            if below - _failed(verdicts) and not _settled(verdicts[name]):
                behind = self._with_reference(cells, name, below, budget)
                verdicts[name] = max(
                    verdicts[name], behind, key=lambda verdict: verdict.points or 0
                )
        return verdicts

    def _reached(self, name: str, cells: list[Cell]) -> set[str]:
        """The earlier exercises that an answer names, and those that these name in turn.

        No other can change what it does, whatever the exercise was meant to build on. Of the
        earlier ones the reference is read, too, since it may stand in for the learner's.
        """
        texts = {cell.name: cell.source + self._solved.get(cell.name, "") for cell in cells}
        texts |= {cell.name: cell.source for cell in cells if cell.name == name}
        names = list(self.chapter.exercises)
        reached = {name}
        for part in reversed(names[: names.index(name)]):
            if any(re.search(rf"\b{part}\b", texts.get(user, "")) for user in reached):
                reached.add(part)
        return reached - {name}

    def _apart(self, cells: list[Cell], name: str, known: dict[str, Verdict]) -> list[Cell]:
        """With the reference for all others but those right ones that the exercise builds on."""
        kept = {name, *self._reached(name, cells)} - _failed(known)
        return self.with_stand_ins(cells, self.checks.keys() - kept)

    def _with_reference(
        self, cells: list[Cell], name: str, parts: set[str], budget: Budget
    ) -> Verdict:
        """Grade an exercise again where `parts` are the reference."""
        return self.verdicts(self.with_stand_ins(cells, parts), [name], budget)[name]

    def with_stand_ins(self, cells: list[Cell], failed: Collection[str]) -> list[Cell]:
        """The cells, with the reference solution in the place of what failed."""
        return [self._stand_in(cell, failed) for cell in cells]

    def _stand_in(self, cell: Cell, failed: Collection[str]) -> Cell:
        return Cell(cell.name, self._solved[cell.name]) if cell.name in failed else cell


class Grader(MarkerWithStandIns):
    """All exercises of a chapter with their checks for one secret seed, and a sandbox.

    gpu: a sandbox on the GPU, for what is right on the CPU. measured: its limits are the class's.
    """

    def __init__(
        self, chapter: Chapter, seed: str | None, sandbox: Sandbox, gpu: Sandbox | None = None
    ):
        exercises = chapter.exercises.items()
        checks = {name: build(exercise, seed) for name, exercise in exercises}
        super().__init__(chapter, checks, sandbox)
        self.gpu = MarkerWithStandIns(chapter, checks, gpu) if gpu else None
        self._trusted = self.measured = False
        self._limit(Limits())

    def hold_to(self, limits: Limits) -> None:
        """Limit submissions so from now on, wherever that was measured; also on the GPU."""
        self.measured = True
        self._limit(limits)

    def _limit(self, limits: Limits) -> None:
        self.limits = limits
        if self.gpu:
            self.gpu.limits = limits.on_gpu()

    def fault(self) -> str:
        """Why this machine cannot grade the chapter, "" once the reference solution passed on it.

        Whatever makes the reference fail would cost every student marks that they earned. How long
        it takes decides how long they may take, unless that was told.
        """
        if self._trusted:
            return ""
        budget = Budget(self.limits)
        verdicts = self.grade(reference_cells(self.chapter), budget).values()
        failed = next((verdict for verdict in verdicts if verdict.kind != Kind.PASSED), None)
        if failed:  # a fault may pass, so it is looked for again
            at = location(self.chapter, EXERCISE, failed.exercise)
            said = reason(self.checks[failed.exercise], failed)
            return f"{at}: the reference solution of {failed.exercise} fails: {said}"
        if not self.measured:
            self.hold_to(limits_of(budget.steps))
        self._trusted = True
        return ""

    def grade_notebook(self, spliced: NotebookNode, hurry: bool = False) -> dict[str, Verdict]:
        """Return a verdict for every exercise, once the reference passed on this machine."""
        if fault := self.fault():
            return self._all(Kind.INFRASTRUCTURE, fault)
        return super().grade_notebook(spliced, hurry)

    def grade_hand_in(
        self, released: NotebookNode, handed_in: HandIn, hurry: bool = False
    ) -> tuple[dict[str, Verdict], NotebookNode]:
        """A verdict for every exercise, and the released notebook with what was handed in.

        A file that this machine could not read is no zero: it gets no verdict.
        """
        try:
            submission = parse(handed_in.data, Path(handed_in.name))
            told = (*handed_in.notes, *submission.notes)
            spliced = splice(released, replace(submission, notes=told))
        except NotebookError as error:
            kind = Kind.INFRASTRUCTURE if isinstance(error, UnreadableError) else Kind.MISSING
            unchanged = Submission.of(released, *handed_in.notes)
            return self._all(kind, str(error)), splice(released, unchanged)
        if self.checks and self.checks.keys() <= missing(spliced).keys():
            spliced.metadata[NOTES] = [*notes(spliced), self._of_another_chapter(submission)]
        return self.grade_notebook(spliced, hurry), spliced

    def _of_another_chapter(self, submission: Submission) -> str:
        return (
            f"No exercise of {self.chapter.name} is in the notebook, which begins with "
            f"'{submission.title}'."
        )

    def _all(self, kind: Kind, sentence: str) -> dict[str, Verdict]:
        """The same verdict for every exercise."""
        return {name: stopped(known, kind, sentence) for name, known in self.checks.items()}

    def grade(self, cells: list[Cell], budget: Budget | None = None) -> dict[str, Verdict]:
        """Return a verdict for every exercise: on the CPU, and where that is right, on the GPU.

        What returns and changes no tensor, such as a text, is on no device: the CPU is enough.
        """
        verdicts = super().grade(cells, budget)
        if self.gpu is None:
            return verdicts
        failed = [name for name, verdict in verdicts.items() if verdict.kind != Kind.PASSED]
        again = _with_room(self.gpu, self.with_stand_ins(cells, failed))
        return verdicts | {name: on_gpu(again[name]) for name, known in self.checks.items()
                           if name not in failed and _is_on_a_device(known)}  # fmt: skip


def _is_on_a_device(checks: Checks) -> bool:
    made = any(checked.expected.devices for checked in checks.cases)
    return made and checks.on_any_device


def _failed(verdicts: dict[str, Verdict]) -> set[str]:
    """The names of the exercises that did not pass."""
    return {name for name, verdict in verdicts.items() if verdict.kind != Kind.PASSED}


def _settled(verdict: Verdict) -> bool:
    """Tell whether no stand-in could earn more, or the fault is ours."""
    return verdict.kind in (Kind.PASSED, Kind.INFRASTRUCTURE)


def _with_room(gpu: Marker, cells: list[Cell]) -> dict[str, Verdict]:
    """Verdicts of the GPU. Whoever found too little memory there runs once more, alone."""
    verdicts = gpu.grade(cells)
    if all(verdict.kind != Kind.MEMORY for verdict in verdicts.values()):
        return verdicts
    gpu.sandbox.alone = True
    try:
        return gpu.grade(cells)
    finally:
        gpu.sandbox.alone = False
