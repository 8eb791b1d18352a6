"""The door for authors: relations between observations."""

from autograder.calls.properties import CostAtMost, Drawn, Finite, SumsTo, aligned
from autograder.calls.relation import Property
from autograder.calls.tensors import leaves
from autograder.calls.witness import Witness

__all__ = ["CostAtMost", "Drawn", "Finite", "Property", "SumsTo", "Witness", "aligned", "leaves"]
