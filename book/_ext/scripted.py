"""A place in a page that a script fills: what widgets, warm-ups, guesses and the like share.

Sources in book/NAME are copied to _static/NAME, but for its style, which is part of the site's one
sheet (joined.py). What a place holds stands in for its script.
"""

import functools
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

BOOK = Path(__file__).resolve().parents[1]
Visit = Callable[[HTML5Translator, Any], None]


class Place(nodes.General, nodes.Element):
    """Where a script builds what `name` names."""


class LivePlace(Place):
    """One that is nothing without its script: paper and EPUB go without it."""


def add_place(app: Sphinx, place: type[Place], visit: Visit, folder: str) -> None:
    """Let pages have such places, which `visit` opens as a <div>."""
    app.add_node(place, html=(visit, _close), latex=(_pass_by, _pass_by))
    add_folder(app, folder)
    if issubclass(place, LivePlace):
        app.connect("doctree-resolved", functools.partial(_leave_out, place=place))


def add_folder(app: Sphinx, folder: str) -> None:
    """Put book/FOLDER among the files of the site, for `load`."""
    app.connect("builder-inited", functools.partial(copy_sources, folder=folder))


def runs_scripts(app: Sphinx) -> bool:
    """Paper and EPUB do not."""
    return app.builder.name in {"html", "dirhtml"}


def names(app: Sphinx, doctree: nodes.document | None, place: type[Place]) -> list[str]:
    """Of such places in the page; none where no script runs."""
    if doctree is None or not runs_scripts(app):
        return []
    return [found["name"] for found in doctree.findall(place)]


def load(app: Sphinx, *scripts: str) -> None:
    """In the page that is being written, and in no other."""
    for script in scripts:
        app.add_js_file(script, defer="defer")


def _leave_out(app: Sphinx, doctree: nodes.document, page: str, place: type[Place]) -> None:
    if not runs_scripts(app):
        for found in list(doctree.findall(place)):
            found.parent.remove(found)


def copy_sources(app: Sphinx, folder: str) -> None:
    """Before the pages: their links carry checksums."""
    if runs_scripts(app):
        target = Path(app.outdir) / "_static" / folder
        shutil.rmtree(target, ignore_errors=True)
        ignored = shutil.ignore_patterns("__pycache__", "*.css", "*.yml")
        shutil.copytree(BOOK / folder, target, ignore=ignored)


def _close(self: HTML5Translator, node: Place) -> None:
    self.body.append("</div>\n")


def _pass_by(self: Any, node: Place) -> None:
    """A writer without scripts has nothing to add to what stands in."""
