"""From a chapter's zip to the first check on Linux, command by command: seconds, and megabytes.

    python tests/first_check.py [CHAPTER] [--torch-from URL]

The commands are those of the zip's README, run in a fresh folder and a fresh virtual environment:
once with nothing in pip's cache, once with what the first time left there. It needs the network, so
`make test` leaves it out. pip's own settings hold, such as PIP_CONSTRAINT. `--torch-from`: a mirror
of torch's index, where that one cannot be reached.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "book" / "_ext"), str(HERE.parent)]
import chapter_zip  # noqa: E402
import nbformat  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402
from taking_away import BEGIN, TORCH_FOR_CPU  # noqa: E402

from autograder.chapters.solutions import load  # noqa: E402
from autograder.common.cell import CHECK, grade_id  # noqa: E402
from autograder.common.files import REPOSITORY  # noqa: E402
from autograder.notebooks.chapter import reference  # noqa: E402

SIZE = re.compile(r"Downloading .*\(([\d.]+) (kB|MB|GB)\)$|Processing (/\S+\.whl)$", re.MULTILINE)
MEGABYTES = {"kB": 0.001, "MB": 1, "GB": 1000}
FIRST = "first.ipynb"
Row = tuple[str, float, float]  # a command, its seconds, and what it downloaded, in MB


def unzipped(name: str, place: Path) -> Path:
    """The chapter's folder as a learner has it."""
    folder = REPOSITORY / "exercises" / name
    content = chapter_zip.pack(name, chapter_zip.contents(folder))
    (place / "chapter.zip").write_bytes(content)
    with zipfile.ZipFile(place / "chapter.zip") as archive:
        archive.extractall(place)
    return place / name


def write_first_check(folder: Path) -> None:
    """The notebook up to its first check, with that exercise solved."""
    answers = reference(load(REPOSITORY, folder.name))
    notebook = nbformat.read(folder / f"{folder.name}.ipynb", as_version=4)
    names = [grade_id(cell) or "" for cell in notebook.cells]
    last = next(at for at, name in enumerate(names) if name.startswith(CHECK))
    notebook.cells = notebook.cells[: last + 1]
    for cell, name in zip(notebook.cells, names, strict=False):
        cell.source = answers.get(name, cell.source)
    nbformat.write(notebook, folder / FIRST)


def commands(name: str, index: str) -> list[str]:
    """The README's; the last starts a server, so the notebook is run in its place."""
    lines = BEGIN["Linux"].format(name=name, index=index).splitlines()
    parts = [part for line in lines[:-1] for part in line.split(" && ")]
    return [*parts, f".venv/bin/jupyter execute {FIRST}"]


def timed(command: str, folder: Path, cache: Path) -> Row:
    """Run one command; what it downloads is read from what pip says."""
    environment = {**os.environ, "PIP_CACHE_DIR": str(cache)}
    environment.pop("PYTHONPATH", None)
    began = time.perf_counter()
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, text=True,
                          capture_output=True, check=False)  # fmt: skip
    seconds = time.perf_counter() - began
    if done.returncode:
        raise SystemExit(f"{command} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return command, seconds, sum(map(_megabytes, SIZE.finditer(done.stdout)))


def _megabytes(found: re.Match[str]) -> float:
    if found[3]:
        return Path(found[3]).stat().st_size / 1e6
    return float(found[1]) * MEGABYTES[found[2]]


def once(name: str, index: str, cache: Path) -> list[Row]:
    with tempfile.TemporaryDirectory() as place:
        folder = unzipped(name, Path(place))
        write_first_check(folder)
        return [timed(command, folder, cache) for command in commands(name, index)]


def main(name: str, index: str) -> None:
    with tempfile.TemporaryDirectory() as cache:
        empty, filled = (once(name, index, Path(cache)) for _ in range(2))
    table = Table(title=f"From {name}.zip to the first check")
    table.add_column("command", overflow="fold")
    for column in ("cache empty, s", "MB", "cache filled, s", "MB"):
        table.add_column(column, justify="right")
    rows = [*zip(empty, filled, strict=True), (_all(empty), _all(filled))]
    for (command, *one), (_, *two) in rows:
        table.add_row(command, f"{one[0]:.1f}", f"{one[1]:.1f}", f"{two[0]:.1f}", f"{two[1]:.1f}")
    Console(width=110).print(table)


def _all(rows: list[Row]) -> Row:
    return "all", sum(row[1] for row in rows), sum(row[2] for row in rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="From a chapter's zip to the first check.")
    parser.add_argument("chapter", nargs="?", default="04_masks", metavar="CHAPTER")
    parser.add_argument("--torch-from", default=TORCH_FOR_CPU, metavar="URL")
    given = parser.parse_args()
    main(given.chapter, given.torch_from)
