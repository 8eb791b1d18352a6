"""Pages on marks: the one file of feedback for a student, and the rubric that formgrader shows."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader
from jinja2.bccache import Bucket, BytecodeCache
from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbformat import NotebookNode
from nbgrader.api import BaseCell, Comment, Grade, Gradebook
from nbgrader.preprocessors import GetGrades
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from sqlalchemy import select
from traitlets import List, Unicode

from autograder.chapters.cell_slips import ANSWER
from autograder.chapters.course_root import CONFIG
from autograder.chapters.rubric import RUBRIC, Item, items, texts_of
from autograder.chapters.solutions import parsed, read_text, solutions_folder
from autograder.common.cell import CHECK, grade_id, is_solution
from autograder.common.errors import CourseError
from autograder.common.files import PACKAGE
from autograder.grading.penalties import in_words, settle
from autograder.showing.wording import points, printable

TEMPLATE = PACKAGE / "templates" / "feedback.html"
STATES = LESS, WAITING, FULL = "To look at again", "Not marked yet", "All points"  # in this order


@dataclass(frozen=True)
class Result:
    """The result of an exercise or a written answer: its name, its points, and of how many.

    stale: the points were given by hand for what was handed in before. why: one sentence, or "".
    """

    name: str
    score: float
    points: float
    waiting: bool
    stale: bool
    why: str

    @property
    def state(self) -> str:
        """Return the group that it belongs to, of those that the page begins with."""
        if self.waiting:
            return WAITING
        return FULL if self.score >= self.points else LESS


class Grades(GetGrades):  # type: ignore[misc]  # nbgrader is untyped
    """nbgrader's marks and comments in the cells, with what a person has yet to mark.

    Where a mark or a date has changed since grading, what is taken off for being late follows it.
    """

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as book:
            for one in settle(self.config, book, names["assignment"], [names["student"]]):
                self.log.warning("%s", printable(in_words(one)))
            place = names["notebook"], names["assignment"], names["student"]
            submitted = book.find_submission_notebook(*place)
            self._grades = _by_cell(book, Grade, submitted)
            self._comments = _by_cell(book, Comment, submitted)
            for index, cell in enumerate(nb.cells):
                self.preprocess_cell(cell, resources, index)
            penalty = submitted.late_submission_penalty or 0
            names |= {
                "score": submitted.score - penalty,
                "max_score": submitted.max_score,
                "late_penalty": penalty,
                "name": _full_name(submitted.student),
            }
        return nb, resources

    def _get_comment(self, cell: NotebookNode, resources: dict[str, Any]) -> None:
        cell.metadata.nbgrader["comment"] = self._comments[grade_id(cell)].comment

    def _get_score(self, cell: NotebookNode, resources: dict[str, Any]) -> None:
        grade = self._grades[grade_id(cell)]
        by_hand = grade.manual_score is not None
        cell.metadata.nbgrader |= {
            "score": grade.score,
            "points": grade.max_score,
            "waiting": not by_hand and grade.auto_score is None,
            "stale": by_hand and bool(grade.needs_manual_grade),
        }


def _by_cell(book: Gradebook, table: Any, submitted: Any) -> dict[str, Any]:
    """Return the marks or comments of a student's notebook by the names of their cells.

    nbgrader asks for each of them anew, which takes most of a page's time.
    """
    found = select(table, BaseCell.name).join(table.cell.of_type(BaseCell))
    rows = book.db.execute(found.where(table.notebook_id == submitted.id))
    return {name: row for row, name in rows}


def _full_name(student: Any) -> str:
    return printable(" ".join(filter(None, (student.first_name, student.last_name))))


class Compiled(BytecodeCache):
    """Keeps compiled templates for the next page, since each page has another exporter."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if known := self._known.get((bucket.key, bucket.checksum)):
            bucket.bytecode_from_string(known)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._known[bucket.key, bucket.checksum] = bucket.bytecode_to_string()


COMPILED = Compiled()


class FeedbackExporter(HTMLExporter):
    """A notebook with marks as a page for its student."""

    raw_template = Unicode(TEMPLATE.read_text())
    extra_loaders = List([PackageLoader("autograder")])

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the template's page as it is.

        HTMLExporter parses it again, which takes as long as all the rest, to mark up what only
        nbconvert's own templates have.
        """
        return TemplateExporter.from_notebook_node(self, nb, resources, **options)

    def _create_environment(self) -> Environment:
        environment: Environment = super()._create_environment()  # type: ignore[no-untyped-call]
        environment.bytecode_cache = COMPILED
        return environment

    def default_filters(self) -> Iterable[tuple[str, Callable[..., Any]]]:
        """nbconvert's, and those that only this page's template uses."""
        yield from super().default_filters()  # type: ignore[no-untyped-call]
        yield "points", points
        yield "lowered", lowered
        yield "graded", graded
        yield "result", result
        yield "results", results
        yield "grouped", grouped
        yield "answered", is_solution
        yield "code_style", code_style


def lowered(html: str) -> str:
    """Headings one level deeper: the page has one of its own above those of the notebook."""
    return re.sub(r"<(/?)h([1-5])\b", lambda tag: f"<{tag[1]}h{int(tag[2]) + 1}", html)


def graded(cell: NotebookNode) -> str:
    """Name what a mark is for, an exercise or a written answer; "" if there is none."""
    if not cell.metadata.get("nbgrader", {}).get("grade"):
        return ""
    return grade_id(cell).removeprefix(CHECK)


def result(cell: NotebookNode) -> Result:
    data = cell.metadata.nbgrader
    errors = [one for one in cell.get("outputs", []) if one.output_type == "error"]
    why = errors[0].evalue if errors else ""
    score = round(data.score, 2)
    return Result(graded(cell), score, data.points, data.waiting, data.stale, printable(why))


def results(notebook: NotebookNode) -> list[Result]:
    return [result(cell) for cell in notebook.cells if graded(cell)]


def grouped(given: list[Result]) -> list[tuple[str, list[Result]]]:
    """Return the results of each state that there is: what failed comes first."""
    groups = ((state, [one for one in given if one.state == state]) for state in STATES)
    return [(state, members) for state, members in groups if members]


def code_style(name: str) -> str:
    """Return the CSS of a style of Pygments."""
    return str(HtmlFormatter(style=name).get_style_defs(".highlight"))


@dataclass(frozen=True)
class Beside:
    """For whoever marks the answer `name`; without items where the author wrote no rubric."""

    name: str
    items: list[Item]
    answer: str


def rubric(cell: NotebookNode, resources: Mapping[str, Any]) -> Beside | None:
    """Return what the Jinja filter `rubric` shows in formgrader: None for any other cell.

    It is read from the chapter's source anew for each page, and is kept out of the notebook.
    """
    try:
        texts, rubrics = _written(*_source(resources))
    except (CourseError, OSError):  # `attn release` says what is wrong with it
        return None
    name = grade_id(cell)
    if name not in texts:
        return None
    return Beside(name, items(rubrics.get(name, "")), texts[name])


def _source(resources: Mapping[str, Any]) -> tuple[Path, str]:
    """Path and text of the chapter's source, in the course that an autograded notebook is of."""
    chapter = resources["assignment_id"]
    above = Path(resources["metadata"]["path"]).parents
    root = next((folder for folder in above if (folder / CONFIG).is_file()), Path())
    path = solutions_folder(root) / chapter / f"{chapter}.md"
    return path, read_text(path)


@lru_cache(maxsize=10)
def _written(path: Path, text: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the answers and the rubrics of a chapter."""
    notebook = parsed(path, text)
    return texts_of(notebook, ANSWER), texts_of(notebook, RUBRIC)
