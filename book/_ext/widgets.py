"""A widget: a small drawing that the reader changes, and a table where no script runs.

```{widget} soft_lookup
What to try, in one sentence.
```

Its script is book/widgets/soft_lookup.js and is loaded by this page only; the function of the same
name in widget_tables.py makes the table.
"""

import shutil
from pathlib import Path
from typing import Any

import widget_tables
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

FOLDER = Path(__file__).resolve().parents[1] / "widgets"


class WidgetPlace(nodes.General, nodes.Element):
    """Where the script `name` builds its widget."""


class Widget(SphinxDirective):
    """The argument names the widget; the content says what to try."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if not (FOLDER / f"{name}.js").is_file():
            raise self.error(f"there is no widget {name!r} in book/widgets")
        place = WidgetPlace(name=name, classes=["widget"])
        place += self._parsed(list(self.content), "widget-try")
        place += self._parsed(_table(*getattr(widget_tables, name)()), "widget-static")
        return [place]

    def _parsed(self, lines: list[str], name: str) -> nodes.Element:
        holder = nodes.container(classes=[name])
        self.state.nested_parse(StringList(lines), self.content_offset, holder)
        return holder


def _table(caption: str, rows: list[tuple[str, ...]]) -> list[str]:
    """Lines of MyST; the first row is the heading."""
    lines = [caption, "", "```{list-table}", ":header-rows: 1", ""]
    for row in rows:
        lines += [f"{'  -' if at else '* -'} {cell}" for at, cell in enumerate(row)]
    return [*lines, "```"]


def load_scripts(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Only the pages that have a widget load anything."""
    names = [place["name"] for place in doctree.findall(WidgetPlace)] if doctree else []
    if names:
        app.add_css_file("widgets/widgets.css")
    for name in ("widget", *names) if names else ():
        app.add_js_file(f"widgets/{name}.js", defer="defer")


def copy_sources(app: Sphinx, exception: Exception | None) -> None:
    """After the build: whatever lies in _static during it is loaded by every page."""
    if not exception and app.builder.format == "html":
        shutil.copytree(FOLDER, Path(app.outdir) / "_static" / "widgets", dirs_exist_ok=True)


def visit_html(self: HTML5Translator, node: WidgetPlace) -> None:
    label = f"Widget: {node['name'].replace('_', ' ')}"
    data = {"role": "group", "aria-label": label, "data-widget": node["name"]}
    self.body.append(self.starttag(node, "div", **data))


def depart_html(self: HTML5Translator, node: WidgetPlace) -> None:
    self.body.append("</div>\n")


def visit_other(self: Any, node: WidgetPlace) -> None:
    """Paper has the table alone."""
    node.children = [part for part in node.children if "widget-try" not in part["classes"]]


def setup(app: Sphinx) -> dict[str, bool]:
    other = (visit_other, lambda self, node: None)
    app.add_node(WidgetPlace, html=(visit_html, depart_html), latex=other, text=other)
    app.add_directive("widget", Widget)
    app.connect("html-page-context", load_scripts)
    app.connect("build-finished", copy_sources)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
