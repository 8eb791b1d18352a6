"""The door for nbgrader_config.py: what builds the source notebooks."""

from autograder.course.on_demand import build_when_needed

__all__ = ["build_when_needed"]
