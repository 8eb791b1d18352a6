"""Where two observations part, as data."""

from dataclasses import dataclass
from typing import Any

from autograder.calls.observation import Failure


@dataclass(frozen=True)
class Difference:
    """Where two observations part.

    kind: raised, type, shape, dtype, device, values, inputs, no-gradient, stray-gradient, gradient,
        mode, draws, stray-draws, other-draws, parts, property or witness.
    what: the name of the output or input. `sentence` tells a person, about a public case.
    at: index of the first element that differs, for values and gradients.
    whole: the name of what `what` is a part of, which alone is told of a secret case.
    """

    kind: str
    what: str
    sentence: str
    at: tuple[int, ...] = ()
    expected: Any = None
    actual: Any = None
    failure: Failure | None = None
    whole: str = ""
