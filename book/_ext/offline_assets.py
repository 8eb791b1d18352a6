"""The site asks no other site for anything: MathJax is copied in, and Thebe is taken out."""

import shutil
from importlib.metadata import files
from pathlib import Path

from sphinx.application import Sphinx

MATHJAX = "sphinx-mathjax-offline"  # a package that carries MathJax 3; its extension is not used
NEEDED = ("tex-chtml.js", "output/chtml/fonts/woff-v2/")


def mathjax_files() -> dict[str, Path]:
    """The files to copy: path below _static/mathjax -> where it is installed."""
    found = {}
    for file in files(MATHJAX) or []:
        _, marker, inside = file.as_posix().partition("static/mathjax/")
        if marker and inside.startswith(NEEDED):
            found[inside] = Path(str(file.locate()))
    return found


def copy_mathjax(app: Sphinx, exception: Exception | None) -> None:
    """After the build: whatever lies in _static during it is loaded by every page."""
    if exception or app.builder.format != "html":
        return
    for inside, source in mathjax_files().items():
        target = Path(app.outdir) / "_static" / "mathjax" / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def remove_thebe(app: Sphinx) -> None:
    """Jupyter Book always loads it, and it names scripts on another site."""
    for listeners in app.events.listeners.values():
        listeners[:] = [one for one in listeners if "sphinx_thebe" not in one.handler.__module__]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", remove_thebe, priority=0)
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
