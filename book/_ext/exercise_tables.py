"""What the exercises are, from solutions/: points, difficulty and minutes are typed nowhere else.

```{exercise-table} 04_masks     each exercise of a chapter, and how many questions come on top
:points:                         with their points, all sums, and a link to the chapter's exercises
```
```{exercise-totals}             a row per chapter, and the sum
```
"""

import ast
import os
import re
import sys
from pathlib import Path
from typing import ClassVar

from chapter_zip import FOLDER, launches
from docutils import nodes
from docutils.parsers.rst import directives
from myst_lines import Rows, parsed, table
from sphinx.addnodes import download_reference
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

BOOK = Path(__file__).resolve().parents[1]
ROOT = BOOK.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
from autograder.chapters import solutions  # noqa: E402  (of this very repository)
from autograder.chapters.settings import published  # noqa: E402
from autograder.notebooks.chapter import Chapter, reference  # noqa: E402

OVERVIEW = ("Chapter", "Exercises", "Questions", "Points", "Minutes")
SYMBOL = r"[A-Za-z](?:[_^]\w+)?"
FORMULA = re.compile(rf"(?<![`\w])(?=\w[_^]){SYMBOL}(?: (?:\+ |\w+\()?{SYMBOL}\b\)?)*")
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
TEXTS = {"exercise-table": "28 48", "exercise-totals": "40"}  # widths; other columns hold numbers


class ExerciseTable(SphinxDirective):
    """The exercises of the chapter that the argument names, in the notebook's order."""

    required_arguments = 1
    option_spec: ClassVar = {"points": directives.flag}

    def run(self) -> list[nodes.Node]:
        found = load(self.arguments[0])
        points = "points" in self.options
        rows = exercise_rows(found, points)
        shown = styled(rows, "exercise-table")
        lines = [summary(found), "", *shown] if points else [*shown, "", rest(found)]
        made = parsed(self, lines)
        self.link_rows(made, found)
        return made

    def link_rows(self, made: list[nodes.Node], found: Chapter) -> None:
        """Give each exercise an anchor, `exercise-NAME`, its section, and its notebook if asked."""
        body = next(body for node in made for body in node.findall(nodes.tbody))
        for row, exercise in zip(body.children, found.exercises.values(), strict=True):
            row["ids"].append(f"exercise-{exercise.name}")
            read = exercise.read.removeprefix(published(ROOT).book)
            links = parsed(self, [f"{{section}}`{read}`"])[0].children
            if "points" in self.options:
                links += [nodes.Text(" · "), self.notebook(found)]
            row[1][0] += [nodes.Text(" "), nodes.inline("", "", *links, classes=["exercise-links"])]

    def notebook(self, found: Chapter) -> nodes.Node:
        """The zip, as a link."""
        path = os.path.relpath(FOLDER / f"{found.name}.zip", self.env.srcdir)
        text = nodes.Text("notebook")
        return download_reference("", "", text, reftarget=path, refdoc=self.env.docname)


class ExerciseTotals(SphinxDirective):
    """How many exercises, points and minutes each chapter has."""

    def run(self) -> list[nodes.Node]:
        rows: Rows = [OVERVIEW]
        sums = [0] * 4
        for name in solutions.chapter_names(ROOT):
            numbers = totals(load(name))
            sums = [one + more for one, more in zip(sums, numbers, strict=True)]
            rows.append((f"{{ref}}`{title(name)} <{label(name)}>`", *map(str, numbers)))
        rows.append(("**all**", *(f"**{number}**" for number in sums)))
        return parsed(self, styled(rows, "exercise-totals"))


def load(name: str) -> Chapter:
    return solutions.load(ROOT, name)


def title(name: str) -> str:
    """The heading of the chapter's page."""
    lines = (BOOK / f"{name}.md").read_text().splitlines()
    return next(line[2:] for line in lines if line.startswith("# "))


def label(name: str) -> str:
    """Of the section with the exercises, in the chapter's page."""
    return f"chapter-{int(name[:2])}-exercises"


def totals(found: Chapter) -> tuple[int, int, int, int]:
    """Exercises, written questions, points of both, minutes of the exercises."""
    exercises, written = found.exercises.values(), questions(found)
    points = sum(one.points for one in exercises) + sum(written)
    return len(exercises), len(written), points, sum(one.minutes for one in exercises)


def questions(found: Chapter) -> list[int]:
    """The points of each written question."""
    cells = [cell.metadata for cell in found.text.cells]
    return [metadata["points"] for metadata in cells if "answer" in metadata]


def summary(found: Chapter) -> str:
    """The sums in one sentence, which links to the chapter."""
    exercises, written, points, minutes = totals(found)
    noun = "question" if written == 1 else "questions"
    asked = f"{written} {noun} answered in words"
    place = f"{{ref}}`in the chapter <{label(found.name)}>`"
    opens = launches(found.name, published(ROOT))
    return f"{exercises} exercises, {asked}; {points} points, {minutes} minutes; {place}. {opens}"


def rest(found: Chapter) -> str:
    """What the table does not say."""
    number = len(questions(found))
    asked = "A last question is" if number == 1 else f"{number} more questions are"
    return f"{asked} answered in words and read by a person. Difficulty goes from 1 to 5."


def exercise_rows(found: Chapter, points: bool) -> Rows:
    """The heading and a row for each exercise; with a column of points if asked for."""
    columns = ["points", "difficulty", "minutes"] if points else ["difficulty", "minutes"]
    rows: Rows = [("exercise", "what to write", *columns)]
    sources = reference(found)
    for name, one in found.exercises.items():
        numbers = [str(getattr(one, column)) for column in columns]
        rows.append((f"`{name}`", sentence(sources[name], name), *numbers))
    return rows


def sentence(source: str, name: str) -> str:
    """The first paragraph of the docstring of `name`, with formulas such as W_q q as code."""
    definitions = [node for node in ast.parse(source).body if isinstance(node, DEFINITIONS)]
    docstring = next(ast.get_docstring(node) or "" for node in definitions if node.name == name)
    text = " ".join(docstring.partition("\n\n")[0].split())
    return FORMULA.sub(r"`\g<0>`", text)


def styled(rows: Rows, style: str) -> list[str]:
    """The table in a style; columns of numbers are narrow."""
    texts = TEXTS[style].split()
    widths = " ".join(texts + ["10"] * (len(rows[0]) - len(texts)))
    return table(rows, f":widths: {widths}", f":class: {style}")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("exercise-table", ExerciseTable)
    app.add_directive("exercise-totals", ExerciseTotals)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
