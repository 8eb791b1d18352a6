"""Is the built book the one these sources describe?

The extension leaves a stamp beside a build that finished without a warning; book/build.py compares
it with the sources.
"""

import hashlib
import json
from pathlib import Path

from cell_cache import ROOT, sources, versions
from sphinx.application import Sphinx

STAMP = ROOT / "build" / "book" / "_build" / ".built_from"


def digest() -> str:
    """A hash of everything that the built pages depend on."""
    state = json.dumps([sources(), versions()], sort_keys=True)
    return hashlib.sha256(state.encode()).hexdigest()


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
