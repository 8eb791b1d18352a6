"""Notebooks whose name a browser or a system has changed: `.IPYNB`, `.ipynb.txt`, `.ipynb.json`."""

from collections.abc import Collection
from pathlib import PurePath

ADDED = (".txt", ".json")  # by a browser that takes the notebook for what it is made of
SYSTEMS = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")


def notebook_name(name: str, suffixes: Collection[str]) -> str:
    """The name that a file should have, one of the suffixes at its end; "" for another file."""
    path = PurePath(name)
    if path.suffix in suffixes:
        return name
    if path.suffix.lower() in suffixes:
        return path.stem + path.suffix.lower()
    inner = PurePath(path.stem)
    added = path.suffix.lower() in ADDED and inner.suffix.lower() in suffixes
    return inner.stem + inner.suffix.lower() if added else ""


def is_json(data: bytes) -> bool:
    """Whether a file with such a name can be a notebook at all."""
    return data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def is_systems(path: PurePath) -> bool:
    """Whether a system has put a file there, and no student."""
    return path.name.startswith("._") or any(part in SYSTEMS for part in path.parts)
