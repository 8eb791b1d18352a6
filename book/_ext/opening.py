"""The opening of the landing page: type a date, and a network of chapter 6 writes it in ISO form.

```{opening}
What the reader sees, in a paragraph below the drawing.
```

The drawing of the first example stands in the page. Where scripts run, controls stand around it,
switched off until book/networks/start.js has fetched the rest, after the page is there.
Weights and examples are those of the record of cross_opening.py.
"""

from html import escape

import networks
import scripted
from docutils import nodes
from myst_lines import parsed
from opening_drawing import drawing
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

FOLDER = "opening"
RECORD = "cross_opening"
NETWORK = f"{FOLDER}/translator.js"
OWN = ("slider", "drawing", "dates", "opening")
LATER = (networks.LAYERS, f"{FOLDER}/model.js", NETWORK, *(f"{FOLDER}/{name}.js" for name in OWN))
STILL = "<noscript><p>This is a still: the network runs where scripts do.</p></noscript>"
LIVE = "<script>document.currentScript.parentElement.classList.add('opening-live')</script>"


class OpeningPlace(scripted.Place):
    """Where the drawing stands."""


class Opening(SphinxDirective):
    """The content is the caption."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        place = OpeningPlace(name=FOLDER, classes=["opening"])
        place += nodes.container("", *parsed(self, self.content), classes=["opening-caption"])
        return [place]


def visit_html(self: HTML5Translator, node: OpeningPlace) -> None:
    examples = networks.series(RECORD)["examples"]
    if not scripted.runs_scripts(self.builder.app):
        self.body.append(self.starttag(node, "div") + drawing(examples[0]))
        return
    data = {"role": "group", "aria-label": "A translator of dates"}
    self.body += [
        self.starttag(
            node, "div", **data, **{"data-scripts": networks.addresses(self.builder, LATER)}
        ),
        LIVE,
        _form(examples[0]["text"]),
        drawing(examples[0]),
        _controls([example["text"] for example in examples[1:]]),
        STILL,
    ]


def _form(text: str) -> str:
    return (
        '<form class="opening-controls"><fieldset disabled><label for="opening-date">Write a date. '
        "A small network translates it; the lines show where it looks.</label>"
        f'<input id="opening-date" type="text" value="{escape(text)}" autocomplete="off" '
        'autocapitalize="off" spellcheck="false" enterkeyhint="go" aria-describedby="opening-says">'
        "</fieldset></form>"
    )


def _controls(texts: list[str]) -> str:
    """Below the drawing: what it says, other ways to write a date, and the choice of a head."""
    another = '<button type="button" data-another>another date</button>'
    examples = another + "".join(f'<button type="button">{escape(text)}</button>' for text in texts)
    count = networks.series(RECORD)["network"]["heads"]
    heads = "".join(
        f'<label><input type="radio" name="opening-head" value="{value}"'
        f"{' checked' if value == 'mean' else ''}>{name}</label>"
        for value, name in [("mean", "mean"), *((at, at + 1) for at in range(count))]
    )
    return (
        '<div class="opening-controls">'
        '<p class="opening-says" id="opening-says" aria-live="polite"></p>'
        '<p class="opening-looks"></p>'
        f"{_choice('examples', 'Try', examples)}{_choice('heads', 'Head', heads)}</div>"
    )


def _choice(name: str, legend: str, options: str) -> str:
    return (
        f'<fieldset class="opening-{name}" disabled><legend>{legend}</legend>'
        f"<div>{options}</div></fieldset>"
    )


def setup(app: Sphinx) -> dict[str, bool]:
    networks.add_place(app, OpeningPlace, visit_html, RECORD, NETWORK, "courseOpening")
    app.add_directive("opening", Opening)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
