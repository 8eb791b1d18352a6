"""The door for nbgrader_config.py: what builds the source notebooks, and a gradebook at once."""

from autograder.course.new_gradebook import spare_alembic
from autograder.course.on_demand import build_when_needed

__all__ = ["build_when_needed", "spare_alembic"]
