"""A warm-up: a small function in plain Python that the reader writes, and runs, in the page.

```{warm-up} blend
What to write, in a sentence or two.
```

Its stub and its cases are in book/warm_ups/blend.py. Where no script runs, the stub stands there to
be copied. Nothing of Python is fetched before the first run.
"""

import importlib
import inspect
import sys
from typing import Any

import scripted
from docutils import nodes
from myst_lines import parsed
from offline_assets import pyodide_files
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

FOLDER = "warm_ups"
SOURCES = scripted.BOOK / FOLDER
STANDS_IN = (
    "Where scripts run, this is an editor that runs the code and says what is wrong with it. "
    "Here, copy it into any Python."
)


class WarmUpPlace(scripted.Place):
    """Where the script builds the editor for the function `name`."""


class WarmUp(SphinxDirective):
    """The argument names the function; the content says what to write."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        path = SOURCES / f"{name}.py"
        if not path.is_file():
            raise self.error(f"there is no warm-up {name!r} in book/warm_ups")
        self.env.note_dependency(str(path))
        task = nodes.container("", *parsed(self, self.content), classes=["warm-up-task"])
        code = stub(name)
        static = nodes.container(classes=["warm-up-static"])
        static += nodes.literal_block(code, code, language="python")
        static += nodes.paragraph(text=STANDS_IN)
        return [WarmUpPlace("", task, static, name=name, classes=["warm-up"])]


def stub(name: str) -> str:
    """The function as the reader finds it, below the import that it needs."""
    if str(SOURCES) not in sys.path:
        sys.path.append(str(SOURCES))
    module = importlib.import_module(name)
    _, code = inspect.getsource(module.warm_up.written).split("\n", 1)  # without the decorator
    return ("import math\n\n" if hasattr(module, "math") else "") + code


def load_scripts(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Only the pages that have a warm-up load anything."""
    if scripted.names(app, doctree, WarmUpPlace):
        scripted.load(app, f"{FOLDER}/warm_up.js")


def visit_html(self: HTML5Translator, node: WarmUpPlace) -> None:
    name, size = node["name"], sum(path.stat().st_size for path in pyodide_files().values())
    data = {"data-warm-up": name, "data-megabytes": str(round(size / 1e6))}
    label = {"role": "group", "aria-label": f"Warm-up: {name}"}
    self.body.append(self.starttag(node, "div", **label, **data))


def setup(app: Sphinx) -> dict[str, bool]:
    scripted.add_place(app, WarmUpPlace, visit_html, FOLDER)
    app.add_directive("warm-up", WarmUp)
    app.connect("html-page-context", load_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
