"""The door for authors: relations between observations."""

from autograder.calls.properties import CostAtMost, Drawn, Finite, SumsTo
from autograder.calls.witness import Witness

__all__ = ["CostAtMost", "Drawn", "Finite", "SumsTo", "Witness"]
