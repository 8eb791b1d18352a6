"""The files in a student's folder that may be the notebook by their names: listed, not read.

No link is followed, and a folder of any size or depth is looked at only up to the limits.
"""

import os
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath

SIZE_LIMIT = 100 * 2**20  # bytes
ENTRIES = 20_000  # of a folder and those within it that are looked at
DEPTH = 8  # folders within the student's folder
ARCHIVES = (".zip", ".rar", ".7z")
RECEIPTS = ("timestamp.txt", "submission_secret.txt")  # of nbgrader's exchange
CHECKPOINTS = ".ipynb_checkpoints"  # where Jupyter keeps a copy of each notebook


@dataclass
class Listing:
    """The content of a folder, from the top down and sorted.

    checkpoints: the copies that Jupyter keeps. others: files of other names, and hidden notebooks,
    but for what no student put there. whole: whether nothing was left out.
    """

    notebooks: list[Path] = field(default_factory=list)
    archives: list[Path] = field(default_factory=list)
    checkpoints: list[Path] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)
    whole: bool = True

    def add(self, path: Path, chapter: str) -> None:
        """A file, by its name; a hidden one only where it has a notebook's."""
        may_be = may_be_notebook(path.name, chapter)
        if path.name.startswith("."):
            self.others += [path] if may_be and not is_nobodys(path) else []
        elif path.parent.name == CHECKPOINTS:
            self.checkpoints += [path] if may_be else []
        elif is_archive(path.name):
            self.archives.append(path)
        elif may_be:
            self.notebooks.append(path)
        elif not is_nobodys(path):
            self.others.append(path)


def listing(folder: Path, chapter: str, passed_over: Collection[str] = ()) -> Listing:
    """List what may be the notebook of a chapter in a folder, and in all folders within it.

    passed_over: names in `folder` itself that are not looked at. Folders that cannot be read are
    left out, as hidden ones are.
    """
    found, room = Listing(), ENTRIES
    waiting = deque([(folder, 0)])
    while waiting:
        place, depth = waiting.popleft()
        for entry in entries(place, room + 1):
            room -= 1
            if room < 0:
                found.whole = False
                return found
            if depth == 0 and entry.name in passed_over:
                continue
            if _is_folder(entry):
                found.whole &= depth < DEPTH
                waiting += [(Path(entry.path), depth + 1)] if depth < DEPTH else []
            elif entry.is_file(follow_symlinks=False):
                found.add(Path(entry.path), chapter)
    return found


def may_be_notebook(name: str, chapter: str) -> bool:
    """Tell whether a file's name is a notebook's or begins as the chapter's."""
    return ".ipynb" in name.lower() or name.lower().startswith(chapter.lower())


def is_nobodys(path: PurePath) -> bool:
    """Tell whether a system or nbgrader's exchange has put a file there, and no student."""
    return is_systems(path) or path.name in RECEIPTS


def is_archive(name: str) -> bool:
    """Tell whether a file's name is that of an archive, which may be of another kind than zip."""
    return name.lower().endswith(ARCHIVES)


def shown(path: PurePath) -> str:
    """Return a file's name as a sentence can hold it."""
    return shown_text(path.name)


def shown_text(text: str) -> str:
    """Return a path or name as a sentence can hold it: printable, and not long."""
    short = text if len(text) < 80 else f"{text[:60]}…{text[-19:]}"
    return short if short.isprintable() else ascii(short)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    hidden = entry.name.startswith(".") and entry.name != CHECKPOINTS
    return not hidden and entry.is_dir(follow_symlinks=False)


def entries(folder: Path, most: int) -> Iterator["os.DirEntry[str]"]:
    """Return the first entries of a folder, sorted; none where it cannot be read."""
    try:
        with os.scandir(folder) as there:
            first = [entry for entry, _ in zip(there, range(most), strict=False)]
    except OSError:
        return iter(())
    return iter(sorted(first, key=lambda entry: entry.name))


ADDED = (".txt", ".json")  # by a browser that takes the notebook for what it is made of
SYSTEMS = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")


def notebook_name(name: str, suffixes: Collection[str]) -> str:
    """Return the name that a file should have, with one of the suffixes; "" for another file."""
    path = PurePath(name)
    if path.suffix in suffixes:
        return name
    if path.suffix.lower() in suffixes:
        return path.stem + path.suffix.lower()
    inner = PurePath(path.stem)
    added = path.suffix.lower() in ADDED and inner.suffix.lower() in suffixes
    return inner.stem + inner.suffix.lower() if added else ""


def is_json(data: bytes) -> bool:
    """Tell whether a file with such a name can be a notebook at all."""
    return data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def is_systems(path: PurePath) -> bool:
    """Tell whether a system has put a file there, and no student."""
    return path.name.startswith("._") or any(part in SYSTEMS for part in path.parts)
