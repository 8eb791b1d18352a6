"""The door for nbgrader_config.py: what makes pages and tables safe, and formgrader's page."""

from autograder.lms.export import ShowAsText
from autograder.lms.formgrader import rubric
from autograder.lms.markdown import code_to_html, markdown_to_html
from autograder.lms.marks_export import CsvExport

__all__ = ["CsvExport", "ShowAsText", "code_to_html", "markdown_to_html", "rubric"]
