"""Pages for a teacher: one HTML file each, with nothing from elsewhere; few have a script.

Whatever is put into a template is escaped, of bounded length, and cannot steer what shows it.
"""

import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from autograder.classes import advice
from autograder.classes import statistics as numbers
from autograder.classes.class_results import ClassResults
from autograder.classes.matrix import lines
from autograder.classes.statistics import day_bars, score_bars
from autograder.common.errors import CourseError
from autograder.grading.complaint import Explanation
from autograder.showing.book_links import link
from autograder.showing.wording import mark, printable, rich_html

FIRST, STUDENTS = 15, 1000  # lines of a list before those that are folded; of the class's table
PARTS = re.compile(r"[A-Z]?[^A-Z_]*_*|_+|[A-Z]+")  # of a name; a line may end between two
SHOWN = 200  # lines of a list; a class of thousands is read as numbers, not as names


def _text(value: Any) -> Any:
    """Every expression of a template goes through here."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_templates = Environment(
    loader=PackageLoader("autograder"),
    autoescape=True,
    finalize=_text,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters["rich"] = lambda text: Markup(rich_html(text))  # escapes, then marks code
_templates.filters["page_link"] = lambda read: Markup(link(read))
_templates.filters["breakable"] = lambda name: Markup("<wbr>").join(PARTS.findall(printable(name)))


def page(template: str, **values: Any) -> str:
    """Return a template of `autograder/templates/` filled with the values."""
    return _templates.get_template(template).render(values, first=FIRST, shown=SHOWN)


def report_page(results: ClassResults) -> str:
    """Return the class report as one HTML file."""
    graded = numbers.graded(results)
    scores = [member.score for member in graded if member.score is not None]
    return page(
        "class_report.html",
        results=results,
        advice=advice,
        numbers=numbers,
        graded=len(graded),
        lines=lines(results)[:STUDENTS],
        scores=advice.scores(numbers.spread(scores), results.max_score),
        spread=numbers.spread(scores),
        score_bars=score_bars(scores, results.max_score),
        day_bars=day_bars(numbers.days_after_due(results)),
    )


def write(path: Path, text: str) -> None:
    """Raise CourseError where the file cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CourseError(f"{path} cannot be written: {error.strerror}.") from None


VERSIONS = ("python", "torch")  # of all that a mark was made with; the machine is nobody's business


def explained_page(explanation: Explanation, name: str, answer: str) -> str:
    """Write what was handed in, what was found, and how the mark came about.

    name: of the student. answer: the code that was graded. Nothing is in it of a secret case but
    that there is one, and nothing of the seed.
    """
    row = explanation.row
    return page(
        "explained.html",
        explanation=explanation,
        row=row,
        mark=mark(row["points"], row["max_points"]),
        name=name,
        answer=answer,
        card=Markup(explanation.page_card),  # our own HTML, in which the submission's is escaped
        versions={part.name: part.then for part in explanation.parts if part.name in VERSIONS},
    )
