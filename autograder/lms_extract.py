"""The door for nbgrader_config.py: what takes a platform's archive apart."""

from autograder.lms.extractor import CheckedExtractor

__all__ = ["CheckedExtractor"]
