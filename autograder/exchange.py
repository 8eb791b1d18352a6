"""The door for nbgrader_config.py: what collects from nbgrader's exchange."""

from autograder.lms.exchange import Collect

__all__ = ["Collect"]
