"""Messages to a worker of a cluster and back are JSON and a notebook's bytes, never objects.

A request names the run and holds the submission, and its reply names the digest of the request. So
a reply of another run or of another notebook is told from the one that is waited for; one that was
forged by somebody who reads what travels is not.
"""

import json
from dataclasses import asdict
from typing import get_type_hints

from autograder.common.errors import CourseError
from autograder.grading.journal import fits
from autograder.grading.provenance import fingerprint
from autograder.grading.results import Graded
from autograder.notebooks.hand_in import HandIn, NotebookError, UnreadableError

GRADED = get_type_hints(Graded)
REFUSED = (
    "What came back from the cluster is no verdict on this notebook in this run "
    "({}: {}); check who else can reach the scheduler."
)


def request(
    run: str,
    chapter: str,
    student: str,
    handed_in: HandIn,
    hurry: bool,
    limits: dict[str, float] | None = None,
) -> bytes:
    """Pack a submission on its way to a worker. run: a name that no other run has."""
    content = handed_in.found
    unread = isinstance(content, NotebookError)
    header = {
        "run": run,
        "chapter": chapter,
        "student": student,
        "hurry": hurry,
        "limits": limits,
        "name": handed_in.name,
        "notes": handed_in.notes,
        "problem": str(content) if unread else None,
        "ours": isinstance(content, UnreadableError),
    }
    data = content if isinstance(content, bytes) else b""
    return json.dumps(header).encode() + b"\n" + data


def submission(message: bytes) -> tuple[str, str, HandIn, bool, dict[str, float] | None]:
    """Chapter, student, hand-in, hurry and limits of a request.

    Raises ValueError or KeyError if it is none.
    """
    header, _, data = message.partition(b"\n")
    told = json.loads(header)
    problem = UnreadableError if told["ours"] else NotebookError
    content = data if told["problem"] is None else problem(told["problem"])
    handed_in = HandIn(told["name"], content, tuple(told["notes"]))
    return told["chapter"], told["student"], handed_in, told["hurry"], told["limits"]


def reply(message: bytes, graded: Graded) -> bytes:
    """Write down what came of a request."""
    return json.dumps({"request": fingerprint(message), "graded": asdict(graded)}).encode()


def verdict(answer: bytes, digest: str, student: str) -> Graded:
    """Read a reply. Raises CourseError unless it is to the request with this digest."""
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
    """Tell whether all parts are what they should be; without a notebook, marks must be missing."""
    if not all(fits(kind)(getattr(graded, name)) for name, kind in GRADED.items()):
        return False
    marked = [row["points"] is not None for row in graded.rows]
    return graded.slow or (bool(marked) and all(marked) == bool(graded.notebook))
