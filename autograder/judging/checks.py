"""Everything the judge needs to know about one exercise, as data.

A learner's copy is a file with the public cases; an instructor's is made afresh from a secret
seed and has the public cases too, so that feedback can show a difference without giving away a
hidden value. Neither holds code.
"""

import hashlib
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from autograder.common import source_location
from autograder.common.errors import CourseError
from autograder.confined.observe import observe
from autograder.exercise import properties, wire
from autograder.exercise.case import AGAIN, WORK, Case, Property
from autograder.exercise.observation import Observation
from autograder.exercise.spec import NO_WORDS, Exercise, Group, Vocabulary
from autograder.exercise.tensors import one_thread
from autograder.judging.expected import exact, refuse_uncounted

PUBLIC_SEED = "public"


@dataclass(frozen=True)
class CheckedCase:
    """A case with the right observation and, by misconception, the wrong ones."""

    case: Case
    expected: Observation
    wrong: Mapping[str, Observation]


@dataclass(frozen=True)
class Checks:
    """The judge's view of one exercise. `hints` holds each misconception's hint by its name.

    properties: those of the exercise, then those of its groups.
    minutes: that a learner needs by the course's estimate; 0 where that is not known.
    builds_on: earlier exercises of the notebook whose functions this one may call.
    vocabulary: of the course.
    """

    exercise: str
    points: int
    returns: tuple[str, ...]
    read: str
    forbids: tuple[str, ...]
    properties: tuple[Property, ...]
    hints: dict[str, str]
    cases: list[CheckedCase]
    minutes: int = 0
    builds_on: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    vocabulary: Vocabulary = NO_WORDS

    @property
    def on_any_device(self) -> bool:
        """Tell whether devices matter: then it is tried on a GPU, too, where there is one."""
        return any(checked.case.placed is True for checked in self.cases)


@one_thread()
def build(exercise: Exercise, seed: str | None = None) -> Checks:
    """Build the public checks, and after them the graded cases of a secret `seed` if there is one.

    Raises CourseError where a part of the exercise does not fit the others.
    """
    cases = _generated(exercise, seed)
    made = Checks(
        exercise.name,
        exercise.points,
        exercise.returns,
        exercise.read,
        exercise.forbids,
        _relations(exercise),
        {wrong.name: wrong.hint for wrong in exercise.misconceptions},
        [_checked(exercise, case) for case in _with_probes(exercise, cases)],
        exercise.minutes,
        exercise.builds_on,
        _groups(exercise, cases),
        exercise.vocabulary,
    )
    _refuse_unfitting(made, _oracle(exercise))
    return made


def _relations(exercise: Exercise) -> tuple[Property, ...]:
    return exercise.properties + tuple(
        relation for group in exercise.groups for relation in group.properties
    )


def _groups(exercise: Exercise, cases: list[Case]) -> tuple[Group, ...]:
    """Return the groups, each with those of its cases that are there: a file names no other."""
    there = {case.name for case in cases}
    return tuple(
        replace(group, cases=tuple(name for name in group.cases if name in there))
        for group in exercise.groups
    )


def _generated(exercise: Exercise, seed: str | None) -> list[Case]:
    """Return the public cases, and those of a secret seed that are none of them."""
    cases = generate(exercise, PUBLIC_SEED, secret=False)
    if seed is None:
        return cases
    known = {wire.pack(case.inputs) for case in cases}
    graded = generate(exercise, seed, secret=True)
    new = (case for case in graded if wire.pack(case.inputs) not in known)
    return cases + [replace(case, public=False) for case in new]


def generate(exercise: Exercise, seed: str, secret: bool) -> list[Case]:
    """Return the cases of a seed. Raises CourseError, with the line, where they cannot be made."""
    try:
        cases = exercise.generate(_number(seed, exercise.name), secret)
    except Exception as error:  # it is the author's code that runs here
        at = source_location.of_error(error, source_location.file_of(_oracle(exercise)))
        what = f"{type(error).__name__}: {error}"
        raise CourseError(f"{at}: the cases of {exercise.name}: {what}. Correct them.") from error
    for case in cases:
        _refuse_unsendable(exercise, case)
    return cases


