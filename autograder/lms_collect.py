"""The door for `nbgrader zip_collect --collector`: the platforms."""

from autograder.lms.platform_collect import Canvas, Moodle

__all__ = ["Canvas", "Moodle"]
