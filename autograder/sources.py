"""The source notebooks, as nbgrader needs them: built from their text where they are not fresh."""

from collections.abc import Iterable
from pathlib import Path

from autograder.chapter import CHECKS, chapter_names, load, solutions_folder


def ensure_sources(root: Path, released: str) -> None:
    """Build the source notebooks that are missing or older than their text.

    released: the folder of the root in which the chapters lie that learners have.
    """
    for name in chapter_names(root):
        folder = solutions_folder(root) / name
        built = [folder / f"{name}.ipynb", folder / CHECKS]
        made = min((path.stat().st_mtime for path in built if path.exists()), default=0.0)
        if not all(path.exists() for path in built) or made < _newest(folder.glob("*.[mp][dy]")):
            from autograder import source  # and torch, which few of nbgrader's commands need

            source.write(load(root, name), root / released / name)
            for path in built:
                path.touch()


def _newest(paths: Iterable[Path]) -> float:
    return max(path.stat().st_mtime for path in paths)
