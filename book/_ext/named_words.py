"""What the pages name that a style sheet may speak of: elements, attributes, classes, variables.

The words of a sentence are none of these; those of a script all may be, since it may add them.
"""

import re
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path

WORD = re.compile(r"[\w-]+")
VARIABLE = re.compile(r"--[a-zA-Z][\w-]*")
SCRIPT = re.compile(r'<script[^>]*\ssrc="([^"?:]+)')
SENTENCES = {"alt", "aria-label", "content", "d", "href", "placeholder", "src", "title"}


class Names(HTMLParser):
    """Of the pages that it was fed with."""

    def __init__(self) -> None:
        super().__init__()
        self.words: set[str] = set()
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_script = tag == "script"
        self.words.add(tag)
        for name, value in attrs:
            self.words.update(WORD.findall(name))
            if value and name not in SENTENCES:
                self.words.update(WORD.findall(value))

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.words.update(WORD.findall(data))


def scripts(root: Path, pages: Iterable[str]) -> list[str]:
    """The texts of all scripts that some page loads, and of those that lie beside them."""
    named = {root / path for text in pages for path in SCRIPT.findall(text)}
    return [path.read_text(encoding="utf-8") for path in sorted(named) if path.is_file()]


def words(pages: Iterable[str], scripts: Iterable[str]) -> list[str]:
    names = Names()
    for text in pages:
        names.feed(text)
    for text in scripts:
        names.words.update(WORD.findall(text))
    return sorted(names.words)


def variables(texts: Iterable[str]) -> list[str]:
    return sorted({name for text in texts for name in VARIABLE.findall(text)})
