"""The door for nbgrader_config.py: what takes a submission and judges it."""

from autograder.lms.preprocessors import Judge, TakeSolutions

__all__ = ["Judge", "TakeSolutions"]
