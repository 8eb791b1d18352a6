"""All claims, each once, from every record in measured/; above them a bar of the verdicts.

```{claims-table}
1: 2 3                claim 1 stands in texts 2 and 3
39: xiong2020layer    claim 39 in what references.bib calls so
```

A claim whose statements were measured one by one has a part for each; a part has one verdict. The
place of a claim is `claim-7`, for links and for the role `ref`. What the texts say is folded below
it (claim_quotes.py). A script adds filters (book/claims); without it everything is there.
"""

import re
from collections import Counter
from itertools import groupby
from typing import Any

import claim_quotes
import measured_numbers
import scripted
from docutils import nodes
from html_tags import Tag, tag
from measured_numbers import BOOK, measurements
from measurements import Record
from myst_lines import parsed
from sphinx.application import Sphinx
from sphinx.domains.std import StandardDomain
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator
from verdict_marks import mark, slug
from verdicts import VERDICTS, Claim, printed

FOLDER = "claims"
HEADINGS = ("Claim", "Verdict", "What was measured")
MEANS = {
    "holds": "The measurement agrees.",
    "holds if": "The statement leaves out a condition, which the verdict names.",
    "false": "The measurement contradicts it, on the device and at the sizes given.",
    "illustration": "The text shows an example that nobody measured, without saying so.",
    "not tested": "The device or models cannot decide it, or nothing without attention was run.",
}
NUMBERS = re.compile(r"\d+( \d+)*")
Decided = tuple[int, str, Record, Claim]


class ClaimsPlace(scripted.Place):
    """The claims, to which the script adds what filters them."""


