"""A widget: a small drawing that the reader changes, and a table where no script runs.

```{widget} soft_lookup
What to try, in one sentence.
```

Its script is book/widgets/soft_lookup.js and is loaded by this page only; the function of the same
name in widget_tables.py makes the table. If widget_data.py has such a function too, what it returns
goes into the page as JSON, and the script's `build(stage, data)` gets it.
"""

import json
from typing import Any

import scripted
import widget_data
import widget_tables
from docutils import nodes
from myst_lines import parsed, table
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

FOLDER = "widgets"


class WidgetPlace(scripted.Place):
    """Where the script `name` builds its widget, from `data`: JSON, or "" if it needs none."""


class Widget(SphinxDirective):
    """The argument names the widget; the content says what to try."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if not (scripted.BOOK / FOLDER / f"{name}.js").is_file():
            raise self.error(f"there is no widget {name!r} in book/widgets")
        place = WidgetPlace(name=name, data=_data(name), classes=["widget"])
        caption, rows = getattr(widget_tables, name)()
        shown = [caption, "", *table(rows)]
        place += nodes.container("", *parsed(self, self.content), classes=["widget-try"])
        place += nodes.container("", *parsed(self, shown), classes=["widget-static"])
        return [place]


def _data(name: str) -> str:
    """As it can stand in a <script>, which ends at the first `</`."""
    found = getattr(widget_data, name, None)
    if found is None:
        return ""
    return json.dumps(found(), separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")


def load_scripts(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Only the pages that have a widget load anything."""
    if names := scripted.names(app, doctree, WidgetPlace):
        scripted.load(app, *(f"{FOLDER}/{name}.js" for name in ("widget", *names)))


def leave_the_table(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Paper and EPUB have nothing to try."""
    for place in doctree.findall(WidgetPlace):
        if not scripted.runs_scripts(app):
            place.pop(0)


def visit_html(self: HTML5Translator, node: WidgetPlace) -> None:
    label = f"Widget: {node['name'].replace('_', ' ')}"
    data = {"role": "group", "aria-label": label, "data-widget": node["name"]}
    self.body.append(self.starttag(node, "div", **data))
    if node["data"]:
        self.body.append(f'<script type="application/json">{node["data"]}</script>\n')


def setup(app: Sphinx) -> dict[str, bool]:
    scripted.add_place(app, WidgetPlace, visit_html, FOLDER)
    app.add_directive("widget", Widget)
    app.connect("html-page-context", load_scripts)
    app.connect("doctree-resolved", leave_the_table)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
