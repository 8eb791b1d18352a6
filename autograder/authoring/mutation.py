"""Grade the mutants of a chapter: which are rejected, and why the others are no mistakes.

A chapter's file SURVIVORS says of each mutant that computes the same why it does.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass

from autograder.authoring.last_run import LastRun
from autograder.authoring.mutants import Mutant, mutants
from autograder.authoring.narrowed import grader_of
from autograder.authoring.remarks import remarks
from autograder.common.cell import Cell
from autograder.common.errors import CourseError
from autograder.diagnosis.diagnose import diagnose
from autograder.exercise.spec import Exercise
from autograder.judging.grader import Grader
from autograder.judging.verdict import Kind
from autograder.notebooks.chapter import Chapter, reference, reference_cells
from autograder.sandbox.sandbox import Sandbox

SURVIVORS = "survivors.json"
SEED = TEST = "mutants"


@dataclass(frozen=True)
class Outcome:
    """The result for an exercise's mutants: how many there are and are named, and which pass."""

    exercise: str
    mutants: int
    named: int
    passing: list[str]


@dataclass(frozen=True)
class Score:
    """An exercise's outcome beside what the chapter says of it.

    explained: mutants that pass and are no mistakes. `survivors`: the others that pass. `stale`:
    what the chapter explains although it does not pass.
    """

    outcome: Outcome
    explained: int
    survivors: list[str]
    stale: list[str]

    @property
    def rejected(self) -> int:
        return self.outcome.mutants - self.explained - len(self.survivors)


def scores(
    chapter: Chapter,
    sandbox: Sandbox,
    names: Collection[str] = (),
    last_run: LastRun | None = None,
) -> Iterator[Score]:
    """Grade the mutants of each exercise and look up what passes.

    names: of the exercises to look at; by default all. last_run: where nothing has changed since,
    its outcome stands.
    Raises CourseError where the reference itself fails, and for explanations that are unreadable.
    """
    known = explanations(chapter)
    for outcome in _outcomes(chapter, sandbox, names or chapter.exercises, last_run):
        yield explained(outcome, known.get(outcome.exercise, {}))


def explanations(chapter: Chapter) -> dict[str, dict[str, str]]:
    """Return the reasons by exercise and mutant. Raises CourseError for an unreadable file."""
    return remarks(chapter.folder / SURVIVORS) or {}


def _outcomes(
    chapter: Chapter, sandbox: Sandbox, names: Collection[str], last_run: LastRun | None
) -> Iterator[Outcome]:
    grader = None
    known = {name: found for name in names if last_run and (found := last_run.find(TEST, name))}
    unknown = [name for name in names if name not in known]
    for name in names:
        if name in unknown:
            grader = grader or _grader(chapter, sandbox, unknown)
            known[name] = asdict(_outcome(grader, chapter.exercises[name]))
            if last_run:
                last_run.keep(TEST, name, known[name])
        yield Outcome(**known[name])


def _grader(chapter: Chapter, sandbox: Sandbox, names: Collection[str]) -> Grader:
    """Raises CourseError where the reference itself fails."""
    grader = grader_of(chapter, SEED, sandbox, names)
    if fault := grader.fault():
        raise CourseError(f"{chapter.name}: {fault}")
    return grader


def _outcome(grader: Grader, exercise: Exercise) -> Outcome:
    """Grade the mutants of an exercise's reference and variants."""
    number, named, passing = 0, 0, []
    for mutant in of_exercise(grader.chapter, exercise):
        kind, has_name = _graded(grader, exercise.name, mutant)
        number, named = number + 1, named + has_name
        passing += [mutant.name] if kind == Kind.PASSED else []
    return Outcome(exercise.name, number, named, passing)


def explained(outcome: Outcome, known: Mapping[str, str]) -> Score:
    """Find which of the mutants that pass are explained, and which explanations are of none."""
    keys = {name: [key for key in known if _is_of(name, key)] for name in outcome.passing}
    survivors = [name for name in keys if not keys[name]]
    used = {key for several in keys.values() for key in several}
    stale = [key for key in known if key not in used]
    return Score(outcome, len(keys) - len(survivors), survivors, stale)


def _is_of(name: str, key: str) -> bool:
    """Tell whether a key is a mutant's name, or ends with "…" and the name begins like it."""
    return name.startswith(key[:-1]) if key.endswith("…") else name == key


def of_exercise(chapter: Chapter, exercise: Exercise) -> Iterator[Mutant]:
    """All of them, but a cut gradient only where a case asks for gradients."""
    sources = {"reference": reference(chapter)[exercise.name]}
    sources |= {variant.name: variant.source_as(exercise.name) for variant in exercise.variants}
    cut = any(case.gradient for case in exercise.generate(0, secret=True))
    for name, source in sources.items():
        yield from mutants(name, source, cut, exercise.vocabulary.confused)


def _graded(grader: Grader, name: str, mutant: Mutant) -> tuple[Kind, bool]:
    """The kind of verdict, and whether the mistake has a name."""
    cells = reference_cells(grader.chapter)
    changed = [Cell(c.name, mutant.source) if c.name == name else c for c in cells]
    verdict = diagnose(grader.checks[name], grader.grade_one(changed, name))
    return verdict.kind, bool(verdict.misconception)
