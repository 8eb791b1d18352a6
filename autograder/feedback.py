"""The door for nbgrader_config.py: what makes the page of feedback."""

from autograder.lms.feedback import FeedbackExporter, Grades

__all__ = ["FeedbackExporter", "Grades"]
