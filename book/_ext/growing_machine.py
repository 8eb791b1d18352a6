"""The machine that grows: one drawing opens each chapter and gains the chapter's part.

```{machine} 03_scaling
What is new, in a sentence.
```

machine_parts.py says what each chapter adds, machine_drawing.py draws it. One chapter runs three
tokens through the machine: machine_numbers.py has them, book/machine/run.js steps through, and a
table stands in where no script runs.
"""

import json
from html import escape
from typing import Any

import machine_drawing
import machine_numbers
import scripted
from docutils import nodes
from machine_parts import CHAPTERS, PARTS
from machine_shapes import Part
from myst_lines import parsed, table
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

FOLDER = "machine"
RUNS = "06_cross_attention"  # the first with all of attention
logger = logging.getLogger(__name__)


class MachinePlace(scripted.Place):
    """Where the machine of the chapter `name` is drawn."""


class Machine(SphinxDirective):
    """The argument is the chapter whose part is new; the content says what it does."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        chapter = self.arguments[0]
        if chapter not in CHAPTERS:
            known = ", ".join(CHAPTERS)
            raise self.error(f"machine_parts.py has no chapter {chapter!r}, only {known}")
        if not self.content:
            raise self.error(f"the machine of {chapter} lacks its sentence: what is new in it?")
        place = MachinePlace(name=chapter, classes=["machine"])
        place += nodes.container("", *parsed(self, self.content), classes=["machine-says"])
        lines = [f"- {sentence}" for sentence in machine_drawing.words(chapter)]
        place += nodes.container("", *parsed(self, lines), classes=["machine-words"])
        if chapter == RUNS:
            shown = [machine_numbers.CAPTION, "", *table(machine_numbers.rows())]
            place += nodes.container("", *parsed(self, shown), classes=["machine-static"])
        return [place]


def check_anchors(app: Sphinx, env: BuildEnvironment) -> None:
    """Each part leads to a section that is there."""
    for chapter in CHAPTERS:
        if chapter not in env.found_docs:
            logger.warning("machine_parts.py has a chapter %s, which is no page", chapter)
            continue
        ids = {
            name for node in env.get_doctree(chapter).findall(nodes.Element) for name in node["ids"]
        }
        for part in PARTS:
            if part.chapter == chapter and part.anchor not in ids:
                text = "the part %r of the machine leads to #%s, which this page does not have"
                logger.warning(text, part.name, part.anchor, location=chapter)


def load_files(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Only where the drawing runs."""
    if RUNS in scripted.names(app, doctree, MachinePlace):
        scripted.load(app, "widgets/widget.js", f"{FOLDER}/run.js")


def leave_the_words(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """A page has the drawing, whose links say the words; paper and EPUB have the words."""
    if scripted.runs_scripts(app):
        for place in doctree.findall(MachinePlace):
            del place[1]


def visit_html(self: HTML5Translator, node: MachinePlace) -> None:
    chapter, here = node["name"], self.builder.current_docname
    self.body.append(
        self.starttag(node, "div", role="group", **{"aria-label": "The machine so far"})
    )
    if self.builder.name not in {"html", "dirhtml"}:
        return

    def link(part: Part) -> str:
        page = "" if part.chapter == here else self.builder.get_relative_uri(here, part.chapter)
        return f"{page}#{part.anchor}"

    pages = {name: self.builder.get_relative_uri(here, name) for name in CHAPTERS}
    drawing = machine_drawing.drawing(chapter, link)
    self.body.append(f'{_growth(chapter, pages)}<div class="machine-stage">{drawing}</div>')
    if chapter == RUNS:
        data = json.dumps(machine_numbers.INPUTS, separators=(",", ":"))
        self.body.append(f'<script type="application/json">{data}</script>\n')


def _growth(chapter: str, pages: dict[str, str]) -> str:
    """The chapters and what each adds; the reader's own is marked."""
    items = []
    for name, adds in CHAPTERS.items():
        here = ' aria-current="page"' if name == chapter else ""
        text = f"<b>{machine_drawing.number(name)}</b> {escape(adds)}"
        items.append(f'<li><a href="{escape(pages[name] or "#")}"{here}>{text}</a></li>')
    return f'<ol class="machine-growth" aria-label="What each chapter adds">{"".join(items)}</ol>'


def setup(app: Sphinx) -> dict[str, bool]:
    scripted.add_place(app, MachinePlace, visit_html, FOLDER)
    app.add_directive("machine", Machine)
    app.connect("env-check-consistency", check_anchors)
    app.connect("html-page-context", load_files)
    app.connect("doctree-resolved", leave_the_words)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
