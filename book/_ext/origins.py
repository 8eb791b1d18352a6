"""Where a number comes from, what a term means, what a figure shows: the cards of a page.

A page gets as JSON what its own cards say and does not stand on it already: the samples of the
measured numbers it quotes, the definitions of its terms, the captions of figures on other pages.
book/origins/*.js opens a card beside the link. Without scripts the links lead to the same things.
"""

import functools
import json
import posixpath
from collections.abc import Iterator
from typing import Any

import scripted
from docutils import nodes
from measured_numbers import MeasuredNumber, measurements
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from verdicts import Claim

FOLDER = "origins"
AS_MANY_AS_THERE_ARE = 12  # decimals; a record has six significant digits
CARDS = ("std-term", "std-numref")  # what Sphinx puts into links to a term and to a figure
Card = dict[str, Any]
Samples = dict[str, list[float]]


def number(record: measurements.Record, key: str) -> Card:
    """What was found of one number, in the unit that it is printed in."""
    entry = record["numbers"].get(key, {})
    card: Card = {"text": measurements.text_of(record, key, spread=True)}
    percent = entry.get("format", "").endswith("%")
    if "on" in entry:
        places, found = measurements.machines(record), shortened(entry["on"], percent)
        card["on"] = {places.index(name): sample for name, sample in found.items()}
    elif "sample" in entry:
        summary = {"mean": [entry["value"]], "spread": [entry["spread"]]}
        found = shortened({"sample": entry["sample"]}, percent, summary)
        card |= {"sample": found["sample"], "mean": found["mean"][0], "spread": found["spread"][0]}
    if percent:
        card["percent"] = True
    if "tried" in entry:
        card["tried"] = [measurements.printed(value, entry) for value in entry["tried"]]
    decided = [one["claim"] for one in record["claims"] if f"{{{key}}}" in one["finding"]]
    return card | ({"claims": decided} if decided else {})


def shortened(samples: Samples, percent: bool, summary: Samples | None = None) -> Samples:
    """With as many decimals as tell a hundred places apart on the line of the samples."""
    factor = 100 if percent else 1
    every = [value * factor for sample in samples.values() for value in sample]
    width = max(every) - min(every)
    power = int(f"{width:e}".partition("e")[2])
    decimals = max(2 - power, 0) if width else AS_MANY_AS_THERE_ARE
    return {
        name: [plain(round(float(value) * factor, decimals)) for value in values]
        for name, values in (samples | (summary or {})).items()
    }


def plain(value: float) -> float:
    """JSON writes 4.0 for a float."""
    return int(value) if value.is_integer() else value


def about(app: Sphinx, name: str, record: measurements.Record) -> Card:
    """The experiment: how its numbers were obtained, and the files to download."""
    card: Card = {
        "seeds": record["seeds"],
        "by": f"{record['device'].upper()}, PyTorch {record['torch'].partition('+')[0]}",
        "machine": record["machine"],
        "script": download(app, posixpath.relpath(record["script"], "book")),
        "record": download(app, f"measured/{name}.json"),
        "verdicts": {one["claim"]: one["verdict"] for one in record["claims"]},
        "controls": {one["claim"]: control(record, one) for one in record["claims"]},
    }
    machines = measurements.machines(record)
    return card | ({"machines": machines} if machines else {})


def control(record: measurements.Record, claim: Claim) -> str:
    """What else could have given the result, with its numbers; empty where nothing was measured."""
    return measurements.QUOTED.sub(
        lambda key: measurements.text_of(record, key[1], spread=True), claim["control"]
    )


def download(app: Sphinx, source: str) -> str:
    """The address of a file that {download} on some page has put into the site."""
    _, target = app.env.dlfiles[source]
    return posixpath.join("_downloads", target)


def links(doctree: nodes.document, kind: str) -> Iterator[tuple[str, str]]:
    """Page ("" is this one) and anchor of each link that Sphinx made from such a role."""
    for link in doctree.findall(nodes.reference):
        if any(kind in inner["classes"] for inner in link.findall(nodes.inline)):
            page, _, anchor = link.get("refuri", "").partition("#")
            yield page.removesuffix(".html"), anchor


@functools.cache
def elsewhere(app: Sphinx, page: str, anchor: str) -> str:
    """What another page says of a term, or below a figure, as HTML."""
    assert isinstance(app.builder, StandaloneHTMLBuilder)
    elements = app.env.get_doctree(page).findall(nodes.Element)
    [found] = [one for one in elements if anchor in one.get("ids", ())]
    if isinstance(found, nodes.term):
        parts = found.next_node(nodes.definition, descend=False, siblings=True).deepcopy().children
    else:
        [caption] = found.findall(nodes.caption)
        parts = [nodes.paragraph("", "", *caption.deepcopy().children)]
    return "".join(app.builder.render_partial(part)["fragment"] for part in parts).strip()


def contents(app: Sphinx, doctree: nodes.document) -> Card:
    """All that the cards of a page need."""
    quoted = sorted({node["origin"] for node in doctree.findall(MeasuredNumber)})
    names = sorted({origin.partition(":")[0] for origin in quoted})
    records = {name: measurements.load(name) for name in names}
    numbers = {origin: number(records[name], key)
               for origin in quoted for name, _, key in [origin.partition(":")]}  # fmt: skip
    found = sorted({link for kind in CARDS for link in links(doctree, kind) if link[0]})
    return {
        "numbers": numbers,
        "records": {name: about(app, name, record) for name, record in records.items()},
        "elsewhere": {anchor: elsewhere(app, page, anchor) for page, anchor in found},
    }


def has_cards(doctree: nodes.document) -> bool:
    """A number, a term, a figure or a citation."""
    linked = any(True for kind in CARDS for _ in links(doctree, kind))
    inline = doctree.findall(nodes.inline)
    return linked or any(
        isinstance(one, MeasuredNumber) or "bibtex-citation" in one["classes"] for one in inline
    )


def add_cards(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Into the page that is being written, if it has any."""
    if doctree is None or not scripted.runs_scripts(app) or not has_cards(doctree):
        return
    data = json.dumps(contents(app, doctree), separators=(",", ":"), ensure_ascii=False)
    closed = data.replace("</", "<\\/")  # a <script> ends at the first of these
    context["body"] += f'<script type="application/json" id="origins-data">{closed}</script>\n'
    scripted.load(app, f"{FOLDER}/contents.js", f"{FOLDER}/card.js")


def setup(app: Sphinx) -> dict[str, bool]:
    scripted.add_folder(app, FOLDER)
    app.connect("html-page-context", add_cards)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
