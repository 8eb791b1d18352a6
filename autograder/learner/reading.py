"""The section of the book that an exercise names, as text.

The book writes its pages as Markdown. The first line of a page is `<!-- NAME.html -->`, and a
heading ends with its anchors: `### Title {#anchor #another}`. Before a paragraph that has an anchor
there is a line `{#anchor}`.
"""

import re
from pathlib import Path

from autograder.showing.book_links import ABSOLUTE, BUILT, RELATIVE

TEXTS = "reading.md"  # the pages that a chapter's exercises name, beside its notebook
PAGE = re.compile(r"^<!-- ([\w-]+)\.html -->$", re.MULTILINE)
MARK = re.compile(r"^(?:(#+) .*?)? ?\{(#[^{}]*)\}$", re.MULTILINE)
ANCHORS = re.compile(r" ?\{#[^{}]*\}$", re.MULTILINE)
LONE = 7  # the depth of an anchor that no heading has: less than that of any heading
SHORT = 400  # characters; so short a section, whose code is left out, is read with those around it


def section(folder: Path, read: str) -> str:
    """Return the text of `read`, such as `04_page.html#anchor`, or a sentence on where it is.

    folder: the chapter's, where `reading.md` lies, or beside which the book was built in a clone.
    """
    page, _, anchor = read.rpartition("/")[2].partition("#")
    text = _page(folder, page.removesuffix(".html")) if RELATIVE.fullmatch(page) else ""
    found = _under(text, anchor) if anchor else text
    return f"{_unmarked(found)}\n\nThis is {read} of the book." if found else _elsewhere(read)


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
    """Return the section with an anchor, down to the next one of its depth; "" if there is none."""
    marks = list(MARK.finditer(text))
    depths = [len(mark[1] or "") or LONE for mark in marks]
    starts = [mark.start() for mark in marks]

    def cut(at: int) -> str:
        ends = (starts[after] for after in range(at + 1, len(marks)) if depths[after] <= depths[at])
        return text[starts[at] : next(ends, None)].strip()

    at = next((at for at, mark in enumerate(marks) if f"#{anchor}" in mark[2].split()), None)
    if at is None:
        return ""
    around = [above for above in range(at) if 1 < depths[above] < depths[at]]
    return cut(around[-1]) if around and len(cut(at)) < SHORT else cut(at)


def _unmarked(text: str) -> str:
    """Return the text without its anchors, which say nothing to a reader."""
    return ANCHORS.sub("", text).strip()


def _elsewhere(read: str) -> str:
    where = read if ABSOLUTE.fullmatch(read) else f"{read} in the book"
    return (
        f"The text of this section is not here. Read {where}. The zip of a chapter holds its text "
        f"as {TEXTS}; in a clone of the course, `make book` writes it."
    )
