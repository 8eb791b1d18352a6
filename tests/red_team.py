"""Attacks on the grader: each file of tests/attacks/ is a hostile submission and its verdict.

    python tests/red_team.py

prints what each attack tries, the verdict it must get and the one it got, and then whether a file
outside the sandbox changed and whether a process was left.
"""

import hashlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import jupytext
import nbformat
from rich.console import Console
from rich.table import Table

from autograder.chapters.solutions import load
from autograder.chapters.source_notebook import build
from autograder.common.cell import Cell
from autograder.grading.results import rows
from autograder.judging.grader import Grader
from autograder.judging.verdict import Kind, Verdict
from autograder.notebooks.chapter import reference_cells
from autograder.sandbox import sandbox as sandboxes
from autograder.sandbox.bubblewrap import SandboxUnavailable
from autograder.sandbox.sandbox import Sandbox
from autograder.showing.outputs import write_outputs

HERE = Path(__file__).parent
REPOSITORY = HERE.parent
CHAPTERS = ("01_toy", "02_more", "03_changes")
MARK = "red_team_was_here"  # every file that an attack tries to leave behind is named so
STEP_SECONDS, MEMORY = 1.0, 24 * 2**20  # less than in earnest, so that the corpus is quick
VERDICT = re.compile(r"^verdict(?: (\w+))?: (\w+)$", re.MULTILINE)
UNDEFENDED = re.compile(r"^undefended: (.+)$", re.MULTILINE)
PATIENCE_SECONDS, USUAL_PROCESSES = 60.0, 3
SOURCES = {".py", ".md", ".ipynb", ".safetensors"}
NOTEBOOK_BYTES, ROW_CHARACTERS = 50_000, 3_000


@dataclass(frozen=True)
class Attack:
    """What a file of tests/attacks/ says.

    tries: a sentence. cells: by exercise, the source that replaces the reference solution.
    verdicts: by exercise, the verdict it must get; every other exercise must pass.
    undefended: why the verdict that it must get is not the one it gets today, or "".
    """

    name: str
    tries: str
    cells: dict[str, str]
    verdicts: dict[str, str]
    undefended: str


def read(path: Path) -> Attack:
    """Raises ValueError if the file lacks its verdict or replaces no exercise."""
    first, *cells = jupytext.read(path, fmt="py:percent").cells
    said = first.source.strip('"\n')
    sources = {cell.metadata["title"]: cell.source for cell in cells}
    found = dict(VERDICT.findall(said))
    if not sources or not found:
        raise ValueError(f"{path} needs a line `verdict: KIND` and a cell `# %% exercise`")
    everywhere = dict.fromkeys(sources, found.pop("", Kind.PASSED))
    undefended = UNDEFENDED.search(said)
    return Attack(
        path.stem,
        " ".join(said.split("\n\n")[0].split()),
        sources,
        everywhere | found,
        undefended[1] if undefended else "",
    )


def attacks() -> list[Attack]:
    """All of them, sorted by name."""
    return [read(path) for path in sorted((HERE / "attacks").glob("*.py"))]


class Range:
    """The toy chapters with their checks, and the sandbox that the attacks are run in."""

    def __init__(self, sandbox: Sandbox):
        self.sandbox = sandbox
        chapters = [load(HERE / "toy_course", name) for name in CHAPTERS]
        self.graders = [Grader(chapter, "secret", sandbox) for chapter in chapters]

    def grade(self, attack: Attack) -> dict[str, Verdict]:
        """The verdicts of every exercise of the chapter, with the attack's cells in it."""
        grader = self._grader(attack)
        cells = [
            Cell(cell.name, attack.cells.get(cell.name, cell.source))
            for cell in reference_cells(grader.chapter)
        ]
        return grader.grade(cells)

    def wanted(self, attack: Attack) -> dict[str, str]:
        """The kind of verdict that every exercise must get."""
        return dict.fromkeys(self._grader(attack).checks, Kind.PASSED) | attack.verdicts

    def feedback_fits(self, attack: Attack, verdicts: dict[str, Verdict]) -> bool:
        """Whether what the student is told is short and can be written to every file we write."""
        notebook = deepcopy(build(self._grader(attack).chapter))
        write_outputs(notebook, verdicts)
        written = nbformat.writes(notebook).encode()
        row = json.dumps(rows("ada", "chapter", verdicts), ensure_ascii=False).encode()
        return len(written) < NOTEBOOK_BYTES and len(row) < ROW_CHARACTERS * len(verdicts)

    def honest(self) -> set[str]:
        """The kinds of verdict that the reference solutions get."""
        return {
            verdict.kind
            for grader in self.graders
            for verdict in grader.grade(reference_cells(grader.chapter)).values()
        }

    def processes_left(self) -> int:
        """How many processes there are besides bubblewrap, its own first one and the worker.

        The last submission's may be about to end, so it is given some time.
        """
        process, due = self.sandbox._process, time.monotonic() + PATIENCE_SECONDS
        while (found := _below(process) - USUAL_PROCESSES) > 0 and time.monotonic() < due:
            time.sleep(0.05)
        return found

    def _grader(self, attack: Attack) -> Grader:
        return next(g for g in self.graders if attack.cells.keys() <= g.checks.keys())


