"""The door for authors: what a call may change."""

from autograder.calls.stateful import Generator, Model, Optimizer

__all__ = ["Generator", "Model", "Optimizer"]
