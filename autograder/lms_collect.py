"""The door for `nbgrader zip_collect --collector`: the platforms."""

from autograder.lms.canvas_collect import Canvas
from autograder.lms.moodle_collect import Moodle

__all__ = ["Canvas", "Moodle"]
