"""The engine that judges attention code without ever handing it an answer.

Nothing here knows what attention is: what is right, what is often wrong and which inputs to
try come from an `Exercise`, as data.
"""

from autograder.check import CheckFailed, check

__all__ = ["CheckFailed", "check"]
