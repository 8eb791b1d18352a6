"""The theme's HTML is changed in the built pages, each of which is read and written once."""

import functools
import re
from pathlib import Path

import chapter_numbers
import page_scripts
import scripted
import site_style
import without_scripts
from accessible import MENDED
from sphinx.application import Sphinx

# The system's theme is set before anything is drawn, not when the scripts at the end have come.
SYSTEM = 'matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"'
EARLY = {r'(localStorage\.getItem\("theme"\) \|\| )"auto"': rf"\1({SYSTEM})"}
ALL = {**MENDED, **EARLY, **without_scripts.CHANGES}
CHANGES = {re.compile(found): instead for found, instead in ALL.items()}


def change(app: Sphinx, exception: Exception | None) -> None:
    """After the build, and after everything else that writes what the pages load."""
    if exception or app.builder.name != "html":
        return
    root = Path(app.outdir)
    begins = chapter_numbers.chapters(app.env.toctree_includes[app.config.root_doc])
    page_scripts.mend(root)
    pages = {}
    for path in sorted(root.glob("*.html")):
        text = chapter_numbers.numbered(path.read_text(encoding="utf-8"), path.stem, begins)
        pages[path] = page_scripts.trim(root, mended(text))
    for path, text in site_style.join(root, pages).items():
        path.write_text(without_scripts.linked(text), encoding="utf-8")


def mended(text: str) -> str:
    for found, instead in CHANGES.items():
        text = found.sub(instead, text)
    return text


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", functools.partial(scripted.copy_sources, folder="search"))
    app.connect("build-finished", change, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
