"""The theme's HTML is changed in the built pages, each of which is read and written once."""

import re
from pathlib import Path

import chapter_numbers
import without_scripts
from accessible import MENDED
from sphinx.application import Sphinx

REMOVED = {r"<script[^>]*scripts/fontawesome\.js[^>]*></script>\n?": ""}  # a font draws the icons
# The system's theme is set before anything is drawn, not when the scripts at the page's end have come.
SYSTEM = 'matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"'
EARLY = {r'(localStorage\.getItem\("theme"\) \|\| )"auto"': rf"\1({SYSTEM})"}
NO_SCRIPTS = {
    r"<noscript>\s*<style>(?s:.*?)</noscript>\s*": "",
    r"(?=</head>)": without_scripts.LINK,
    r'(?=<button class="sidebar-toggle primary-toggle)': (
        '<noscript><a class="to-the-menu" href="#pst-primary-sidebar">All pages</a></noscript>'
    ),
}
ALL = {**MENDED, **REMOVED, **EARLY, **NO_SCRIPTS}
CHANGES = {re.compile(found): instead for found, instead in ALL.items()}


def change(app: Sphinx, exception: Exception | None) -> None:
    """After the build."""
    if exception or app.builder.format != "html":
        return
    begins = chapter_numbers.chapters(app.env.toctree_includes[app.config.root_doc])
    for path in Path(app.outdir).glob("*.html"):
        text = chapter_numbers.numbered(path.read_text(encoding="utf-8"), path.stem, begins)
        for found, instead in CHANGES.items():
            text = found.sub(instead, text)
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", change)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
