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

from autograder import properties, wire
from autograder.errors import WireError
from autograder.observation import Observation
from autograder.observe import observe
from autograder.spec import Case, Exercise

PUBLIC_SEED = "public"


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


def build(exercise: Exercise, seed: str | None = None) -> Checks:
    """The public checks, with the graded cases of a secret `seed` after them if one is given."""
    torch.set_num_threads(1)  # the tensors are small: threads would only wait for each other
    cases = exercise.generate(_number(PUBLIC_SEED, exercise.name), secret=False)
    if seed is not None:
        known = {wire.pack(case.inputs) for case in cases}
        graded = exercise.generate(_number(seed, exercise.name), secret=True)
        cases += [replace(c, public=False) for c in graded if wire.pack(c.inputs) not in known]
    return Checks(
        exercise.name,
        exercise.points,
        exercise.returns,
        exercise.read,
        exercise.forbids,
        exercise.properties,
        {item.name: item.hint for item in exercise.misconceptions},
        [_checked(exercise, case) for case in _looked_at_closely(exercise, cases)],
        exercise.minutes,
        exercise.builds_on,
    )


def _looked_at_closely(exercise: Exercise, cases: list[Case]) -> list[Case]:
    """Run the largest case of each kind on `meta`, and count the work of the largest of all.

    Calls that are forbidden are looked for in every case.
    """
    largest: dict[Any, Case] = {}
    for case in cases:
        if case.kind not in largest or case.size > largest[case.kind].size:
            largest[case.kind] = case
    chosen = {id(case) for case in largest.values()}
    costs = any(isinstance(item, properties.CostAtMost) for item in exercise.properties)
    counted = {id(max(cases, key=lambda case: case.size))} if costs else set()
    return [
        replace(case, meta=id(case) in chosen,
                traced=bool(exercise.forbids) or id(case) in counted)
        for case in cases
    ]  # fmt: skip


def _checked(exercise: Exercise, case: Case) -> CheckedCase:
    if exercise.right is None:
        raise ValueError(f"{exercise.name} has no oracle")
    wrong = {item.name: observe(item.target, case) for item in exercise.misconceptions}
    return CheckedCase(case, _exact(exercise.right.target, case), wrong)


def _exact(oracle: Any, case: Case) -> Observation:
    """The oracle in float64, rounded to the dtype of the case's own inputs."""
    floats = [
        v.dtype for v in [*case.inputs.values(), *(case.state or {}).values()] if _is_float(v)
    ]
    seen = observe(oracle, _as(case, torch.float64))
    if seen.failure:
        raise ValueError(f"the oracle raised {seen.failure} on case {case.name!r}")
    if not floats:
        return replace(seen, meta="", changed=[])
    gradients = seen.gradients and {k: _cast(v, floats[0]) for k, v in seen.gradients.items()}
    output = tree_map(lambda leaf: _cast(leaf, floats[0]), seen.output)
    return replace(seen, output=output, gradients=gradients, meta="", changed=[])


def _as(case: Case, dtype: torch.dtype) -> Case:
    inputs = {name: _cast(value, dtype) for name, value in case.inputs.items()}
    state = case.state and {name: _cast(value, dtype) for name, value in case.state.items()}
    return replace(case, inputs=inputs, state=state)


def _cast(value: Any, dtype: torch.dtype) -> Any:
    return value.to(dtype) if _is_float(value) else value


def _is_float(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _number(seed: str, exercise: str) -> int:
    digest = hashlib.sha256(f"{seed}\0{exercise}".encode()).digest()
    return int.from_bytes(digest[:8], "little")


def packed(checks: list[Checks]) -> bytes:
    """Checks as the bytes of a safetensors file, sealed, so that an edit by hand is noticed."""
    return wire.seal(wire.pack(_shared([to_tree(item) for item in checks])))


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

    Raises WireError if the file is damaged, was edited or has another engine's format,
    FileNotFoundError if missing.
    """
    data = path.read_bytes()
    trees = wire.unpack(data)
    if not wire.is_sealed(data):
        raise WireError(f"{path.name} is not as it was written")
    try:
        return {tree["exercise"]: _from_tree(tree) for tree in trees}
    except (TypeError, KeyError) as error:
        raise WireError(f"{path.name} has another format: {error}") from None


def case_to_tree(case: Case) -> dict[str, Any]:
    """As a value that `wire.pack` accepts."""
    return {name: getattr(case, name) for name in case.__dataclass_fields__}


def to_tree(checks: Checks) -> dict[str, Any]:
    """As a value that `wire.pack` accepts."""
    tree = {name: getattr(checks, name) for name in checks.__dataclass_fields__}
    tree["properties"] = [properties.to_tree(item) for item in checks.properties]
    tree["cases"] = [
        {
            "case": case_to_tree(item.case),
            "expected": item.expected.to_tree(),
            "wrong": {name: seen.to_tree() for name, seen in item.wrong.items()},
        }
        for item in checks.cases
    ]
    return tree


def _from_tree(tree: dict[str, Any]) -> Checks:
    cases = [
        CheckedCase(
            Case(**item["case"]),
            Observation.from_tree(item["expected"]),
            {name: Observation.from_tree(seen) for name, seen in item["wrong"].items()},
        )
        for item in tree["cases"]
    ]
    relations = tuple(properties.from_tree(item) for item in tree["properties"])
    return Checks(**{**tree, "properties": relations, "cases": cases})
