"""HTML elements that docutils has no node for, as nodes: what is in them is text like any other."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


class Tag(nodes.General, nodes.Element):
    """An element `name` with `attributes`. Writers of other formats see only what is in it."""


def tag(name: str, *children: nodes.Node, classes: str = "", **attributes: str) -> Tag:
    """`data_verdict="false"` becomes the attribute data-verdict, `id` the place links lead to."""
    ids = [attributes.pop("id")] if "id" in attributes else []
    named = {key.replace("_", "-"): value for key, value in attributes.items()}
    return Tag("", *children, name=name, attributes=named, classes=classes.split(), ids=ids)


def visit_html(self: HTML5Translator, node: Tag) -> None:
    self.body.append(self.starttag(node, node["name"], "", **node["attributes"]))


def depart_html(self: HTML5Translator, node: Tag) -> None:
    self.body.append(f"</{node['name']}>\n")


def _pass_by(self: Any, node: Tag) -> None:
    """What is in it is written all the same."""


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(Tag, html=(visit_html, depart_html), latex=(_pass_by, _pass_by))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
