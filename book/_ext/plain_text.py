"""A page as plain Markdown, to be read without the book, as by a learner's assistant.

It has no code, so that no implementation is in it, and neither drawings nor what is interactive.
Figures are their captions and alt texts, and roles are words. A heading ends with its anchors, as
in `### Padding mask {#padding-mask}`; the first line says which page it is, as learner/reading.py
of the engine reads it. An anchor of another paragraph stands above it.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

import yaml
from docutils.nodes import fully_normalize_name, make_id
from measured_numbers import BOOK, measurements
from plain_roles import LABEL, in_words
from sphinx.application import Sphinx
from verdicts import printed  # of experiments/, which measured_numbers has put on the path

ROOT = BOOK.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
from autograder.common.files import CHECKS  # noqa: E402  (of this repository)
from autograder.judging import checks_file  # noqa: E402

FENCE = re.compile(r"(`{3,}|:{3,})(?:\{([\w-]+)\} ?(.*)|\w*)")
OPTION = re.compile(r":[\w-]+:.*")
HEADING = re.compile(r"#+ (.*)")
CODE = "[Here the page has code, or what code printed.]"
GAP, BREAK = re.compile(r"\n{3,}"), "\n\n"
DROPPED = ("chapter-zip", "exercise-table", "measured-table", "predict", "trace", "warm-up",
           "widget")  # fmt: skip


def reading(chapter: Path) -> str:
    """The pages that the exercises of a chapter's folder name, its own first."""
    return "\n".join(map(plain_text, pages_of(chapter)))


def pages_of(chapter: Path) -> list[str]:
    """The chapter's own page, and others that its exercises name."""
    known = checks_file.load(chapter / CHECKS).values()
    named = (one.read.rpartition("/")[2].partition(".html")[0] for one in known)
    return list(dict.fromkeys([chapter.name, *named]))


def plain_text(page: str) -> str:
    """One page. Raises ValueError for a role or a directive that has no plain text."""
    source = (BOOK / f"{page}.md").read_text().splitlines()
    end = source.index("---", 1) if source[0] == "---" else -1
    text = in_words("\n".join(_anchored(_told(source[end + 1 :]))))
    return f"<!-- {page}.html -->\n\n{GAP.sub(BREAK, text).strip()}\n"


def _told(lines: list[str]) -> Iterator[str]:
    """The lines with each directive reduced to what it says."""
    at = 0
    while at < len(lines):
        if opening := FENCE.fullmatch(lines[at]):
            fence, name, argument = opening.groups()
            end = lines.index(fence, at + 1)
            yield from ("", *_block(name, argument, lines[at + 1 : end]), "")
            at = end
        else:
            yield lines[at]
        at += 1


def _block(name: str | None, argument: str, lines: list[str]) -> Iterable[str]:
    """What a directive says. A block of code has no name."""
    if name in DROPPED:
        return ()
    if name is None:
        return (CODE,)
    if name == "code-cell":
        return _cell(lines)
    if name == "measured-claim":
        return _claim(*argument.split())
    content = [*_told([line for line in lines if not OPTION.fullmatch(line)])]
    if name == "machine":
        return content
    if name in ("admonition", "dropdown"):
        return [f"**{argument}.**", "", *content] if any(content) else ()
    raise ValueError(f"the directive {{{name}}} has no plain text: name it in plain_text.py")


def _cell(lines: list[str]) -> list[str]:
    """The caption and the alt text of the figure that a cell draws; else that there is a cell."""
    options = yaml.safe_load("\n".join(_options(lines))) or {}
    drawn = options.get("mystnb", {})
    figure, image = drawn.get("figure", {}), drawn.get("image", {})
    said = " ".join(f"{figure.get('caption', '')} {image.get('alt', '')}".split())
    if said:
        return [f"[Figure “{figure.get('name', '').removeprefix('fig-')}”: {said}]"]
    return [] if "remove-cell" in options.get("tags", []) else [CODE]


def _options(lines: list[str]) -> list[str]:
    """The YAML above the code of a cell, in either of the two forms in which MyST has it."""
    if lines[:1] == ["---"]:
        return lines[1 : lines.index("---", 1)]
    return [line.removeprefix(":") for line in takewhile(OPTION.fullmatch, lines)]


def _claim(record: str, number: str = "") -> Iterator[str]:
    """A claim and its verdicts, as the page quotes them."""
    entries: list[dict[str, Any]] = measurements.load(record)["claims"]
    chosen = [entry for entry in entries if not number or entry["claim"] == int(number)]
    for text, same in groupby(chosen, key=lambda entry: entry["text"]):
        yield f"> {text}"
        for entry in same:
            yield from (">", f"> {printed(entry)}")
        yield ""


def _anchored(lines: Iterable[str]) -> Iterator[str]:
    """The lines with anchors: a heading's labels and what MyST makes of its title, at its end.

    The label of anything else becomes a line of its own.
    """
    labels, known = list[str](), set[str]()
    for line in lines:
        if label := LABEL.fullmatch(line):
            labels.append(label[1])
            continue
        if heading := HEADING.fullmatch(line):
            own = make_id(fully_normalize_name(heading[1]))
            yield f"{line} {_anchors([*labels, *({own} - known)])}"
            known |= {own}
        else:
            yield from (_anchors(labels), line) if labels and line else (line,)
        labels = [] if line else labels


def _anchors(names: list[str]) -> str:
    return f"{{{' '.join(f'#{name}' for name in dict.fromkeys(names))}}}"


def write(app: Sphinx) -> None:
    """Each page that an exercise names, beside the page itself."""
    chapters = sorted((ROOT / "exercises").glob("[0-9]*"))
    if app.builder.name == "html":
        for page in {page for chapter in chapters for page in pages_of(chapter)}:
            (Path(app.outdir) / f"{page}.md").write_text(plain_text(page), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
