"""Is the built book the one these sources describe?

The extension leaves a stamp beside a build that finished without a warning; book/build.py compares
it with the sources.
"""

import hashlib
from pathlib import Path

from cell_cache import BOOK, key
from sphinx.application import Sphinx

ROOT = BOOK.parent
STAMP = ROOT / "build" / "book" / "_build" / ".built_from"
SOURCES = (
    "_config.yml",
    "_toc.yml",
    "book/**/*",
    "exercises/*/*.ipynb",
    "exercises/*/*.safetensors",
    "solutions/*/*.py",
    "solutions/*/*.md",
    "autograder/*.py",
    "pyproject.toml",
)


def digest() -> str:
    """A hash of everything that the built pages depend on."""
    found = {path for pattern in SOURCES for path in ROOT.glob(pattern) if path.is_file()}
    state = hashlib.sha256(key().encode())
    for path in sorted(path for path in found if "__pycache__" not in path.parts):
        state.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return state.hexdigest()


class Stamp:
    """Of one build."""

    def note_sources(self, app: Sphinx) -> None:
        """As they are now: what is edited while the book is built is not in it."""
        self.digest = digest()

    def leave(self, app: Sphinx, exception: Exception | None) -> None:
        STAMP.unlink(missing_ok=True)
        if not exception and not app._warncount and Path(app.outdir).parent == STAMP.parent:
            STAMP.write_text(self.digest)


def setup(app: Sphinx) -> dict[str, bool]:
    stamp = Stamp()
    app.connect("builder-inited", stamp.note_sources, priority=1)
    app.connect("build-finished", stamp.leave, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def is_built() -> bool:
    page = STAMP.parent / "html" / "index.html"
    return page.is_file() and STAMP.is_file() and STAMP.read_text() == digest()
