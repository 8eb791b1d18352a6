"""What goes to a worker of a cluster and comes back: JSON and a notebook's bytes, never objects.

A request names the run and holds the submission, and its reply names the digest of the request. So
a reply of another run or of another notebook is told from the one that is waited for; one that was
forged by somebody who reads what travels is not.
"""

import json
import math
from dataclasses import asdict
from typing import Any, get_args, get_origin, get_type_hints

from autograder.calls.errors import CourseError
from autograder.grading.graded import Graded
from autograder.grading.provenance import fingerprint
from autograder.notebooks.hand_in import HandIn, NotebookError, UnreadableError

ROW = {
    "student": str, "chapter": str, "exercise": str, "points": float | None, "max_points": float,
    "verdict": str, "misconception": str | None, "message": str,
}  # fmt: skip
REFUSED = (
    "What came back from the cluster is no verdict on this notebook in this run "
    "({}: {}); see who else can reach the scheduler."
)


def request(run: str, student: str, handed_in: HandIn, hurry: bool) -> bytes:
    """One submission on its way to a worker. run: a name that no other run has."""
    found = handed_in.found
    unread = isinstance(found, NotebookError)
    header = {
        "run": run,
        "student": student,
        "hurry": hurry,
        "name": handed_in.name,
        "problem": str(found) if unread else None,
        "ours": isinstance(found, UnreadableError),
    }
    return json.dumps(header).encode() + b"\n" + (b"" if isinstance(found, Exception) else found)


def submission(message: bytes) -> tuple[str, HandIn, bool]:
    """Student, hand-in and hurry of a request. Raises ValueError or KeyError if it is none."""
    header, _, data = message.partition(b"\n")
    told = json.loads(header)
    problem = UnreadableError if told["ours"] else NotebookError
    found = data if told["problem"] is None else problem(told["problem"])
    return told["student"], HandIn(told["name"], found), told["hurry"]


def reply(message: bytes, graded: Graded) -> bytes:
    """What came of a request."""
    return json.dumps({"request": fingerprint(message), "graded": asdict(graded)}).encode()


def verdict(answer: bytes, digest: str, student: str) -> Graded:
    """What a reply says. Raises CourseError unless it is to the request with this digest."""
    try:
        said = json.loads(answer)
        if said["request"] != digest:
            raise ValueError("it answers something else")
        graded = Graded(**said["graded"])
        graded.notebook.encode()  # raises what writing it would
        if graded.student != student or not _whole(graded):
            raise ValueError("its parts do not fit each other")
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise CourseError(REFUSED.format(type(error).__name__, error)) from None
    return graded


def _whole(graded: Graded) -> bool:
    """Whether all parts are what they should be; without a notebook, marks must be missing."""
    kinds = get_type_hints(Graded)
    if not all(_fits(getattr(graded, name), kind) for name, kind in kinds.items()):
        return False
    if not all(_fits(row[name], kind) for row in graded.rows for name, kind in ROW.items()):
        return False
    marked = [row["points"] is not None for row in graded.rows]
    return graded.slow or (bool(marked) and all(marked) == bool(graded.notebook))


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value that was JSON is of a type as annotations write it."""
    inner = get_args(kind)
    if get_origin(kind) is list:
        return isinstance(value, list) and all(_fits(item, inner[0]) for item in value)
    if get_origin(kind) is dict:
        return isinstance(value, dict) and all(_fits(item, inner[1]) for item in value.values())
    if inner:
        return any(_fits(value, one) for one in inner)
    if kind is float:
        return type(value) in (int, float) and abs(value) < math.inf
    return kind is Any or isinstance(value, kind)
