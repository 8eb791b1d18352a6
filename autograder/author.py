"""What authors of exercises import: exercises, cases, properties, and what a call may change."""

from autograder.exercise.case import Case, Property, Rng
from autograder.exercise.properties import CostAtMost, Drawn, Finite, SumsTo, aligned
from autograder.exercise.spec import (
    EVERY,
    UNTRIED,
    Exercise,
    Group,
    Implementation,
    Misconception,
    Vocabulary,
    Word,
)
from autograder.exercise.specimen import Specimen
from autograder.exercise.stateful import Generator, Model, Optimizer
from autograder.exercise.tensors import leaves
from autograder.exercise.witness import Witness

__all__ = [
    "EVERY",
    "UNTRIED",
    "Case",
    "CostAtMost",
    "Drawn",
    "Exercise",
    "Finite",
    "Generator",
    "Group",
    "Implementation",
    "Misconception",
    "Model",
    "Optimizer",
    "Property",
    "Rng",
    "Specimen",
    "SumsTo",
    "Vocabulary",
    "Witness",
    "Word",
    "aligned",
    "leaves",
]
