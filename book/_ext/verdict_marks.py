"""The signs of the five verdicts: colour alone never tells them apart."""

from docutils import nodes

SHAPES = {
    "holds": '<circle cx="8" cy="8" r="6.5"/>',
    "holds if": '<circle cx="8" cy="8" r="5.75" fill="none" stroke-width="1.5"/>'
    '<path d="M8 2.25a5.75 5.75 0 0 0 0 11.5z"/>',
    "false": '<path d="M3 3 13 13M13 3 3 13" fill="none" stroke-width="2.5"/>',
    "illustration": '<path d="M1.75 3h12.5v10H1.75z" fill="none" stroke-width="1.5"/>'
    '<path d="M3 11.5 6.5 7l2.5 3 1.5-1.5 2.5 3z"/>',
    "not tested": '<circle cx="8" cy="8" r="5.75" fill="none" stroke-width="1.5" '
    'stroke-dasharray="2.5 2"/>',
}


def slug(verdict: str) -> str:
    """As it stands in classes and addresses."""
    return verdict.replace(" ", "-")


def mark(verdict: str) -> nodes.raw:
    """The sign alone; the word stands beside it."""
    classes = f"verdict-mark verdict-{slug(verdict)}"
    shape = SHAPES[verdict]
    drawn = f'<svg class="{classes}" viewBox="0 0 16 16" aria-hidden="true">{shape}</svg> '
    return nodes.raw("", drawn, format="html")
