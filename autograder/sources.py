"""The door for nbgrader_config.py: what builds source notebooks, a gradebook, and pages."""

from autograder.calls.files import PACKAGE
from autograder.course.new_gradebook import spare_alembic
from autograder.course.on_demand import build_when_needed

TEMPLATES = str(PACKAGE / "templates")

__all__ = ["TEMPLATES", "build_when_needed", "spare_alembic"]
