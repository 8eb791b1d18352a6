"""The book can be read without a network: a service worker keeps its pages and what they load.

Sixty lines of our own: Workbox answers from its cache first, which shows an old page once more
after each change, and brings 30 kB of its own to do otherwise.
"""

import hashlib
import json
from pathlib import Path

import site_style
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

SOURCE = Path(__file__).resolve().parents[1] / "offline" / "service-worker.js"
PLACE = "const FILES = {};"
LEFT_OUT = (  # what no page loads, what is kept when it is used, and what is taken away
    "_downloads/",
    "_static/pyodide/",
    "_static/scripts/bootstrap.js",
    "_static/scripts/fontawesome.js",
    "_static/social-card.png",
    "_static/vendor/",
    SOURCE.name,
)
KINDS = {".css", ".html", ".jpg", ".js", ".json", ".mjs", ".png", ".py", ".svg", ".woff2", ".bin"}


def files(root: Path) -> dict[str, str]:
    """What is kept: path below the root -> hash of the content."""
    joined = site_style.made_of(root)
    found = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*.*"))}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for name, path in found.items()
        if path.suffix in KINDS and not name.startswith(LEFT_OUT) and name not in joined
    }


def write(app: Sphinx, exception: Exception | None) -> None:
    """Last of all: the hashes are those of what is published."""
    if exception or app.builder.name != "html":
        return
    root, source = Path(app.outdir), SOURCE.read_text(encoding="utf-8")
    if PLACE not in source:
        raise ExtensionError(f"{SOURCE} has no place for the files: {PLACE}")
    listed = json.dumps(files(root), separators=(",", ":"))
    worker = source.replace(PLACE, f"const FILES = {listed};")
    (root / SOURCE.name).write_text(worker, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write, priority=890)  # before up_to_date.py
    return {"parallel_read_safe": True, "parallel_write_safe": True}
