"""The file that the mark page saves: read with nothing taken on trust."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import ValidationError, validate  # type: ignore[import-untyped]

from autograder.common.errors import CourseError
from autograder.marking.answer_groups import Part
from autograder.marking.gradebook_marks import Given, Place

FORMAT = 1
ADVICE = "Save it again on the mark page, and apply that file."
_GIVEN = {
    "type": "object",
    "required": ["points", "comment"],
    "properties": {"points": {"type": ["number", "null"]}, "comment": {"type": "string"}},
}
SCHEMA = {
    "type": "object",
    "required": ["format", "made_by", "chapter", "part", "marks"],
    "properties": {
        "made_by": {"const": "attn mark"},
        "format": {"const": FORMAT},
        "chapter": {"type": "string", "minLength": 1},
        "part": {"type": "string"},
        "work_id": {"type": "string"},
        "marks": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["question", "student", "digest", "points", "comment", "before"],
                "properties": {
                    "question": {"type": "string"},
                    "student": {"type": "string"},
                    "digest": {"type": "string"},
                    "points": {"type": "number"},
                    "comment": {"type": "string"},
                    "before": _GIVEN,
                    "earlier": {"type": "array", "items": _GIVEN},
                },
            },
        },
    },
}


@dataclass(frozen=True)
class Offer:
    """A mark for an answer as a file has it. digest: of the answer that the page showed.

    before: the gradebook's mark when this one was given. earlier: what the same work saved before.
    file: a short name of it. work: tells a grader's files from those of others.
    """

    place: Place
    digest: str
    given: Given
    before: Given
    earlier: tuple[Given, ...]
    file: str
    work: str


@dataclass(frozen=True)
class MarksFile:
    """What one grader saved of a chapter."""

    chapter: str
    offers: list[Offer]


def file_name(chapter: str, part: Part, kind: str = "marks.json") -> str:
    """Name what belongs to a chapter and a part of its graders: "04_masks.2-of-5.marks.json"."""
    return f"{chapter}{part.suffix}.{kind}"


def read_all(paths: Iterable[Path]) -> list[MarksFile]:
    """Read files, which are named by the shortest ends of their paths that differ.

    Raises CourseError for a file that the mark page has not saved, or that is damaged.
    """
    whole = dict.fromkeys(path.absolute() for path in paths)
    shared = Counter(end for path in whole for end in _ends(path))
    return [_read(path, next(end for end in _ends(path) if shared[end] == 1)) for path in whole]


def _ends(path: Path) -> list[str]:
    """Return "c", "b/c" and "/b/c" of the path "/b/c"."""
    return [str(Path(*path.parts[-length:])) for length in range(1, len(path.parts) + 1)]


def _read(path: Path, name: str) -> MarksFile:
    tree = _tree(path)
    try:
        validate(tree, SCHEMA)
    except ValidationError as error:
        raise CourseError(
            f"{path} is not as the mark page saves it: {_why(error)}. {ADVICE}"
        ) from None
    work = tree.get("work_id", str(path))
    return MarksFile(tree["chapter"], [_offer(one, name, work) for one in tree["marks"]])


def _tree(path: Path) -> Any:
    try:
        text = path.read_text("utf-8")
        return json.loads(text, parse_constant=_refuse, parse_int=float)
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise CourseError(f"{path} is damaged, or no file of the mark page. {ADVICE}") from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number of points")


def _why(error: ValidationError) -> str:
    """Say where, and what is wrong there, however long it is."""
    where = "/".join(map(str, error.absolute_path))
    return f"{where + ': ' if where else ''}{error.message[:200]}"


def _offer(tree: dict[str, Any], file: str, work: str) -> Offer:
    return Offer(
        (tree["question"], tree["student"]),
        tree["digest"],
        _given(tree),
        _given(tree["before"]),
        tuple(map(_given, tree.get("earlier", ()))),
        file,
        work,
    )


def _given(tree: dict[str, Any]) -> Given:
    return Given(tree["points"], tree["comment"])
