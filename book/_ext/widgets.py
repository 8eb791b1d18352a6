"""A widget: a small drawing that the reader changes, and a table where no script runs.

```{widget} soft_lookup
What to try, in one sentence.
```

Its script is book/widgets/soft_lookup.js and is loaded by this page only; the function of the same
name in widget_tables.py makes the table. If widget_data.py has such a function too, what it returns
goes into the page as JSON, and the script's `build(stage, data)` gets it.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import widget_data
import widget_tables
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

FOLDER = Path(__file__).resolve().parents[1] / "widgets"


class WidgetPlace(nodes.General, nodes.Element):
    """Where the script `name` builds its widget, from `data`: JSON, or "" if it needs none."""


class Widget(SphinxDirective):
    """The argument names the widget; the content says what to try."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if not (FOLDER / f"{name}.js").is_file():
            raise self.error(f"there is no widget {name!r} in book/widgets")
        place = WidgetPlace(name=name, data=_data(name), classes=["widget"])
        place += self._parsed(list(self.content), "widget-try")
        place += self._parsed(_table(*getattr(widget_tables, name)()), "widget-static")
        return [place]

    def _parsed(self, lines: list[str], name: str) -> nodes.Element:
        holder = nodes.container(classes=[name])
        self.state.nested_parse(StringList(lines), self.content_offset, holder)
        return holder


def _data(name: str) -> str:
    """As it can stand in a <script>, which ends at the first `</`."""
    found = getattr(widget_data, name, None)
    if found is None:
        return ""
    return json.dumps(found(), separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")


def _table(caption: str, rows: list[tuple[str, ...]]) -> list[str]:
    """Lines of MyST; the first row is the heading."""
    lines = [caption, "", "```{list-table}", ":header-rows: 1", ""]
    for row in rows:
        lines += [f"{'  -' if at else '* -'} {cell}" for at, cell in enumerate(row)]
    return [*lines, "```"]


def load_scripts(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Only the pages that have a widget load anything."""
    names = [place["name"] for place in doctree.findall(WidgetPlace)] if doctree else []
    if names and runs_scripts(app):
        app.add_css_file("widgets/widgets.css")
        for name in ("widget", *names):
            app.add_js_file(f"widgets/{name}.js", defer="defer")


def runs_scripts(app: Sphinx) -> bool:
    return app.builder.name in {"html", "dirhtml"}


def copy_sources(app: Sphinx) -> None:
    """Before the pages: their links carry checksums. What lies in book/_static, all pages load."""
    if runs_scripts(app):
        target = Path(app.outdir) / "_static" / "widgets"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(FOLDER, target)


def leave_the_table(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Paper and EPUB have nothing to try."""
    for place in doctree.findall(WidgetPlace):
        if not runs_scripts(app):
            place.pop(0)


def visit_html(self: HTML5Translator, node: WidgetPlace) -> None:
    label = f"Widget: {node['name'].replace('_', ' ')}"
    data = {"role": "group", "aria-label": label, "data-widget": node["name"]}
    self.body.append(self.starttag(node, "div", **data))
    if node["data"]:
        self.body.append(f'<script type="application/json">{node["data"]}</script>\n')


def depart_html(self: HTML5Translator, node: WidgetPlace) -> None:
    self.body.append("</div>\n")


def pass_by(self: Any, node: WidgetPlace) -> None:
    """A writer without scripts has nothing to add to the table."""


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(WidgetPlace, html=(visit_html, depart_html), latex=(pass_by, pass_by))
    app.add_directive("widget", Widget)
    app.connect("html-page-context", load_scripts)
    app.connect("builder-inited", copy_sources)
    app.connect("doctree-resolved", leave_the_table)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
