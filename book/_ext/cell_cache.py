"""Cells run again when a file that they read has changed.

jupyter-cache compares the text of the cells alone. Here the cache's folder is named after a hash of
everything else that decides an output: modules, plot style, measured numbers, package versions.
"""

import hashlib
import shutil
from importlib.metadata import version
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

BOOK = Path(__file__).resolve().parents[1]
READ_BY_CELLS = (
    "book/*.py",
    "book/*.mplstyle",
    "book/experiments/*.py",
    "book/measured/*.json",
    "autograder/*.py",
)
PACKAGES = ("torch", "matplotlib", "numpy")


def key() -> str:
    """Sixteen hex digits that change with anything the cells depend on."""
    digest = hashlib.sha256()
    for pattern in READ_BY_CELLS:
        for path in sorted(BOOK.parent.glob(pattern)):
            digest.update(path.relative_to(BOOK.parent).as_posix().encode() + b"\0")
            digest.update(path.read_bytes())
    for package in PACKAGES:
        digest.update(f"{package} {version(package)}".encode())
    return digest.hexdigest()[:16]


def choose_cache(app: Sphinx, config: Config) -> None:
    """Point myst-nb at this key's folder and drop the folders of other keys."""
    caches = Path(app.outdir).parent / ".cell_cache"
    current = caches / key()
    for old in caches.glob("*"):
        if old != current:
            shutil.rmtree(old)
    config.nb_execution_cache_path = str(current)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", choose_cache, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
