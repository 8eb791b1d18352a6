"""The door for authors: what the file of an exercise is written with."""

from autograder.calls.spec import Case, Exercise, Group, Implementation, Misconception, Rng

__all__ = ["Case", "Exercise", "Group", "Implementation", "Misconception", "Rng"]
