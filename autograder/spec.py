"""The door for authors: what the file of an exercise is written with."""

from autograder.calls.spec import (
    EVERY,
    UNTRIED,
    Case,
    Exercise,
    Group,
    Implementation,
    Misconception,
    Rng,
)
from autograder.calls.vocabulary import Vocabulary, Word

__all__ = [
    "EVERY",
    "UNTRIED",
    "Case",
    "Exercise",
    "Group",
    "Implementation",
    "Misconception",
    "Rng",
    "Vocabulary",
    "Word",
]
