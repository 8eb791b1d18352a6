"""The door for nbgrader_config.py: what being late costs."""

from autograder.lms.late import PercentPerDay

__all__ = ["PercentPerDay"]
