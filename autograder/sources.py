"""The door for nbgrader_config.py: what builds source notebooks, a gradebook at once, and pages."""

from autograder.calls.files import TEMPLATES
from autograder.course.new_gradebook import spare_alembic
from autograder.course.on_demand import build_when_needed

__all__ = ["TEMPLATES", "build_when_needed", "spare_alembic"]
