"""The site asks no other site for anything: Pyodide comes along, and Thebe is taken out."""

import shutil
from pathlib import Path

from scripted import runs_scripts
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

ROOT = Path(__file__).resolve().parents[2]
PYODIDE = ROOT / "build" / "npm" / "node_modules" / "pyodide"  # book/package-lock.json
PYTHON = (  # the interpreter and its standard library; no package
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)


def pyodide_files() -> dict[str, Path]:
    """What to copy: name below _static/pyodide -> where it is. Raises ExtensionError if missing."""
    if not all((PYODIDE / name).is_file() for name in PYTHON):
        raise ExtensionError(f"Pyodide is not in {PYODIDE}; `make setup` installs it.")
    return {name: PYODIDE / name for name in PYTHON}


def copy_pyodide(app: Sphinx, exception: Exception | None) -> None:
    """After the build: whatever lies in _static during it is loaded by every page."""
    if exception or not runs_scripts(app):
        return
    target = Path(app.outdir) / "_static" / "pyodide"
    target.mkdir(parents=True, exist_ok=True)
    for name, source in pyodide_files().items():
        shutil.copyfile(source, target / name)


def remove_thebe(app: Sphinx) -> None:
    """Jupyter Book always loads it, and it names scripts on another site."""
    for listeners in app.events.listeners.values():
        listeners[:] = [one for one in listeners if "sphinx_thebe" not in one.handler.__module__]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", remove_thebe, priority=0)
    app.connect("build-finished", copy_pyodide)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
