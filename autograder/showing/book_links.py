"""Links from what is shown to pages of the book. Nothing else becomes a link."""

import re
from html import escape
from pathlib import Path

from autograder.showing.wording import plain_html

ABSOLUTE = re.compile(r"https?://[\w.:-]+(/[\w.~%-]+)+\.html(#[\w-]+)?", re.ASCII)
RELATIVE = re.compile(r"[\w-]+\.html(#[\w-]+)?", re.ASCII)
BUILT = "../../build/book/_build/html"  # as seen from a chapter's folder in a clone


def address(read: str, folder: Path | None = None) -> str:
    """Return where `read`, an exercise's section of the book, can be opened; "" if unknown.

    folder: a chapter's, of a learner who may have built the book.
    """
    if ABSOLUTE.fullmatch(read):
        return read
    known = folder is not None and RELATIVE.fullmatch(read)
    if folder is None or not known or not (folder / BUILT / read.partition("#")[0]).is_file():
        return ""
    return f"{BUILT}/{read}"


def link(read: str, folder: Path | None = None) -> str:
    """The section as HTML: a link if its address is known, else text."""
    found = address(read, folder)
    if not found:
        return plain_html(read)
    name = plain_html(read.rpartition("/")[2])
    return f'<a href="{escape(found)}" target="_blank" rel="noopener">{name}</a>'
