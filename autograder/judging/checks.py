"""Everything the judge needs to know about one exercise, as data.

A learner's copy is a file with the public cases; an instructor's is made afresh from a secret
seed and has the public cases too, so that feedback can show a difference without giving away a
hidden value. Neither holds code.
"""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from autograder.calls import places, properties, wire
from autograder.calls.errors import CourseError, OtherFormat, WireError
from autograder.calls.observation import Observation
from autograder.calls.observe import observe
from autograder.calls.spec import Case, Exercise
from autograder.judging.exact import exact
from autograder.judging.one_thread import one_thread

# The first version of this package whose files are as `packed` writes them. It grows with each
# change of what they hold, and the package's own with it: pip keeps an engine of the same version.
FORMAT = "0.3.0"
UNSAID = "0.1.0"  # whose files do not say it
NEWER_FILE = (
    "{path} needs version {version} of the course's engine, and an older one is installed. In the "
    "folder that came with it, run: pip install -r requirements.txt (in a clone of the course: "
    "make setup). Then restart the kernel."
)
OLDER_FILE = (
    "{path} was made for version {version} of the course's engine, and the installed one is newer. "
    "Download the chapter again and replace that file; your notebook can stay as it is."
)
PUBLIC_SEED = "public"
NOTHING = Observation().to_tree()


@dataclass(frozen=True)
class CheckedCase:
    """A case with the right observation and, by misconception, the wrong ones."""

    case: Case
    expected: Observation
    wrong: dict[str, Observation]


@dataclass(frozen=True)
class Checks:
    """The judge's view of one exercise. `hints` holds each misconception's hint by its name.

    minutes: that a learner needs by the course's estimate; 0 where that is not known.
    builds_on: earlier exercises of the notebook whose functions this one may call.
    """

    exercise: str
    points: int
    returns: tuple[str, ...]
    read: str
    forbids: tuple[str, ...]
    properties: tuple[properties.Property, ...]
    hints: dict[str, str]
    cases: list[CheckedCase]
    minutes: int = 0
    builds_on: tuple[str, ...] = ()


@one_thread()
def build(exercise: Exercise, seed: str | None = None) -> Checks:
    """The public checks, with the graded cases of a secret `seed` after them if one is given.

    Raises CourseError where a part of the exercise does not fit the others.
    """
    try:
        cases = _generated(exercise, seed)
    except Exception as error:  # it is the author's code that runs here
        at = places.of_error(error, places.file_of(_oracle(exercise)))
        what = f"{type(error).__name__}: {error}"
        raise CourseError(f"{at}: the cases of {exercise.name}: {what}. Correct them.") from error
    made = Checks(
        exercise.name,
        exercise.points,
        exercise.returns,
        exercise.read,
        exercise.forbids,
        exercise.properties,
        {wrong.name: wrong.hint for wrong in exercise.misconceptions},
        [_checked(exercise, case) for case in _looked_at_closely(exercise, cases)],
        exercise.minutes,
        exercise.builds_on,
    )
    _refuse_unfitting(made, places.file_of(_oracle(exercise)))
    return made


def _generated(exercise: Exercise, seed: str | None) -> list[Case]:
    """The public cases, and those of a secret seed that are none of them."""
    cases = exercise.generate(_number(PUBLIC_SEED, exercise.name), secret=False)
    if seed is None:
        return cases
    known = {wire.pack(case.inputs) for case in cases}
    graded = exercise.generate(_number(seed, exercise.name), secret=True)
    new = (case for case in graded if wire.pack(case.inputs) not in known)
    return cases + [replace(case, public=False) for case in new]


def _refuse_unfitting(made: Checks, path: Path) -> None:
    """Stop at a property that the oracle's own observations do not have: no answer could."""
    for checked in made.cases:
        for relation in made.properties:
            try:
                violation = relation.violation(checked.expected, checked.expected)
            except (AttributeError, IndexError, TypeError) as error:
                violation = f"{error}."
            if violation:
                raise CourseError(
                    f"{path}: the property {relation} does not fit what the oracle "
                    f"returns on case {checked.case.name!r}: {violation} Correct one of them."
                )


