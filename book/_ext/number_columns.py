"""Numbers in tables stand one below the other, from the right. They and dates are not broken."""

import re
from itertools import zip_longest

from docutils import nodes
from sphinx.application import Sphinx

PART = r"[−-]?\d[\d,.]*(?: ?%)?"
NUMBER = re.compile(rf"{PART}(?: (?:±|to) {PART})?(?: [A-Za-z]+)?")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
# A line may end before ± and before "to", not between a number and its unit, except where a phone
# has no room for that.
GAP, NARROW_GAP = re.compile(r"(?<=±) |(?<=\bto) | (?!±|to )"), re.compile(r"(?<=±) |(?<=\bto) ")
MANY = 3  # columns that fit a phone with the units of their numbers
NOTHING = ("", "–", "—", "none")


def align(app: Sphinx, doctree: nodes.document) -> None:
    """The headings of such columns too; the first column names the rows."""
    for table in doctree.findall(nodes.tgroup):
        rows = [list(row.findall(nodes.entry)) for row in table.findall(nodes.row)]
        for column in list(zip_longest(*rows))[1:]:
            entries = [one for one in column if one is not None]
            if is_of_numbers([text_of(one) for one in entries[1:]]):
                for entry in entries:
                    entry["classes"].append("text-right")
        for entry in table.findall(nodes.entry):
            if NUMBER.fullmatch(text_of(entry)):
                keep_together(entry, GAP if len(rows[0]) <= MANY else NARROW_GAP)
            elif DATE.fullmatch(text_of(entry)):
                entry["classes"].append("unbroken")


def keep_together(entry: nodes.entry, gap: re.Pattern[str]) -> None:
    for text in list(entry.findall(nodes.Text)):
        text.parent.replace(text, nodes.Text(gap.sub("\N{NO-BREAK SPACE}", text)))


def is_of_numbers(texts: list[str]) -> bool:
    told = [text for text in texts if text not in NOTHING]
    return bool(told) and all(NUMBER.fullmatch(text) for text in told)


def text_of(entry: nodes.entry) -> str:
    return entry.astext().strip()


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", align)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
