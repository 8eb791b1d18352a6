"""A text's path through a network, picture by picture: where each picture stands in its page.

```{trace} tokens
```

The places are "text", "tokens", "vector", "block1" and so on, "next" and "draw". Pictures of the
first text stand in the page; where scripts run, they are drawn for the reader's own text, once
book/networks/start.js has fetched what that takes. Network and texts are those of the record of
stories_trace.py.
"""

from html import escape

import networks
import scripted
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator
from tracing_drawing import drawing

FOLDER = "tracing"
RECORD = "stories_trace"
NETWORK = f"{FOLDER}/network.js"
LATER = (
    "widgets/widget.js",
    networks.LAYERS,
    f"{FOLDER}/transformer.js",
    NETWORK,
    *(f"{FOLDER}/{name}.js" for name in ("words", "pictures", "tracing")),
)
LINES = 8  # of the field
LIVE = "<script>document.documentElement.classList.add('trace-live')</script>"
DRAW = '<button type="button" data-draw>Draw the next word</button>'
NUMBERS = '<details class="trace-numbers"><summary>The numbers</summary><div></div></details>'
ABOVE = {"tokens": '<p class="trace-hint">Pick a token: all that follows is about it.</p>'}


def _fieldset(content: str, legend: str = "") -> str:
    named = f"<legend>{legend}</legend>" if legend else ""
    return f'<fieldset class="trace-controls" disabled>{named}{content}</fieldset>'


BELOW = {"draw": f'<p class="trace-told"></p>{_fieldset(DRAW)}'}


class TracePlace(scripted.Place):
    """Where a picture stands."""


class Trace(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return [TracePlace(name=self.arguments[0], classes=["trace"])]


def visit_html(self: HTML5Translator, node: TracePlace) -> None:
    name, found = node["name"], networks.series(RECORD)
    live = scripted.runs_scripts(self.builder.app)
    data = {"data-trace": name}
    if name == "text" and live:
        data["data-scripts"] = networks.addresses(self.builder, LATER)
    self.body.append(self.starttag(node, "div", **data))
    if name == "text":
        self.body.append(LIVE + _form(found["examples"]) if live else "")
        self.body.append(f'<pre class="trace-still">{escape(found["first"]["text"])}</pre>')
        return
    picture = drawing(name, found["first"], found["network"]["words"])
    above, below = (ABOVE.get(name, ""), BELOW.get(name, "") + NUMBERS) if live else ("", "")
    self.body.append(f'{above}<div class="trace-picture">{picture}</div>{below}')


def _form(examples: list[dict[str, str]]) -> str:
    """The field, what the network says of the text, and other texts to begin with."""
    first = escape(examples[0]["text"])
    field = (
        '<label for="trace-text">Write a story. The network reads it after each change.</label>'
        f'<textarea id="trace-text" rows="{LINES}" autocomplete="off" autocapitalize="off" '
        f'spellcheck="false" aria-describedby="trace-says">{first}</textarea>'
    )
    others = "".join(
        f'<button type="button" data-example="{escape(one["text"])}">{escape(one["name"])}</button>'
        for one in examples
    )
    back = '<button type="button" data-back>Take back</button>'
    return (
        f'<form onsubmit="return false">{_fieldset(field)}{_fieldset(DRAW + back)}'
        f"{_fieldset(others, 'Stories to begin with')}</form>"
        '<p class="trace-says" id="trace-says" aria-live="polite"></p>'
    )


def setup(app: Sphinx) -> dict[str, bool]:
    networks.add_place(app, TracePlace, visit_html, RECORD, NETWORK, "courseTracing")
    app.add_directive("trace", Trace)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
