"""The door for authors: code that a learner's function is given to judge."""

from autograder.calls.specimen import Specimen

__all__ = ["Specimen"]
