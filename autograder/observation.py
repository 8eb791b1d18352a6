"""The door for authors: what one call did, for a property of their own."""

from autograder.calls.observation import Cost, Failure, Observation, Unsent

__all__ = ["Cost", "Failure", "Observation", "Unsent"]
