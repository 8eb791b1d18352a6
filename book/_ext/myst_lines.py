"""What directives write as lines of MyST: tables, and the nodes that lines become."""

from collections.abc import Iterable, Sequence

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

Rows = list[tuple[str, ...]]


def table(rows: Iterable[Sequence[str]], *options: str) -> list[str]:
    """A list-table with these lines of options; the first row is the heading."""
    lines = ["```{list-table}", ":header-rows: 1", *options, ""]
    for cells in rows:
        lines += [f"{'  -' if at else '* -'} {cell}" for at, cell in enumerate(cells)]
    return [*lines, "```"]


def parsed(directive: SphinxDirective, lines: Iterable[str]) -> list[nodes.Node]:
    """The lines read as a part of the directive's page."""
    holder = nodes.Element()
    directive.state.nested_parse(StringList(list(lines)), directive.content_offset, holder)
    return holder.children
