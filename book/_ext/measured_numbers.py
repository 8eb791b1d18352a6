"""Numbers in prose come from measured/*.json.

{measured}`masks_leak:floor`            1.309 nats
{measured-spread}`masks_leak:floor`     with the spread over seeds, where there is one
```{measured-table} masks_leak          the claims that these experiments decide
```{measured-claim} masks_leak 26       a claim where it is decided: what it says, and its verdict
[[masks_leak:floor]]                    in an alt text, where no role can stand

On a page a number is a link to the row of its experiment; origins.py makes it open a card.
"""

import re
import sys
from itertools import groupby
from pathlib import Path

from docutils import nodes
from html_tags import Tag, tag
from myst_lines import Rows, parsed, table
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.writers.html5 import HTML5Translator
from verdict_marks import mark

BOOK = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BOOK / "experiments"))
# It lies with the experiments, which run as plain scripts; other extensions take it from here.
import measurements as measurements  # noqa: E402, PLC0414
from verdicts import Claim, printed  # noqa: E402

HEADINGS = ("Claim", "Verdict", "What was measured")
OPTIONS = (":widths: 24 22 54", ":class: measured-table")
LISTED_ON = "measuring"  # the page that has a row for each experiment
LINE = 30  # characters that a phone shows in one line; what is longer may be broken
IN_ALT = re.compile(r"\[\[(\w+):(\w+)\]\]")


def lookup(reference: str, spread: bool = False) -> str:
    """The printed form of `file:key`. Raises KeyError or FileNotFoundError where there is none."""
    name, _, key = reference.partition(":")
    return measurements.text_of(measurements.load(name), key, spread)


class MeasuredNumber(nodes.inline):
    """A number and where it came from, `origin`."""


class Measured(SphinxRole):
    """One number, marked so that a test can trace it to its file."""

    spread = False

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            text = lookup(self.text, self.spread)
        except (KeyError, FileNotFoundError):
            message = f"no measured number {self.text!r} (file:key of book/measured/*.json)"
            return [], [self.inliner.reporter.error(message, line=self.lineno)]
        if self.text.endswith(f":{measurements.ENGINE}"):
            self.env.note_reread()  # the grader changes while this page does not
        classes = ["measured", "long"] if len(text) > LINE else ["measured"]
        return [MeasuredNumber(self.rawtext, text, classes=classes, origin=self.text)], []


class MeasuredSpread(Measured):
    spread = True


class MeasuredTable(SphinxDirective):
    """One row per claim; the arguments name the experiments."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        records = {name: measurements.load(name) for name in self.arguments[0].split()}
        decided = [
            (name, record, entry) for name, record in records.items() for entry in record["claims"]
        ]
        rows: Rows = [HEADINGS, *(cells(*one) for one in decided)]
        holder = nodes.Element("", *parsed(self, table(rows, *OPTIONS)))
        written = list(holder.findall(nodes.row))[1:]
        for row, (name, record, entry) in zip(written, decided, strict=True):
            _, verdict, found = row.findall(nodes.entry)
            next(iter(verdict.findall(nodes.paragraph))).insert(0, mark(entry["verdict"]))
            found += self.folded(how(name, record))
        return holder.children

    def folded(self, line: str) -> Tag:
        """What only those ask for who doubt the finding or measure it again."""
        summary = tag("summary", nodes.Text("How"))
        return tag("details", summary, *parsed(self, [line]), classes="measured-how")


class MeasuredClaim(SphinxDirective):
    """A claim at the head of what decides it: RECORD, and its number if the record has several."""

    required_arguments = 1
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        name, *number = self.arguments
        entries = measurements.load(name)["claims"]
        chosen = [entry for entry in entries if not number or entry["claim"] == int(number[0])]
        if not chosen:
            raise self.error(f"the record {name} decides no claim {' '.join(number)}")
        lines = []
        for text, same in groupby(chosen, key=lambda entry: entry["text"]):
            said = next(iter(verdicts := [*same]))
            lines += [f"{text} ({{ref}}`claim {said['claim']} <claim-{said['claim']}>`)", ""]
            lines += [line for entry in verdicts for line in (printed(entry), "")]
        quoted = nodes.block_quote("", *parsed(self, lines), classes=["claim-said"])
        return [quoted]


def cells(name: str, record: measurements.Record, entry: Claim) -> tuple[str, ...]:
    """What a table says of one claim: its text, verdict and finding."""
    number = entry["claim"]
    text = f"{entry['text']} ({{ref}}`claim {number} <claim-{number}>`)"
    return (text, printed(entry), with_numbers(name, entry["finding"]))


def how(name: str, record: measurements.Record) -> str:
    """Seeds, device, version and script."""
    seeds = len(record["seeds"])
    said = f"{seeds} seeds" if seeds > 1 else "no seed"
    said += f", {record['device'].upper()}, PyTorch {record['torch'].partition('+')[0]}, "
    if tried := measurements.machines(record):
        said += f"times and memory of processes on {'; on '.join(tried)}, "
    return f"{said}{{download}}`{Path(record['script']).name} </experiments/{name}.py>`"


def with_numbers(name: str, text: str) -> str:
    """Text of a record as MyST: its keys become measured numbers."""
    return measurements.QUOTED.sub(rf"{{measured-spread}}`{name}:\1`", text)


def finish_images(app: Sphinx, doctree: nodes.document) -> None:
    """Fill in the numbers of alt texts."""
    for image in doctree.findall(nodes.image):
        if "alt" in image:
            image["alt"] = IN_ALT.sub(lambda hit: lookup(f"{hit[1]}:{hit[2]}"), image["alt"])


def anchor(name: str) -> str:
    """Of an experiment's row on the page LISTED_ON."""
    return nodes.make_id(f"measured-{name}")


def visit_html(self: HTML5Translator, node: MeasuredNumber) -> None:
    """It carries the number's origin, so that a script and a test can trace it."""
    origin, builder = {"data-measured": node["origin"]}, self.builder
    if within_link(node):
        self.body.append(self.starttag(node, "span", "", **origin))
        self.context.append("</span>")
        return
    page = builder.get_relative_uri(builder.current_docname, LISTED_ON)
    link = f"{page}#{anchor(node['origin'].partition(':')[0])}"
    self.body.append(self.starttag(node, "a", "", href=link, **origin))
    self.context.append("</a>")


def within_link(node: nodes.Node) -> bool:
    """Whether it stands in one, or in a title, which a list of contents makes a link of."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, (nodes.reference, nodes.title)):
            return True
    return False


def depart_html(self: HTML5Translator, node: MeasuredNumber) -> None:
    self.body.append(self.context.pop())


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(MeasuredNumber, html=(visit_html, depart_html))
    app.add_role("measured", Measured())
    app.add_role("measured-spread", MeasuredSpread())
    app.add_directive("measured-table", MeasuredTable)
    app.add_directive("measured-claim", MeasuredClaim)
    app.connect("doctree-read", finish_images)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
