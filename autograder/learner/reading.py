"""The section of the book that an exercise names, as text.

The book writes its pages as Markdown. The first line of a page is `<!-- NAME.html -->`, and a
heading ends with its anchors: `### Title {#anchor #another}`.
"""

import re
from pathlib import Path

from autograder.showing.book_links import ABSOLUTE, BUILT, RELATIVE

TEXTS = "reading.md"  # the pages that a chapter's exercises name, beside its notebook
PAGE = re.compile(r"^<!-- ([\w-]+)\.html -->$", re.MULTILINE)
HEADING = re.compile(r"^(#+) .*?(?: \{([^{}]*)\})?$", re.MULTILINE)


def section(folder: Path, read: str) -> str:
    """Return the text of `read`, such as `04_page.html#anchor`, or a sentence on where it is.

    folder: the chapter's, where `reading.md` lies, or beside which the book was built in a clone.
    """
    page, _, anchor = read.rpartition("/")[2].partition("#")
    text = _page(folder, page.removesuffix(".html")) if RELATIVE.fullmatch(page) else ""
    found = _under(text, anchor) if anchor else text
    return f"{found}\n\nThis is {read} of the book." if found else _elsewhere(read)


def _page(folder: Path, name: str) -> str:
    """Return a page from the file beside the notebook, else from the book that was built."""
    for path in (folder / TEXTS, folder / BUILT / f"{name}.md"):
        if path.is_file():
            parts = PAGE.split(path.read_text(encoding="utf-8"))
            pages = dict(zip(parts[1::2], parts[2::2], strict=True))
            if name in pages:
                return pages[name].strip()
    return ""


def _under(text: str, anchor: str) -> str:
    """Return a section with the sections in it; "" if no heading has the anchor."""
    start, level = None, 0
    for heading in HEADING.finditer(text):
        depth, anchors = len(heading[1]), (heading[2] or "").split()
        if start is not None and depth <= level:
            return text[start : heading.start()].strip()
        if start is None and f"#{anchor}" in anchors:
            start, level = heading.start(), depth
    return "" if start is None else text[start:].strip()


def _elsewhere(read: str) -> str:
    where = read if ABSOLUTE.fullmatch(read) else f"{read} in the book"
    return (
        f"The text of this section is not here. Read {where}. The zip of a chapter holds its text "
        f"as {TEXTS}; in a clone of the course, `make book` writes it."
    )
