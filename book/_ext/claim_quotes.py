"""What the texts say of a claim, word for word, folded below it: book/claims/quotes.yml.

A claim has `quotes`, each with the `text`, the heading of its `section`, and its `words` or a line
of `code`; and it may have `also`, another `work` that says the same, and `where`.
"""

from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from html_tags import Tag, tag
from measured_numbers import BOOK
from myst_lines import parsed
from sphinx.util.docutils import SphinxDirective

QUOTES = BOOK / "claims" / "quotes.yml"
Entry = dict[str, Any]


def load(stated: dict[str, str], path: Path = QUOTES) -> dict[str, Entry]:
    """What is quoted, by claim; `stated` has the texts of each, as `2 3`.

    Raises ValueError with a sentence that says what does not fit.
    """
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    quoted = {str(number): entry for number, entry in found.items()}
    for number, entry in quoted.items():
        if number not in stated:
            raise ValueError(f"{path.name} quotes claim {number}, which comes from no text")
        _check(f"{path.name}, claim {number}", entry, stated[number].split())
    if left := [number for number in stated if number not in quoted]:
        raise ValueError(f"{path.name} has no quotation for claim {', '.join(left)}")
    return quoted


def folded(directive: SphinxDirective, entry: Entry) -> Tag:
    """The quotations, and who else says so, below a line that opens them."""
    lines = [_quotation(quote) for quote in entry["quotes"]]
    if also := entry.get("also"):
        lines += parsed(directive, [f"Also: {{cite:t}}`{also['work']}`, {also['where']}."])
    summary = tag("summary", nodes.Text("In their words"))
    return tag("details", summary, *lines, classes="claim-quotes")


def _check(place: str, entry: Entry, texts: list[str]) -> None:
    _need(place, entry, "quotes")
    for quote in entry["quotes"]:
        _need(place, quote, "text", "section", "code" if "code" in quote else "words")
        if str(quote["text"]) not in texts:
            raise ValueError(f"{place}: the table does not name text {quote['text']}")
    if "also" in entry:
        _need(place, entry["also"], "work", "where")


def _need(place: str, entry: Entry, *keys: str) -> None:
    if missing := [key for key in keys if entry.get(key) in (None, "", [])]:
        raise ValueError(f"{place}: {' and '.join(missing)} is missing")


def _quotation(quote: Entry) -> nodes.Node:
    """The words or the code, then where they stand."""
    code, words = quote.get("code"), quote.get("words")
    said = nodes.literal("", code) if code else nodes.Text(f"“{words}”")
    section = nodes.emphasis("", quote["section"])
    return nodes.paragraph("", "", said, nodes.Text(f" Text {quote['text']}, section "), section)
