"""The door for nbgrader_config.py: what all courses have in common, and each part of it alone."""

from autograder.calls.files import TEMPLATES
from autograder.course.new_gradebook import spare_alembic
from autograder.course.on_demand import build_when_needed
from autograder.course.student_import import read_any_roster
from autograder.lms.nbgrader_dates import read_dates_whole
from autograder.lms.nbgrader_settings import plug_in

__all__ = [
    "TEMPLATES",
    "build_when_needed",
    "plug_in",
    "read_any_roster",
    "read_dates_whole",
    "spare_alembic",
]