def _below(process: subprocess.Popen[bytes] | None) -> int:
    return len(list(_descendants(process.pid))) if process else USUAL_PROCESSES


def _descendants(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*"):
        with suppress(OSError):  # it ended meanwhile
            for child in (task / "children").read_text().split():
                yield from _descendants(int(child))


@contextmanager
def quick() -> Iterator[None]:
    """Less patience and memory for a submission than in earnest."""
    earnest = sandboxes.STEP_SECONDS, sandboxes.MEMORY
    sandboxes.STEP_SECONDS, sandboxes.MEMORY = STEP_SECONDS, MEMORY
    try:
        yield
    finally:
        sandboxes.STEP_SECONDS, sandboxes.MEMORY = earnest


def outside() -> dict[str, str]:
    """What no submission may change: a digest of every file it might reach for, by path.

    The course and the engine by content; devices, home and system folders by mode and size; and
    whatever bears the name that the attacks give to what they write.
    """
    found = {}
    for folder in ("autograder", "solutions", "exercises", "tests"):
        for path in (REPOSITORY / folder).rglob("*"):
            if path.is_file() and path.suffix in SOURCES:
                found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest() + _status(path)
    for path in map(Path, ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/etc", "/usr/bin",
                           "/usr/lib", sys.prefix, sys.base_prefix)):  # fmt: skip
        found[str(path)] = _status(path)
    for folder in ("/", "/tmp", "/var/tmp", "/dev/shm", "/usr/bin", sys.prefix, Path.home()):
        found |= {str(path): "left behind" for path in Path(folder).glob(f"*{MARK}*")}
    for path in Path.home().glob(".*"):
        if path.is_file() and "history" not in path.name:
            found[str(path)] = _status(path)
    return found


def _status(path: Path) -> str:
    """Mode, owner and, where it is no device that all the world writes to, size and time."""
    if not path.exists():
        return "none"
    status = path.stat()
    kept = (status.st_mode, status.st_uid, status.st_gid)
    return str(kept if path.parent == Path("/dev") else (*kept, status.st_size, status.st_mtime_ns))


def main() -> int:
    table = Table(title_justify="left")
    for column in ("attack", "what it tries", "wanted", "got", "seconds"):
        table.add_column(column, overflow="fold")
    with Sandbox() as sandbox, quick():
        try:
            sandbox.check()
        except SandboxUnavailable as error:
            print(error)
            return 2
        ground, before = Range(sandbox), outside()
        honest = ground.honest()
        everything = attacks()
        failed = [attack.name for attack in everything if not _try(ground, attack, table)]
        honest |= ground.honest()
        left = ground.processes_left()
        after = outside()
    Console(width=None if sys.stdout.isatty() else 160).print(table)
    changed = sorted(path for path in before.keys() | after.keys()
                     if before.get(path) != after.get(path))  # fmt: skip
    print(f"{len(everything)} attacks; {len(failed)} with another verdict than they must get"
          f"{': ' + ', '.join(failed) if failed else ''}")  # fmt: skip
    print(f"Files changed outside the sandbox: {', '.join(changed) or 'none'}")
    print(f"Processes left: {left or 'none'}")
    print(f"Honest submissions before and after: {', '.join(sorted(honest))}")
    return int(bool(failed or changed or left or honest != {Kind.PASSED}))


def _try(ground: Range, attack: Attack, table: Table) -> bool:
    """Run one attack and add its row; whether it got the verdicts it must get."""
    began = time.monotonic()
    verdicts = ground.grade(attack)
    seconds = time.monotonic() - began
    got = {name: verdict.kind for name, verdict in verdicts.items()}
    wanted = ground.wanted(attack)
    shown = [name for name in got if name in attack.verdicts or got[name] != wanted[name]]
    said = ["\n".join(f"{name} {kinds[name]}" for name in shown) for kinds in (wanted, got)]
    fits = ground.feedback_fits(attack, verdicts)
    note = "" if fits else "\nFEEDBACK TOO LONG"
    note += f"\nnot defended: {attack.undefended}" if attack.undefended else ""
    table.add_row(attack.name, attack.tries, said[0], said[1] + note, f"{seconds:.1f}")
    return (got == wanted and fits) != bool(attack.undefended)


if __name__ == "__main__":
    sys.exit(main())
