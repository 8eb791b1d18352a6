"""What nbgrader loads by name: in nbgrader_config.py, as --collector and as --exporter.

Each is imported when it is asked for, so that no nbgrader command waits for what it does not use.
"""

import importlib
from typing import Any

_FROM = {
    "plug_in": "plugins.nbgrader_settings",  # all below, but for the platforms
    "Judge": "plugins.preprocessors",
    "SaveMarks": "plugins.preprocessors",
    "TakeSolutions": "plugins.preprocessors",
    "PercentPerDay": "plugins.nbgrader_dates",
    "Collect": "plugins.exchange",
    "Release": "plugins.exchange",
    "CheckedExtractor": "platforms.extractor",
    "CsvExport": "plugins.marks_export",
    "FeedbackExporter": "plugins.feedback",
    "Grades": "plugins.feedback",
    "ShowAsText": "plugins.marks_export",
    "code_to_html": "plugins.markdown",
    "markdown_to_html": "plugins.markdown",
    "rubric": "plugins.feedback",
    "Canvas": "platforms.canvas_collect",
    "CanvasExport": "platforms.platform_export",
    "Moodle": "platforms.moodle_collect",
    "MoodleExport": "platforms.platform_export",
}


def __getattr__(name: str) -> Any:
    """Load what nbgrader asked for. Raises AttributeError for what is not in the table."""
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"autograder.{_FROM[name]}"), name)
