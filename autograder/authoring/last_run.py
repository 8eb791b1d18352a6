"""What earlier self-tests found of an exercise, as long as all that decides it is the same.

Each chapter has one file, in the folder that git ignores. Whoever deletes it has everything tested
again.
"""

import ast
import hashlib
import json
import platform
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import torch

from autograder.chapters import shared_code
from autograder.common.cell import SETUP, Cell
from autograder.common.files import JOURNALS, PACKAGE
from autograder.notebooks.chapter import Chapter, reference_cells

WORD = re.compile(r"\w+")


class LastRun:
    """Keeps what is known of a chapter's exercises; made right after the chapter was loaded.

    taken: the exercises of which something was found here, in the order in which it was asked for.
    """

    def __init__(self, chapter: Chapter, confined: bool):
        root = chapter.folder.parents[1]
        self.path = root / JOURNALS / "selftest" / f"{chapter.name}.json"
        self.taken: list[str] = []
        self._known = _read(self.path)
        of_course = _contents(sorted(chapter.folder.parent.glob("*.*")))
        common = repr((confined, _engine(), _environment(), *of_course)).encode()
        self._digests = {
            name: _digest(common, fingerprint(chapter, name).encode()) for name in chapter.exercises
        }

    def find(self, test: str, exercise: str) -> Any:
        """Return what the test found of the exercise; None where that is not known any more."""
        digest, found = self._known.get(f"{test} {exercise}", ("", None))
        if digest != self._digests[exercise]:
            return None
        self.taken.append(exercise)
        return found

    def keep(self, test: str, exercise: str, found: Any) -> None:
        """Write it down at once, so that a run that is stopped goes on where it was."""
        self._known[f"{test} {exercise}"] = [self._digests[exercise], found]
        part = self.path.with_suffix(".part")
        with suppress(OSError):  # a course that may not be written is tested each time
            self.path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(self._known, ensure_ascii=False, indent=1), "utf-8")
            part.replace(self.path)


def fingerprint(chapter: Chapter, exercise: str) -> str:
    """A digest of an exercise's files, and of the cells of its notebook that can matter to it.

    What all exercises share is not in it: the engine, the libraries, the course's settings.
    """
    files = _files(chapter, exercise)
    sources = (cell.source.encode() for cell in _cells(chapter, exercise, files))
    return _digest(*sources, *_contents(files))


def _read(path: Path) -> dict[str, Any]:
    """Nothing where the file is missing or damaged."""
    try:
        return dict(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def _files(chapter: Chapter, exercise: str) -> list[Path]:
    """The files of an exercise, what they import, and the answers that were accepted."""
    found = {
        chapter.folder / f"{exercise}.py",
        chapter.folder / f"{exercise}_misconceptions.py",
    }
    new = found
    while new := {path for one in new if one.is_file() for path in _imports(one)} - found:
        found |= new
    accepted = [answer.path for answer in chapter.exercises[exercise].accepted]
    return sorted([*found, *accepted, *shared_code.files(chapter.text, chapter.folder)])


def _cells(chapter: Chapter, exercise: str, files: list[Path]) -> list[Cell]:
    """Return the cells that set the notebook up, the exercise's, and those whose names they use."""
    cells = reference_cells(chapter)
    text = " ".join(path.read_text("utf-8") for path in files if path.is_file())
    names, kept = {exercise, *WORD.findall(text)}, [cell for cell in cells if _is_for_all(cell)]
    while new := [cell for cell in cells if cell not in kept and names & _defined(cell)]:
        kept += new
        names |= {word for cell in new for word in WORD.findall(cell.source)}
    return sorted(kept, key=cells.index)


def _is_for_all(cell: Cell) -> bool:
    """Tell whether a cell sets the notebook up, or does more than define functions and classes."""
    if cell.name.startswith(SETUP):
        return True
    return len(_defined(cell)) < len(ast.parse(cell.source).body)


def _defined(cell: Cell) -> set[str]:
    """The functions and classes of a cell."""
    definitions = ast.FunctionDef | ast.ClassDef
    body = ast.parse(cell.source).body
    return {node.name for node in body if isinstance(node, definitions)}


def _imports(path: Path) -> Iterator[Path]:
    """The files beside it that a file imports."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            names = [node.module] if node.module else [alias.name for alias in node.names]
            yield from (path.with_name(f"{name}.py") for name in names)


def _contents(paths: list[Path]) -> Iterator[bytes]:
    for path in paths:
        if path.is_file():
            yield from (path.name.encode(), path.read_bytes())


@cache
def _engine() -> str:
    """A digest of the whole engine, as it was when it was first asked for."""
    return _digest(*_contents(sorted(PACKAGE.rglob("*.py"))))


def _environment() -> tuple[str, ...]:
    """Describe what a verdict may depend on: Python, the libraries and torch's kernels."""
    libraries = sorted(path.name for path in Path(torch.__file__).parents[1].glob("*.dist-info"))
    return (platform.python_version(), torch.backends.cpu.get_cpu_capability(), *libraries)


def _digest(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()