def _refuse_unsendable(exercise: Exercise, case: Case) -> None:
    """Stop at an input that cannot reach the process in which an answer runs."""
    for name, value in {**case.inputs, **(case.construct or {}), **(case.state or {})}.items():
        try:
            wire.pack(value)
        except Exception:
            at = source_location.of_text(source_location.file_of(_oracle(exercise)), case.name)
            raise CourseError(
                f"{at}: the case {case.name!r} gives {name} as {type(value).__name__}, which "
                "cannot be handed to an answer. Give a tensor, a number, a text or a list of them."
            ) from None


def _refuse_unfitting(made: Checks, oracle: Any) -> None:
    """Stop at a property that the oracle's own observations do not have: no answer could."""
    path = source_location.file_of(oracle)
    for checked in made.cases:
        for relation in made.properties:
            if isinstance(relation, properties.Drawn):
                refuse_uncounted(oracle, checked.case, checked.expected, relation)
            try:
                violation = relation.violation(checked.expected, checked.expected, checked.case)
            except (AttributeError, IndexError, TypeError) as error:
                violation = f"{error}."
            if violation:
                raise CourseError(
                    f"{path}: the property {relation} does not fit what the oracle "
                    f"returns on case {checked.case.name!r}: {violation} Correct one of them."
                )


def _with_probes(exercise: Exercise, cases: list[Case]) -> list[Case]:
    """Run the largest case of each kind as if on a GPU, and count the work of the largest of all.

    Where devices do not matter to the exercise, only draws are looked at. A public one is
    preferred, so that learners see what the grader will. Calls that are forbidden are looked for
    in every case.
    """
    largest: dict[Any, Case] = {}
    for case in cases:
        known = largest.get(case.kind)
        if known is None or (case.public, case.size) > (known.public, known.size):
            largest[case.kind] = case
    chosen = {id(case) for case in largest.values()}
    costs = any(isinstance(part, properties.CostAtMost) for part in _relations(exercise))
    counted = {id(max(cases, key=lambda case: case.size))} if costs else set()
    return [
        replace(
            case,
            placed=id(case) in chosen and (bool(exercise.device) or AGAIN),
            traced=WORK if id(case) in counted else bool(exercise.forbids),
        )
        for case in cases
    ]


def _checked(exercise: Exercise, case: Case) -> CheckedCase:
    targets = {mistake.name: mistake.target for mistake in exercise.misconceptions}
    return CheckedCase(case, exact(_oracle(exercise), case), Mistaken(case, targets))


class Mistaken(Mapping[str, Observation]):
    """Observations of each misconception on a case, by its name, made when one is first asked for.

    To observe all of them takes most of the time that checks take, and few are ever asked for: a
    right answer needs none.
    """

    def __init__(self, case: Case, targets: dict[str, Callable[..., Any]]):
        self._case, self._targets = case, targets
        self._seen: dict[str, Observation] = {}

    def __getitem__(self, name: str) -> Observation:
        if name not in self._seen:
            with own_work():
                self._seen[name] = observe(self._targets[name], self._case)
        return self._seen[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)


def _oracle(exercise: Exercise) -> Any:
    assert exercise.right is not None, "a chapter with such an exercise is not loaded"
    return exercise.right.target


def _number(seed: str, exercise: str) -> int:
    digest = hashlib.sha256(f"{seed}\0{exercise}".encode()).digest()
    return int.from_bytes(digest[:8], "little")


# Those of the limit to what trusted code spends on a submission; Windows has none.
TIMERS = (signal.ITIMER_PROF, signal.ITIMER_VIRTUAL) if hasattr(signal, "setitimer") else ()


@contextmanager
def own_work() -> Iterator[None]:
    """While it lasts, the timers of this process stand still, and torch has one thread."""
    left = [signal.setitimer(timer, 0) for timer in TIMERS]
    try:
        with one_thread():
            yield
    finally:
        for timer, (seconds, again) in zip(TIMERS, left, strict=True):
            signal.setitimer(timer, seconds, again)
