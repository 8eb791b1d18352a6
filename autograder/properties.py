"""The door for authors: relations between observations."""

from autograder.calls.properties import CostAtMost, Drawn, Finite, Property, SumsTo, aligned
from autograder.calls.tensors import leaves

__all__ = ["CostAtMost", "Drawn", "Finite", "Property", "SumsTo", "aligned", "leaves"]
