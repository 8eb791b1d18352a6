"""What the outputs of a page's cells depend on, and whether that is still the same.

jupyter-cache compares the text of the cells alone. With the outputs it keeps here the rest of what
decided them: the sources that the cells have opened, imported modules among them, and the versions
of the packages that compute and draw.
"""

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    "_config.yml",
    "_toc.yml",
    "book/**/*",
    "exercises/*/*.ipynb",
    "exercises/*/*.safetensors",
    "solutions/*/*.py",
    "solutions/*/*.md",
    "autograder/**/*",
    "pyproject.toml",
    "CHANGELOG.md",
    "CITATION.cff",
)
PACKAGES = ("torch", "matplotlib", "numpy")
WATCHER = Path(__file__).with_name("watch_files.py")


def sources() -> dict[str, str]:
    """The SHA-256 of every file that the book is built from, by its path below the root."""
    found = {path for pattern in SOURCES for path in ROOT.glob(pattern) if path.is_file()}
    return {
        path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(found)
        if "__pycache__" not in path.parts
    }


def versions() -> dict[str, str]:
    """Of the packages whose outputs the pages show."""
    return {package: version(package) for package in PACKAGES}


def watching(log: str) -> str:
    """The option of a kernel that lets it write into `log` which files are opened in it."""
    code = f'__import__("runpy").run_path({str(WATCHER)!r})["watch"]({log!r})'
    return f"--IPKernelApp.code_to_run={code}"


def decided(now: dict[str, str], opened: list[str]) -> dict[str, Any]:
    """What is kept with outputs: those of the sources `now` that were opened, and the versions."""
    read = {_source(Path(path)) for path in opened} & now.keys()
    return {"read": {path: now[path] for path in sorted(read)}, "versions": versions()}


def _source(path: Path) -> str:
    """The path below the root; of a module that was loaded or kept as bytecode, its source's."""
    if path.parent.name == "__pycache__":  # NAME.cpython-311.pyc, and more while it is written
        path = path.parents[1] / f"{path.name.partition('.')[0]}.py"
    path = path.resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""


def still_holds(kept: dict[str, Any], now: dict[str, str]) -> bool:
    """Whether outputs are what the sources `now` give; not so where it is not known."""
    read = kept.get("read", {})
    return (
        kept.get("versions") == versions()
        and bool(read)
        and all(now.get(path) == digest for path, digest in read.items())
    )
