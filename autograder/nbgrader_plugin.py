"""The door for nbgrader_config.py: what takes a submission, judges it and saves its marks."""

from autograder.lms.preprocessors import Judge, SaveMarks, TakeSolutions

__all__ = ["Judge", "SaveMarks", "TakeSolutions"]
