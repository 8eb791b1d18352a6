"""The engine that judges attention code without ever handing it an answer.

Nothing here knows what attention is: what is right, what is often wrong and which inputs to
try come from an `Exercise`, as data.
"""

import sys

# jsonschema, behind nbformat, would build a grammar of web addresses: 2 seconds of every start.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

from autograder.check import CheckFailed, check  # noqa: E402
from autograder.status import status  # noqa: E402

__all__ = ["CheckFailed", "check", "status"]
