"""Grade the mutants of a chapter: which are rejected, and why the others are no mistakes.

A chapter's file SURVIVORS says of each mutant that computes the same why it does.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder.calls.cell import Cell
from autograder.calls.errors import CourseError
from autograder.calls.spec import Exercise
from autograder.course.mutants import Mutant, mutants
from autograder.course.remarks import remarks
from autograder.judging.grader import Grader
from autograder.judging.marker import TooSlow
from autograder.judging.verdict import Kind
from autograder.notebooks.chapter import Chapter, reference, reference_cells
from autograder.sandbox.sandbox import Sandbox

SURVIVORS = "survivors.json"
SEED, PATIENCE = "mutants", 2.0  # seconds that a step of a mutant may take


@dataclass
class Score:
    """What became of an exercise's mutants.

    explained: survivors that are no mistakes, by what the chapter says of them. `survivors`: the
    others. `stale`: what the chapter explains although it does not survive.
    """

    exercise: str
    mutants: int = 0
    named: int = 0
    explained: int = 0
    survivors: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)

    @property
    def rejected(self) -> int:
        return self.mutants - self.explained - len(self.survivors)


def scores(chapter: Chapter, sandbox: Sandbox) -> Iterator[Score]:
    """Grade the mutants of each exercise's reference and variants.

    Raises CourseError where the reference itself fails, and for explanations that are unreadable.
    """
    grader, known = Grader(chapter, SEED, sandbox), remarks(chapter.folder / SURVIVORS) or {}
    if fault := grader.fault():
        raise CourseError(f"{chapter.name}: {fault}")
    for exercise in chapter.exercises.values():
        score, alive = Score(exercise.name), []
        for mutant in _of_exercise(chapter, exercise):
            kind, named = _graded(grader, exercise.name, mutant)
            score.mutants, score.named = score.mutants + 1, score.named + named
            alive += [mutant.name] if kind == Kind.PASSED else []
        _explain(score, alive, known.get(exercise.name, {}))
        yield score


def _explain(score: Score, alive: list[str], known: dict[str, str]) -> None:
    explained = {name: [key for key in known if _is_of(name, key)] for name in alive}
    score.survivors = [name for name, keys in explained.items() if not keys]
    score.explained = len(alive) - len(score.survivors)
    used = {key for keys in explained.values() for key in keys}
    score.stale = [key for key in known if key not in used]


def _is_of(name: str, key: str) -> bool:
    """Whether a key is a mutant's name, or ends with "…" and the name begins like it."""
    return name.startswith(key[:-1]) if key.endswith("…") else name == key


def _of_exercise(chapter: Chapter, exercise: Exercise) -> Iterator[Mutant]:
    """All of them, but a cut gradient only where a case asks for gradients."""
    sources = {"reference": reference(chapter)[exercise.name]}
    sources |= {variant.name: variant.source_as(exercise.name) for variant in exercise.variants}
    cut = any(case.gradient for case in exercise.generate(0, secret=True))
    for name, source in sources.items():
        yield from mutants(name, source, cut)


def _graded(grader: Grader, name: str, mutant: Mutant) -> tuple[Kind, bool]:
    """The kind of verdict, and whether the mistake has a name."""
    cells = reference_cells(grader.chapter)
    changed = [Cell(c.name, mutant.source) if c.name == name else c for c in cells]
    try:
        verdict = grader.hurried(changed, name, PATIENCE)
    except TooSlow:
        return Kind.TIMEOUT, False
    return verdict.kind, bool(verdict.misconception)