class ClaimsTable(SphinxDirective):
    """An entry for each claim that an experiment decided; the lines say where the claims stand."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        texts = dict(line.split(": ") for line in self.content if line)
        entries = [
            (number, list(parts)) for number, parts in groupby(decided(), lambda one: one[0])
        ]
        for number, parts in entries:
            if str(number) not in texts:
                name = parts[0][1]
                raise self.error(f"claim {number} ({name}) has no line that says where it stands")
        if left := texts.keys() - {str(number) for number, _ in entries}:
            raise self.error(f"no experiment decides claim {', '.join(sorted(left))}")
        self.quoted = self.quotes(texts)
        heads = [tag("span", nodes.Text(text)) for text in HEADINGS]
        listed = [self.claim(number, texts[str(number)], parts) for number, parts in entries]
        head = tag("div", *heads, classes="claims-head", aria_hidden="true")
        found = tag("ol", *listed, classes="claims-list")
        return [ClaimsPlace("", *bar(), head, found, name=FOLDER, classes=["claims"])]

    def quotes(self, texts: dict[str, str]) -> dict[str, claim_quotes.Entry]:
        """What the texts say, of the claims that come from them."""
        stated = {number: named for number, named in texts.items() if NUMBERS.fullmatch(named)}
        try:
            return claim_quotes.load(stated)
        except ValueError as error:
            raise self.error(str(error)) from error

    def claim(self, number: int, texts: str, parts: list[Decided]) -> Tag:
        """One entry, which other pages find as `claim-7`."""
        place, shown = f"claim-{number}", set()
        std = self.env.get_domain("std")
        assert isinstance(std, StandardDomain)
        std.note_hyperlink_target(place, self.env.docname, place, f"claim {number}")
        stated = _in_texts(texts) if NUMBERS.fullmatch(texts) else self.cited(texts)
        entry = tag("li", _number(number, stated), classes="claim", id=place)
        for part in parts:
            text = "" if part[3]["text"] in shown else part[3]["text"]
            shown.add(part[3]["text"])
            entry += self.part(text, *part[1:])
        if quoted := self.quoted.get(str(number)):
            entry += claim_quotes.folded(self, quoted)
        return entry

    def cited(self, key: str) -> Tag:
        """A work of the bibliography."""
        (paragraph,) = parsed(self, [f"{{cite:t}}`{key}`"])
        return tag("span", *paragraph.children, classes="claim-cited")

    def part(self, text: str, name: str, record: Record, entry: Claim) -> Tag:
        """One statement, its verdict and its finding; no text where the one before has the same."""
        *_, found = measured_numbers.cells(name, record, entry)
        page = chapter_of(name)
        where = f"Measured in {{doc}}`chapter {int(page[:2])} <{page}>`."
        verdict = parsed(self, [printed(entry)])
        verdict[0].insert(0, mark(entry["verdict"]))
        columns = {
            "claim-text": parsed(self, [text]),
            "claim-verdict": verdict,
            "claim-found": parsed(self, [found, "", *self.control(name, entry), where]),
        }
        cells = [tag("div", *inside, classes=column) for column, inside in columns.items()]
        data = {"data_verdict": slug(entry["verdict"]), "data_chapter": str(int(page[:2]))}
        return tag("div", *cells, classes="claim-part", **data)

    def control(self, name: str, entry: Claim) -> list[str]:
        """What else was excluded, where something was measured."""
        text = measured_numbers.with_numbers(name, entry["control"])
        return [f"Control: {text}", ""] if text else []


def decided() -> list[Decided]:
    """Number, experiment, record and entry of every claim, sorted."""
    found = []
    for path in sorted(measurements.FOLDER.glob("*.json")):
        record = measurements.load(path.stem)
        found += [(entry["claim"], path.stem, record, entry) for entry in record["claims"]]
    return sorted(found, key=lambda row: row[:2])


def chapter_of(name: str) -> str:
    """The page whose table shows the experiment. Raises LookupError if none does."""
    for page in sorted(BOOK.glob("[0-9]*.md")):
        tables = re.findall(r"^```\{measured-table\} (.*)$", page.read_text(), re.MULTILINE)
        if name in " ".join(tables).split():
            return page.stem
    raise LookupError(f"no page has a measured-table of {name}")


def bar() -> list[nodes.Node]:
    """The verdicts side by side, as long as they are many; below it their words and counts."""
    counts = Counter(entry["verdict"] for *_, entry in decided())
    segments = [
        tag(
            "span",
            mark(one),
            classes=f"verdict-{slug(one)}",
            data_verdict=slug(one),
            style=f"flex-grow: {counts[one]}",
        )
        for one in VERDICTS
    ]
    words = [
        tag(
            "li",
            tag(
                "span",
                tag("span", mark(one), nodes.Text(one), classes="verdict-word"),
                tag("span", nodes.Text(str(counts[one])), classes="verdict-count"),
                classes="verdict-name",
            ),
            tag("span", nodes.Text(MEANS[one]), classes="verdict-means"),
            data_verdict=slug(one),
        )
        for one in VERDICTS
    ]
    drawn = tag("div", *segments, classes="claims-bar", aria_hidden="true")
    return [drawn, tag("ul", *words, classes="verdicts")]


def _number(number: int, stated: Tag) -> Tag:
    """The number, a link to its own entry, and where the claim stands."""
    link = tag("a", nodes.Text(str(number)), href=f"#claim-{number}", aria_label=f"claim {number}")
    return tag("p", link, stated, classes="claim-number")


def _in_texts(texts: str) -> Tag:
    """The texts, links to their titles."""
    word = tag("span", nodes.Text("text " if len(texts.split()) == 1 else "texts "))
    stated = tag("span", word)
    for text in texts.split():
        stated += tag("a", nodes.Text(text), href=f"#text-{text}", aria_label=f"text {text}")
    return stated


def load_scripts(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Only the page of the claims loads anything."""
    if scripted.names(app, doctree, ClaimsPlace):
        scripts = [f"{FOLDER}/{name}.js" for name in ("claims", "guess", "filters")]
        scripted.load(app, *scripts)


def visit_html(self: HTML5Translator, node: ClaimsPlace) -> None:
    self.body.append(self.starttag(node, "div"))


def setup(app: Sphinx) -> dict[str, bool]:
    scripted.add_place(app, ClaimsPlace, visit_html, FOLDER)
    app.add_directive("claims-table", ClaimsTable)
    app.connect("html-page-context", load_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
