"""Figures stand in the page itself, so that they follow its theme and tell their values.

An SVG of book/plots.py is an image for every writer but HTML's. Here its panes and its readings
take the place of the image; the script and the font of book/figures come with the pages that have
any. The font is matplotlib's own, with the characters that occur, so that text is as wide as it
was when the figure was laid out.
"""

import html
import re
from pathlib import Path
from typing import Any

import matplotlib
import scripted
from docutils import nodes
from small_fonts import subset
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

FOLDER = "figures"
FONT = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
HEAD = re.compile(r'<svg [^>]*class="chart"')
VALUES = re.compile(r"<metadata>(.*)</metadata>")
PANE = re.compile(r'<svg class="pane( below)?" [^>]*?width="(\d+)"')
TEXT, TAG = re.compile(r"<text[^>]*>(.*?)</text>"), re.compile(r"<[^>]+>")


class Chart(scripted.Place):
    """The panes of the figure `content`, which is called `alt`."""


def place_charts(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Before the page is written: an image that is not in it need not be copied."""
    if not scripted.runs_scripts(app):
        return
    for image in list(doctree.findall(nodes.image)):
        path = Path(app.srcdir) / image["uri"]
        content = path.read_text(encoding="utf-8") if path.suffix == ".svg" else ""
        if HEAD.match(content):
            chart = Chart(name=path.stem, content=content, alt=image.get("alt", ""))
            image.replace_self(chart)


def visit_html(self: HTML5Translator, node: Chart) -> None:
    content = node["content"]
    panes = [(line, hit) for line in content.splitlines() if (hit := PANE.match(line))]
    gaps, widest = _row([(bool(hit[1]), int(hit[2])) for _, hit in panes])
    name, style = html.escape(node["alt"]), f"--gaps:{gaps};--row:{widest}"
    self.body.append(f'<div class="chart" role="img" aria-label="{name}" style="{style}">\n')
    for line, hit in panes:
        self.body.append('<i class="chart-break"></i>' if hit[1] else "")
        self.body.append(line.replace("<svg", f'<svg style="--w:{hit[2]}"', 1) + "\n")
    values = VALUES.search(content)
    if values and values[1]:
        told = html.unescape(values[1])  # without < and &, as plots.py writes it
        self.body.append(f'<script type="application/json">{told}</script>\n')


def _row(panes: list[tuple[bool, int]]) -> tuple[int, int]:
    """Gaps and width of the widest row of panes, each of which begins a new one or not."""
    rows: list[list[int]] = []
    for below, width in panes:
        if below or not rows:
            rows.append([])
        rows[-1].append(width)
    widest = max(rows, key=sum)
    return len(widest) - 1, sum(widest)


def load_scripts(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    if scripted.names(app, doctree, Chart):
        scripted.load(app, f"{FOLDER}/figures.js")


def write_font(app: Sphinx, exception: Exception | None) -> None:
    """Of all pages, after they are written."""
    if exception or not scripted.runs_scripts(app):
        return
    pages = sorted(Path(app.outdir).glob("*.html"))
    texts = "".join(text for page in pages for text in TEXT.findall(page.read_text("utf-8")))
    font = subset(FONT, set(html.unescape(TAG.sub("", texts))))
    (Path(app.outdir) / "_static" / FOLDER / "figures.woff2").write_bytes(font)


def setup(app: Sphinx) -> dict[str, bool]:
    scripted.add_place(app, Chart, visit_html, FOLDER)
    app.connect("doctree-resolved", place_charts)
    app.connect("html-page-context", load_scripts)
    app.connect("build-finished", write_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
