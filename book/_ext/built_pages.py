"""The theme's HTML is changed in the built pages, each of which is read and written once."""

import re
from pathlib import Path

from accessible import MENDED
from sphinx.application import Sphinx

REMOVED = {r"<script[^>]*scripts/fontawesome\.js[^>]*></script>\n?": ""}  # a font draws the icons
CHANGES = {re.compile(found): instead for found, instead in {**MENDED, **REMOVED}.items()}


def change(app: Sphinx, exception: Exception | None) -> None:
    """After the build."""
    if exception or app.builder.format != "html":
        return
    for path in Path(app.outdir).glob("*.html"):
        text = path.read_text(encoding="utf-8")
        for found, instead in CHANGES.items():
            text = found.sub(instead, text)
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", change)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
