"""What the book remembers of its reader, in the reader's browser alone.

```{go-on}
```
In the landing page: a link to where the reader stopped; nothing for a first-time reader.

```{exercise-progress}
What to do, in a sentence.
```
A place for the `progress.json` of the notebooks, which marks the rows of the exercises' tables.

Every page loads book/scripts/memory.js, which keeps things; book/memory has what only some pages
need. Without scripts nothing of it is shown.
"""

import re
from typing import Any

import scripted
from docutils import nodes
from myst_lines import parsed
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

FOLDER = "memory"
CHAPTER = re.compile(r"\d\d_\w+")
CHOOSE = """\
<p><label>Files <input type="file" accept=".json,application/json" multiple></label></p>
<p role="status"></p>
"""


class RememberingPlace(scripted.LivePlace):
    """What only a script shows; `name` says what, `attributes` are those of its <div>."""


class GoOn(SphinxDirective):
    """Its script stands behind it, so that it is filled before the page is painted."""

    def run(self) -> list[nodes.Node]:
        script = (scripted.BOOK / FOLDER / "go_on.js").read_text()
        self.env.note_dependency(str(scripted.BOOK / FOLDER / "go_on.js"))
        place = RememberingPlace(name="go-on", attributes={"hidden": ""}, classes=["go-on"])
        return [place, nodes.raw("", f"<script>\n{script}</script>\n", format="html")]


class ExerciseProgress(SphinxDirective):
    """The content says what to do."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        about = {"role": "group", "aria-label": "Your progress", "data-exercise-progress": ""}
        place = RememberingPlace(name="progress", attributes=about, classes=["progress-box"])
        place += parsed(self, self.content)
        place += nodes.raw("", CHOOSE, format="html")
        return [place]


def load_scripts(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """What a page remembers, and what it shows of it."""
    if doctree is None or not scripted.runs_scripts(app):
        return
    if CHAPTER.fullmatch(page):
        app.add_js_file(f"{FOLDER}/reading.js", defer="defer")
    if any("exercise-table" in table["classes"] for table in doctree.findall(nodes.table)):
        app.add_js_file(f"{FOLDER}/progress.js", defer="defer")


def visit_html(self: HTML5Translator, node: RememberingPlace) -> None:
    self.body.append(self.starttag(node, "div", **node["attributes"]))


def setup(app: Sphinx) -> dict[str, bool]:
    scripted.add_place(app, RememberingPlace, visit_html, FOLDER)
    app.add_directive("go-on", GoOn)
    app.add_directive("exercise-progress", ExerciseProgress)
    app.connect("html-page-context", load_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
