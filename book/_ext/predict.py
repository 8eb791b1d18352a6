"""Predict, then see: the reader's guess comes before the answer, and is compared with the records.

```{predict} pick                       choose; `+` marks what was measured
:because: masks_leak:causal_alone < masks_leak:off_by_one_alone
Which one would you ship?
+ model A
- model B
```

```{predict} order                      put in order, the largest first, by these numbers
Most exact copies of eight symbols first:
- bottleneck_room:wide_8 A vector of twice the width.
```

```{predict} curve                      draw a curve over x; see predict_curve.py for the options
Draw the curve.
```

The dropdown that follows, before the next guess, is the answer, and opens with it. With `:covers:`
the figure right below waits for the guess too. Where no script runs, options stand as text, and
figure and answer as they are.
"""

import json
import operator
import re
from typing import Any, ClassVar

import predict_curve
import scripted
from docutils import nodes
from docutils.parsers.rst import directives
from html_tags import Tag, tag
from measured_numbers import lookup, measurements
from myst_lines import parsed
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

FOLDER = "predict"
FACT = re.compile(r"(\w+):(\w+) ([<>]) (?:(\w+):(\w+)|([\d.]+))")
COMPARED = {"<": operator.lt, ">": operator.gt}
BUTTONS = {
    "predict-compare": "Compare with the measurement",
    "predict-skip": "Show without guessing",
}


class PredictPlace(scripted.LivePlace):
    """Where a guess is taken; its kind is the `name`."""


class Predict(SphinxDirective):
    """The argument is the kind of guess."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {
        "because": directives.unchanged_required,
        "covers": directives.flag,
        **dict.fromkeys(predict_curve.OPTIONS, directives.unchanged_required),
    }

    def run(self) -> list[nodes.Node]:
        kind = self.arguments[0]
        made = {"pick": self.pick, "order": self.order, "curve": self.curve}
        if kind not in made:
            raise self.error(f"a guess is one of {', '.join(made)}, and not {kind!r}")
        self.check_facts()
        buttons = [_button(text, classes) for classes, text in BUTTONS.items()]
        place = PredictPlace(name=kind, covers="covers" in self.options, classes=["predict"])
        place += made[kind]()
        place += tag("p", *buttons, classes="predict-buttons")
        place += tag("p", classes="predict-says", role="status")
        return [place]

    def check_facts(self) -> None:
        """What `because` says must follow from the records, as the answer does."""
        for fact in filter(None, self.options.get("because", "").split(", ")):
            if not holds(fact):
                raise self.error(f"the records do not say that {fact}")

    def pick(self) -> list[nodes.Node]:
        """A group of radio buttons for each paragraph: a question and its options."""
        if "because" not in self.options:
            raise self.error("say with :because: which numbers decide what was measured")
        questions = "\n".join(self.content).strip().split("\n\n")
        return [self.question(text.splitlines()) for text in questions]

    def question(self, lines: list[str]) -> Tag:
        asked, options = lines[0], lines[1:]
        (right,) = (at for at, line in enumerate(options) if line.startswith("+ "))
        name = f"predict-{self.env.new_serialno('predict')}"
        labels = [
            tag("label", _radio(name, at), *self.inline(line[2:]))
            for at, line in enumerate(options)
        ]
        legend = tag("legend", *self.inline(asked))
        return tag("fieldset", legend, *labels, data_right=str(right))

    def order(self) -> list[nodes.Node]:
        """A list whose items move; each has its number."""
        asked, *items = [line for line in self.content if line]
        listed = [self.item(*line.removeprefix("- ").split(" ", 1)) for line in items]
        return [tag("p", *self.inline(asked)), tag("ol", *listed)]

    def item(self, origin: str, text: str) -> Tag:
        name, _, key = origin.partition(":")
        value = measurements.load(name)["numbers"][key]["value"]
        moves = [_button(sign, "predict-move", data_by=by, aria_label=f"{word}: {text}")
                 for sign, by, word in (("↑", "-1", "up"), ("↓", "1", "down"))]  # fmt: skip
        data = {"data_value": str(value), "data_shown": lookup(origin)}
        said = tag("span", *self.inline(text), classes="predict-item")
        return tag("li", said, tag("span", *moves, classes="predict-moves"), **data)

    def curve(self) -> list[nodes.Node]:
        """What the chart needs, and where it is drawn."""
        data = json.dumps(predict_curve.data(self.options), ensure_ascii=False)
        script = f'<script type="application/json">{data}</script>\n'
        chart, key = (tag("div", classes=name) for name in ("predict-chart", "predict-key"))
        task = tag("div", *parsed(self, self.content), classes="predict-task")
        return [task, nodes.raw("", script, format="html"), chart, key]

    def inline(self, line: str) -> list[nodes.Node]:
        """A line of MyST without the paragraph around it."""
        return list(parsed(self, [line])[0].children)


def holds(fact: str) -> bool:
    """`record:key < record:key`, or a number on the right. Raises ValueError if it is not that."""
    found = FACT.fullmatch(fact)
    if found is None:
        raise ValueError(f"{fact!r} is not like: masks_leak:causal_alone < masks_leak:floor")
    name, key, sign, other, other_key, number = found.groups()
    value = measurements.load(name)["numbers"][key]["value"]
    right = float(number) if number else measurements.load(other)["numbers"][other_key]["value"]
    return bool(COMPARED[sign](value, right))


def _button(text: str, classes: str, **attributes: str) -> Tag:
    return tag("button", nodes.Text(text), classes=classes, type="button", **attributes)


def _radio(name: str, at: int) -> nodes.raw:
    return nodes.raw("", f'<input type="radio" name="{name}" value="{at}"> ', format="html")


def load_scripts(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Only the pages that have a guess load anything."""
    if kinds := scripted.names(app, doctree, PredictPlace):
        names = ["predict", *sorted(set(kinds))]
        scripted.load(app, *(f"{FOLDER}/{name}.js" for name in names))


def visit_html(self: HTML5Translator, node: PredictPlace) -> None:
    data = {"role": "group", "aria-label": "Your guess", "data-predict": node["name"]}
    if node["covers"]:
        data["data-covers"] = "figure"
    self.body.append(self.starttag(node, "div", **data))


def setup(app: Sphinx) -> dict[str, bool]:
    scripted.add_place(app, PredictPlace, visit_html, FOLDER)
    app.add_directive("predict", Predict)
    app.connect("html-page-context", load_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
