"""The site asks no other site for anything: MathJax and Pyodide come along, Thebe is taken out."""

import shutil
from importlib.metadata import files
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

MATHJAX = "sphinx-mathjax-offline"  # a package that carries MathJax 3; its extension is not used
NEEDED = ("tex-chtml.js", "output/chtml/fonts/woff-v2/")
ROOT = Path(__file__).resolve().parents[2]
PYODIDE = ROOT / "build" / "npm" / "node_modules" / "pyodide"  # book/package-lock.json
PYTHON = (  # the interpreter and its standard library; no package
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)


def mathjax_files() -> dict[str, Path]:
    """The files to copy: path below _static/mathjax -> where it is installed."""
    found = {}
    for file in files(MATHJAX) or []:
        _, marker, inside = file.as_posix().partition("static/mathjax/")
        if marker and inside.startswith(NEEDED):
            found[inside] = Path(str(file.locate()))
    return found


def pyodide_files() -> dict[str, Path]:
    """As mathjax_files, below _static/pyodide. Raises ExtensionError where they are missing."""
    if not all((PYODIDE / name).is_file() for name in PYTHON):
        raise ExtensionError(f"Pyodide is not in {PYODIDE}; `make setup` installs it.")
    return {name: PYODIDE / name for name in PYTHON}


def copy_packages(app: Sphinx, exception: Exception | None) -> None:
    """After the build: whatever lies in _static during it is loaded by every page."""
    if exception or app.builder.format != "html":
        return
    wanted = {f"mathjax/{name}": path for name, path in mathjax_files().items()}
    if app.builder.name != "epub":  # where no page runs Python
        wanted |= {f"pyodide/{name}": path for name, path in pyodide_files().items()}
    for inside, source in wanted.items():
        target = Path(app.outdir) / "_static" / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def remove_thebe(app: Sphinx) -> None:
    """Jupyter Book always loads it, and it names scripts on another site."""
    for listeners in app.events.listeners.values():
        listeners[:] = [one for one in listeners if "sphinx_thebe" not in one.handler.__module__]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", remove_thebe, priority=0)
    app.connect("build-finished", copy_packages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
