"""Our style sheets are one file of the site, and so are the scripts of all pages, in book/scripts.

Each file is one more request of every page. What book/styles says of all pages has the last word
over the sheets of single parts.
"""

from collections.abc import Iterable
from pathlib import Path

import scripted
from sphinx.application import Sphinx


def join(app: Sphinx) -> None:
    """Before the pages: their links carry checksums."""
    if not scripted.runs_scripts(app):
        return
    static = Path(app.outdir) / "_static"
    static.mkdir(parents=True, exist_ok=True)
    (static / "course.css").write_text(joined(sheets()), encoding="utf-8")
    scripts = sorted(scripted.BOOK.glob("scripts/*.js"))
    (static / "course.js").write_text(joined(scripts), encoding="utf-8")
    app.add_css_file("course.css", priority=900)  # behind all others
    app.add_js_file("course.js", defer="defer")


def sheets() -> list[Path]:
    found = scripted.BOOK.glob("*/*.css")
    return sorted(found, key=lambda path: (path.parent.name == "styles", path))


def joined(paths: Iterable[Path]) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", join)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
