"""The door for nbgrader_config.py: what releases to nbgrader's exchange and collects from it."""

from autograder.lms.exchange import Collect, Release

__all__ = ["Collect", "Release"]
