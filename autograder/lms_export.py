"""The door for `nbgrader export --exporter`: the platforms."""

from autograder.lms.platform_export import CanvasExport, MoodleExport

__all__ = ["CanvasExport", "MoodleExport"]
