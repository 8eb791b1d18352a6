"""What an answer and its small changes do, found by running each of them in the sandbox."""

import ast
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from autograder.common.cell import SETUP, Cell
from autograder.common.errors import SandboxUnavailable, WireError
from autograder.exercise import wire
from autograder.exercise.case import Case
from autograder.exercise.observation import Failure, Observation
from autograder.exercise.spec import Exercise
from autograder.judging.checks import PUBLIC_SEED, generate
from autograder.judging.checks_file import case_to_tree
from autograder.judging.claims import claimed
from autograder.sandbox.sandbox import Sandbox
from autograder.viva.outcomes import Outcome
from autograder.viva.plain_values import as_shown, built, given, is_shown
from autograder.viva.redrawn import redrawn
from autograder.viva.small_changes import Change, parsed

SECONDS = 2.0  # of processor time for a cell, or for all calls; what takes longer is no question
MISSPELT = ("NameError", "UnboundLocalError")  # of a name that is not there
# What torch leaves as it was found in memory is 7, so that nothing seems to follow from it.
FILLED = Cell(
    f"{SETUP} filled",
    """
import torch
def _filled(make):
    return lambda *given, **named: torch.fill_(make(*given, **named).detach(), 7)
for _name in ("empty", "empty_like", "empty_strided"):
    setattr(torch, _name, _filled(getattr(torch, _name)))
for _name in ("new_empty", "new_empty_strided"):
    setattr(torch.Tensor, _name, _filled(getattr(torch.Tensor, _name)))
""",
)
Seen = tuple[Observation, ...]


@dataclass(frozen=True)
class Tried:
    """A change, and what came of it in each case."""

    change: Change
    outcomes: tuple[Outcome, ...]

    @cached_property
    def behaviour(self) -> tuple[str, ...]:
        """Return the same for changes that a sheet cannot tell from each other."""
        return tuple(outcome.text for outcome in self.outcomes)


class Trial:
    """Runs one exercise of a student on its public cases, as it was handed in or changed.

    cells: of the notebook, of which those are run that the answer needs.
    """

    def __init__(self, exercise: Exercise, cells: list[Cell], sandbox: Sandbox):
        self.exercise, self.sandbox = exercise, sandbox
        self.cells = _needed(cells, exercise.name)

    @cached_property
    def cases(self) -> list[Case]:
        """The public cases as a sheet shows them, without what only a grader looks at."""
        public = map(as_shown, generate(self.exercise, PUBLIC_SEED, secret=False))
        return [replace(case, gradient=False, placed=False, traced=False) for case in public]

    @cached_property
    def _twins(self) -> list[Case]:
        """Cases that look the same on a sheet as those that it does not show in full."""
        return [twin for case in self.cases if (twin := redrawn(case))]

    @cached_property
    def _calls(self) -> bytes:
        """Return the packed inputs. A case's name may tell what is expected of it."""
        trees = [case_to_tree(replace(case, name="")) for case in [*self.cases, *self._twins]]
        return wire.pack({self.exercise.name: trees})

    @cached_property
    def before(self) -> Seen | None:
        """What the answer as it was handed in does; None where it does not end in time."""
        return self._seen(next(c.source for c in self.cells if c.name == self.exercise.name))

    def tried(self, change: Change, again: bool = False) -> Tried | None:
        """Run a change; None where it does not end in time, or looks like a slip of the pen.

        again: with other numbers in memory that nothing was written to.
        Raises SandboxUnavailable where the sandbox itself fails.
        """
        seen = self._seen(change.source, [FILLED] if again else [])
        if seen is None or self.before is None:
            return None
        if any(one.failure and _is_slip(one.failure) for one in seen):
            return None
        every = zip(seen, self.before, [*self.cases, *self._twins], strict=True)
        outcomes = [Outcome(*part, returns=self.exercise.returns) for part in every]
        return Tried(change, tuple(_firm(outcomes)[: len(self.cases)]))

    def _seen(self, source: str, first: list[Cell] | None = None) -> Seen | None:
        name = self.exercise.name
        cells = [Cell(name, source) if cell.name == name else cell for cell in self.cells]
        cells = [*(first or []), *cells]
        run = self.sandbox.run(cells, self._calls, [name], SECONDS)
        if run.end == "infrastructure":
            raise SandboxUnavailable(f"The sandbox failed: {run.detail}")
        if 0 not in run.exercises:
            return None
        try:
            number = len(self.cases) + len(self._twins)
            seen = claimed(run.exercises[0], name, number, run.cells.get(len(cells) - 1))
        except WireError:
            return None
        return tuple(map(_with_known_names, seen, [*self.cases, *self._twins]))


def _is_slip(failure: Failure) -> bool:
    """Tell whether a name is not there, or nothing of the answer has run: what it is built with."""
    return failure.type in MISSPELT or not (failure.line or failure.within)


def _firm(outcomes: list[Outcome]) -> list[Outcome]:
    """Note which outcomes follow from a sheet: it has all inputs, or all that look alike agree.

    What looks alike has the same text for its inputs and for what the unchanged answer does.
    """
    alike = defaultdict[tuple[str, ...], list[str]](list)
    for outcome in outcomes:
        alike[_looks(outcome)].append(outcome.text)
    return [
        replace(outcome, firm=is_shown(outcome.case) or _agree(alike[_looks(outcome)]))
        for outcome in outcomes
    ]


def _looks(outcome: Outcome) -> tuple[str, ...]:
    return (built(outcome.case), *given(outcome.case), outcome.former.told)


def _agree(texts: list[str]) -> bool:
    return len(texts) > 1 and len({*texts}) == 1


def _with_known_names(seen: Observation, case: Case) -> Observation:
    """Leave out what is no name of an input: these names are claimed, too."""
    return replace(seen, changed=[name for name in case.inputs if name in seen.changed])


def _needed(cells: list[Cell], exercise: str) -> list[Cell]:
    """Return the cells with the imports, the exercise's, and those that these name, in order."""
    sources = {cell.name: cell.source for cell in cells if not cell.name.startswith(SETUP)}
    needed = _named(exercise, sources)
    upto = [cell.name for cell in cells].index(exercise)
    return [cell for cell in cells[: upto + 1] if cell.name in needed or cell.name not in sources]


def _named(name: str, sources: Mapping[str, str]) -> set[str]:
    found, new = set[str](), {name}
    while new:
        found |= new
        new = {name for one in new for name in _names(sources[one])} & sources.keys() - found
    return found


def _names(source: str) -> set[str]:
    """Return the names that code uses; a comment uses none."""
    tree = parsed(source)
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} if tree else set()