def _looked_at_closely(exercise: Exercise, cases: list[Case]) -> list[Case]:
    """Run the largest case of each kind as if on a GPU, and count the work of the largest of all.

    A public one is preferred, so that learners see what the grader will. Calls that are forbidden
    are looked for in every case.
    """
    largest: dict[Any, Case] = {}
    for case in cases:
        known = largest.get(case.kind)
        if known is None or (case.public, case.size) > (known.public, known.size):
            largest[case.kind] = case
    chosen = {id(case) for case in largest.values()}
    costs = any(isinstance(part, properties.CostAtMost) for part in exercise.properties)
    counted = {id(max(cases, key=lambda case: case.size))} if costs else set()
    return [
        replace(case, placed=id(case) in chosen,
                traced=bool(exercise.forbids) or id(case) in counted)
        for case in cases
    ]  # fmt: skip


def _checked(exercise: Exercise, case: Case) -> CheckedCase:
    wrong = {mistake.name: observe(mistake.target, case) for mistake in exercise.misconceptions}
    return CheckedCase(case, exact(_oracle(exercise), case), wrong)


def _oracle(exercise: Exercise) -> Any:
    assert exercise.right is not None, "a chapter with such an exercise is not loaded"
    return exercise.right.target


def _number(seed: str, exercise: str) -> int:
    digest = hashlib.sha256(f"{seed}\0{exercise}".encode()).digest()
    return int.from_bytes(digest[:8], "little")


def packed(checks: list[Checks]) -> bytes:
    """Checks as the bytes of a safetensors file, sealed, so that an edit by hand is noticed."""
    trees = [to_tree(known) for known in checks]
    for case in (case for tree in trees for case in tree["cases"]):
        case["expected"] = _said(case["expected"])
        case["wrong"] = {name: _said(seen) for name, seen in case["wrong"].items()}
    return wire.seal(wire.pack(_shared(trees)), format=FORMAT)


def _said(seen: dict[str, Any]) -> dict[str, Any]:
    """The parts of an observation that say something: a file has thousands of them."""
    return {name: part for name, part in seen.items() if name == "output" or part != NOTHING[name]}


def _shared(tree: Any) -> Any:
    """The tree with one tensor for all that are equal: most mistakes are right in most cases."""
    known: dict[tuple[Any, ...], Tensor] = {}

    def first(leaf: Any) -> Any:
        if not isinstance(leaf, Tensor):
            return leaf
        content = leaf.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        return known.setdefault((leaf.dtype, leaf.shape, content), leaf)

    return tree_map(first, tree)


def load(path: Path) -> dict[str, Checks]:
    """Checks by exercise.

    Raises WireError if the file is damaged or was edited, OtherFormat if it is for another engine,
    FileNotFoundError if missing.
    """
    data = path.read_bytes()
    if not wire.is_sealed(data):
        raise WireError(f"{path.name} is not as it was written")
    version = wire.about(data).get("format", UNSAID)
    if version != FORMAT:
        what = NEWER_FILE if _numbers(version) > _numbers(FORMAT) else OLDER_FILE
        raise OtherFormat(what.format(path=path.resolve(), version=version))
    try:
        return {tree["exercise"]: _from_tree(tree) for tree in wire.unpack(data)}
    except (TypeError, KeyError) as error:
        raise WireError(f"{path.name} is not as its format says: {error}") from None


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def case_to_tree(case: Case) -> dict[str, Any]:
    """As a value that `wire.pack` accepts."""
    return {name: getattr(case, name) for name in case.__dataclass_fields__}


def to_tree(checks: Checks) -> dict[str, Any]:
    """As a value that `wire.pack` accepts."""
    tree = {name: getattr(checks, name) for name in checks.__dataclass_fields__}
    tree["properties"] = [properties.to_tree(relation) for relation in checks.properties]
    tree["cases"] = [
        {
            "case": case_to_tree(checked.case),
            "expected": checked.expected.to_tree(),
            "wrong": {name: seen.to_tree() for name, seen in checked.wrong.items()},
        }
        for checked in checks.cases
    ]
    return tree


def _observation(said: dict[str, Any]) -> Observation:
    return Observation.from_tree(NOTHING | said)


def _from_tree(tree: dict[str, Any]) -> Checks:
    cases = [
        CheckedCase(
            Case(**part["case"]),
            _observation(part["expected"]),
            {name: _observation(seen) for name, seen in part["wrong"].items()},
        )
        for part in tree["cases"]
    ]
    relations = tuple(map(properties.from_tree, tree["properties"]))
    return Checks(**{**tree, "properties": relations, "cases": cases})
