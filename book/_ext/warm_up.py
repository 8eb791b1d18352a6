"""A warm-up: a small function in plain Python that the reader writes, and runs, in the page.

```{warm-up} blend
What to write, in a sentence or two.
```

Its stub and its cases are in book/warm_ups/blend.py. Where no script runs, the stub stands there to
be copied. Nothing of Python is fetched before the first run.
"""

import importlib
import inspect
import shutil
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from offline_assets import pyodide_files
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

FOLDER = Path(__file__).resolve().parents[1] / "warm_ups"
STANDS_IN = (
    "Where scripts run, this is an editor that runs the code and says what is wrong with it. "
    "Here, copy it into any Python."
)


class WarmUpPlace(nodes.General, nodes.Element):
    """Where the script builds the editor for the function `name`."""


class WarmUp(SphinxDirective):
    """The argument names the function; the content says what to write."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        path = FOLDER / f"{name}.py"
        if not path.is_file():
            raise self.error(f"there is no warm-up {name!r} in book/warm_ups")
        self.env.note_dependency(str(path))
        task = nodes.container(classes=["warm-up-task"])
        self.state.nested_parse(StringList(list(self.content)), self.content_offset, task)
        code = stub(name)
        static = nodes.container(classes=["warm-up-static"])
        static += nodes.literal_block(code, code, language="python")
        static += nodes.paragraph(text=STANDS_IN)
        return [WarmUpPlace("", task, static, name=name, classes=["warm-up"])]


def stub(name: str) -> str:
    """The function as the reader finds it, below the import that it needs."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    module = importlib.import_module(name)
    _, code = inspect.getsource(module.warm_up.written).split("\n", 1)  # without the decorator
    return ("import math\n\n" if hasattr(module, "math") else "") + code


def load_scripts(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Only the pages that have a warm-up load anything."""
    if doctree and runs_scripts(app) and any(doctree.findall(WarmUpPlace)):
        app.add_css_file("warm_ups/warm_up.css")
        app.add_js_file("warm_ups/warm_up.js", defer="defer")


def runs_scripts(app: Sphinx) -> bool:
    return app.builder.name in {"html", "dirhtml"}


def copy_sources(app: Sphinx) -> None:
    """Before the pages: their links carry checksums. What lies in book/_static, all pages load."""
    if runs_scripts(app):
        target = Path(app.outdir) / "_static" / "warm_ups"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(FOLDER, target, ignore=shutil.ignore_patterns("__pycache__"))


def visit_html(self: HTML5Translator, node: WarmUpPlace) -> None:
    name, size = node["name"], sum(path.stat().st_size for path in pyodide_files().values())
    data = {"data-warm-up": name, "data-megabytes": str(round(size / 1e6))}
    label = {"role": "group", "aria-label": f"Warm-up: {name}"}
    self.body.append(self.starttag(node, "div", **label, **data))


def depart_html(self: HTML5Translator, node: WarmUpPlace) -> None:
    self.body.append("</div>\n")


def pass_by(self: Any, node: WarmUpPlace) -> None:
    """A writer without scripts has nothing to add to the code."""


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(WarmUpPlace, html=(visit_html, depart_html), latex=(pass_by, pass_by))
    app.add_directive("warm-up", WarmUp)
    app.connect("html-page-context", load_scripts)
    app.connect("builder-inited", copy_sources)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
