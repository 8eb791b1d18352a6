"""The engine that judges a learner's code without ever handing it an answer.

Nothing here knows what attention is: what is right, what is often wrong and which inputs to
try come from an `Exercise`, as data.
"""

import importlib
from typing import Any

_FROM = {
    "CheckFailed": "autograder.common.errors",
    "check": "autograder.learner.public_cases",
    "status": "autograder.learner.status",
}
__all__ = ["CheckFailed", "check", "status"]


def __getattr__(name: str) -> Any:
    """Import what a learner asks for only then: nbgrader's commands start without torch."""
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_FROM[name]), name)
