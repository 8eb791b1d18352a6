"""The page that `nbgrader generate_feedback` writes: one file that needs no other.

nbgrader's own page asks other sites for scripts and styles, and its table of contents says "Test
cell" and "Comment" for everything; nbgrader_config.py puts this in its place.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from jinja2 import PackageLoader
from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from nbgrader.preprocessors import GetGrades
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from traitlets import List, Unicode

from autograder.calls.cell import CHECK
from autograder.calls.files import PACKAGE
from autograder.notebooks.answers import grade_id, is_solution
from autograder.showing.mathml import with_mathml
from autograder.showing.wording import points

TEMPLATE = PACKAGE / "templates" / "feedback.html"


class Grades(GetGrades):  # type: ignore[misc]  # nbgrader is untyped
    """nbgrader's marks and comments in the cells, and whether a person has yet to give a mark."""

    def _get_score(self, cell: NotebookNode, resources: dict[str, Any]) -> None:
        super()._get_score(cell, resources)
        place = self.notebook_id, self.assignment_id, self.student_id
        grade = self.gradebook.find_grade(grade_id(cell), *place)
        cell.metadata.nbgrader["waiting"] = grade.manual_score is None and grade.auto_score is None


class FeedbackExporter(HTMLExporter):
    """A notebook with marks as a page for its student."""

    raw_template = Unicode(TEMPLATE.read_text())
    extra_loaders = List([PackageLoader("autograder")])

    def default_filters(self) -> Iterable[tuple[str, Callable[..., Any]]]:
        """nbconvert's, and those that only this page's template uses."""
        yield from super().default_filters()  # type: ignore[no-untyped-call]
        yield "points", points
        yield "lowered", lowered
        yield "graded", graded
        yield "answered", is_solution
        yield "code_style", code_style
        yield "with_mathml", with_mathml


def lowered(html: str) -> str:
    """Headings one level deeper: the page has one of its own above those of the notebook."""
    return re.sub(r"<(/?)h([1-5])\b", lambda tag: f"<{tag[1]}h{int(tag[2]) + 1}", html)


def graded(cell: NotebookNode) -> str:
    """What a mark is for, the name of an exercise or of a written answer; "" if there is none."""
    if not cell.metadata.get("nbgrader", {}).get("grade"):
        return ""
    return grade_id(cell).removeprefix(CHECK)


def code_style(name: str) -> str:
    """The CSS of a style of Pygments."""
    return str(HtmlFormatter(style=name).get_style_defs(".highlight"))
