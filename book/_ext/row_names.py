"""Where a table's corner is empty, its first column names the rows: its cells are headings of them.

A screen reader then says the name of the row with each number.
"""

from docutils import nodes
from sphinx.application import Sphinx


def name_rows(app: Sphinx, doctree: nodes.document) -> None:
    for group in doctree.findall(nodes.tgroup):
        corner, *names = (row.next_node(nodes.entry) for row in group.findall(nodes.row))
        if group.next_node(nodes.thead) and not text(corner) and all(map(text, names)):
            group.next_node(nodes.colspec)["stub"] = 1


def text(entry: nodes.entry) -> str:
    return entry.astext().strip()


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", name_rows)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
