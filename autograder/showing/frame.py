"""The frame of a card in a notebook: a bar in the colour of its state, a title, what is below it.

No scripts and no assets; text has the page's own colour, so that it can be read on any page.
"""

GREEN, RED, GREY = "#2e8b57", "#d1495b", "#8a8a8a"


def framed(label: str, colour: str, title: str, body: str) -> str:
    """A card as HTML. `label`, `title` and `body` are HTML; `label` is what is read aloud."""
    return (
        f'<div role="group" aria-label="{label}" '
        f'class="tex2jax_ignore mathjax_ignore" '  # dollars in a message are no formula
        f'style="border-left:4px solid {colour};padding:.2em .9em;margin:.4em 0;'
        f'max-width:46em;line-height:1.45;overflow-wrap:anywhere">'
        f'<p style="margin:.3em 0;font-size:1.1em">{title}</p>{body}</div>'
    )
