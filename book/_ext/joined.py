"""The style sheets in book/styles are one file of the site, and so are the scripts in book/scripts.

Each file is one more request of every page.
"""

from pathlib import Path

import scripted
from sphinx.application import Sphinx


def join(app: Sphinx) -> None:
    """Before the pages: their links carry checksums."""
    if not scripted.runs_scripts(app):
        return
    static = Path(app.outdir) / "_static"
    static.mkdir(parents=True, exist_ok=True)
    (static / "course.css").write_text(joined("styles", "css"), encoding="utf-8")
    (static / "course.js").write_text(joined("scripts", "js"), encoding="utf-8")
    app.add_css_file("course.css", priority=900)  # behind all others
    app.add_js_file("course.js", defer="defer")


def joined(folder: str, kind: str) -> str:
    paths = sorted((scripted.BOOK / folder).glob(f"*.{kind}"))
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", join)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
