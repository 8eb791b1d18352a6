"""Checks as a file: what a learner's notebook has beside it, `checks.safetensors`."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from autograder.common.errors import OtherFormat, WireError
from autograder.exercise import properties, wire
from autograder.exercise.case import Case
from autograder.exercise.observation import Observation
from autograder.exercise.spec import Group, Vocabulary, Word
from autograder.exercise.stateful import Stateful, parts
from autograder.judging.checks import CheckedCase, Checks

# The first version of this package whose files are as `packed` writes them. It grows with each
# change of what they hold, and the package's own with it: pip keeps an engine of the same version.
FORMAT = "0.7.0"
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
NOTHING = Observation().to_tree()


def packed(checks: list[Checks]) -> bytes:
    """Checks as the bytes of a safetensors file, sealed, so that an edit by hand is noticed."""
    trees = [to_tree(known) for known in checks]
    for case in (case for tree in trees for case in tree["cases"]):
        case["expected"] = _said(case["expected"])
        case["wrong"] = {name: _said(seen) for name, seen in case["wrong"].items()}
    return wire.seal(wire.pack(_shared(trees)), format=FORMAT)


def _said(seen: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of an observation that say something: a file has thousands of them."""
    return {name: part for name, part in seen.items() if name == "output" or part != NOTHING[name]}


def _shared(tree: Any) -> Any:
    """Share one tensor among all that are equal: most mistakes are right in most cases."""
    known: dict[tuple[Any, ...], Tensor] = {}

    def first(leaf: Any) -> Any:
        if isinstance(leaf, Stateful):
            return replace(leaf, **tree_map(first, parts(leaf)))  # type: ignore[type-var]
        if not isinstance(leaf, Tensor):
            return leaf
        plain = leaf.clone(memory_format=torch.contiguous_format)  # one number has any stride
        content = plain.reshape(-1).view(torch.uint8).numpy().tobytes()
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
    """Return it as a value that `wire.pack` accepts."""
    return {name: getattr(case, name) for name in case.__dataclass_fields__}


def to_tree(checks: Checks) -> dict[str, Any]:
    """Return it as a value that `wire.pack` accepts."""
    tree = {name: getattr(checks, name) for name in checks.__dataclass_fields__}
    tree["properties"] = [properties.to_tree(relation) for relation in checks.properties]
    tree["groups"] = [_group_to_tree(group) for group in checks.groups]
    tree["vocabulary"] = _vocabulary_to_tree(checks.vocabulary)
    tree["cases"] = [
        {
            "case": case_to_tree(checked.case),
            "expected": checked.expected.to_tree(),
            "wrong": {name: seen.to_tree() for name, seen in checked.wrong.items()},
        }
        for checked in checks.cases
    ]
    return tree


def _vocabulary_to_tree(vocabulary: Vocabulary) -> dict[str, Any]:
    """Keep what a learner's check needs of it; the names that mutants exchange are not among it."""
    words = {name: asdict(word) for name, word in vocabulary.words.items()}
    return {"words": words, "selecting": vocabulary.selecting}


def _vocabulary(tree: dict[str, Any]) -> Vocabulary:
    words = {name: Word(**word) for name, word in tree["words"].items()}
    return Vocabulary(words, tree["selecting"])


def _group_to_tree(group: Group) -> dict[str, Any]:
    relations = [properties.to_tree(relation) for relation in group.properties]
    return {**asdict(group), "properties": relations}


def _group(tree: dict[str, Any]) -> Group:
    relations = tuple(map(properties.from_tree, tree["properties"]))
    return Group(**{**tree, "cases": tuple(tree["cases"]), "properties": relations})


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
    groups = tuple(map(_group, tree["groups"]))
    parsed = {"properties": relations, "groups": groups, "cases": cases}
    return Checks(**{**tree, **parsed, "vocabulary": _vocabulary(tree["vocabulary"])})
