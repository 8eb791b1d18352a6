"""Run experiments again and say what became of each number that the pages quote.

    python book/measure.py [--keep] [NAME…]
    python book/measure.py --words NAME…

Fresh records go to build/measured and stay there: what was stopped or killed goes on with the same
command, and what these very scripts have measured with the same kernels is not measured again. To
measure it anew, delete its record there. `--keep` puts fresh records in the place of those that
pages quote. `--words` measures nothing: it puts the claims, as the scripts word them now, into the
records that pages quote.
"""

import argparse
import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

EXPERIMENTS = Path(__file__).parent / "experiments"
SOLUTIONS = Path(__file__).parents[1] / "solutions"
sys.path.insert(0, str(EXPERIMENTS))
import measurements  # noqa: E402  (lies with the experiments, which run as plain scripts)
import moved  # noqa: E402
from machine import this_machine  # noqa: E402
from measurements import number  # noqa: E402
from runner import Runner, cores, last_line, log  # noqa: E402
from verdicts import Claim  # noqa: E402

LISTING = measurements.FRESH / "numbers.txt"


def main() -> int:
    given = _arguments()
    if given.words:
        return reword(given.names)
    names = given.names or [name for name in scripts() if runs_here(name)]
    try:
        failed = run([name for name in names if not is_fresh(name)])
    except KeyboardInterrupt:
        print("Stopped. The same command goes on where it was.")
        return 130
    found = {name: moved.compare(name) for name in names if name not in failed}
    lost = tell(found, every=bool(given.names))
    for name in failed:
        print(f"{name} failed: {last_line(name)} (more in {_short(log(name))})")
    if failed:
        return 1
    measured = [*found] if given.names else [*found, summary(found)]
    if given.keep:
        return keep(measured)
    return 1 if lost else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="measure", description="Run experiments again.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="an experiment; by default all")
    parser.add_argument("--keep", action="store_true",
                        help="put the fresh records where the pages read them")  # fmt: skip
    parser.add_argument("--words", action="store_true",
                        help="only put the claims of the scripts into the records")  # fmt: skip
    given = parser.parse_args()
    if unknown := sorted({*given.names} - {*scripts()}):
        known = " ".join(scripts())
        parser.error(f"no experiment is called {', '.join(unknown)}. There are: {known}")
    return given


def run(names: list[str]) -> list[str]:
    """Run these, those that measure the machine alone; returns the names of those that failed."""
    with Runner(names) as runner:
        runner.run([name for name in names if not of_machine(name)], cores())
        runner.run([name for name in names if of_machine(name)], 1)
    return runner.failed


def scripts() -> list[str]:
    """Names of all experiments that write a record."""
    return sorted(p.stem for p in EXPERIMENTS.glob("*.py") if "save(__file__" in p.read_text())


def runs_here(name: str) -> bool:
    """Whether this machine has the GPU that it measures, if it measures one."""
    needs = "use_gpu()" in (EXPERIMENTS / f"{name}.py").read_text()
    return not needs or torch.cuda.is_available()


def of_machine(name: str) -> bool:
    """Whether it measures time or memory, and so must run alone."""
    return any("of_machine(" in path.read_text() for path in _sources(name))


def is_fresh(name: str) -> bool:
    """Whether it was measured here since its script, or one that this imports, was last changed."""
    record = measurements.FRESH / f"{name}.json"
    changed = max(path.stat().st_mtime for path in _sources(name))
    if not record.exists() or record.stat().st_mtime <= changed:
        return False
    return measurements.load(name, measurements.FRESH)["machine"] == this_machine()


def _sources(name: str) -> set[Path]:
    """The script, what it imports of other experiments, and exercises where it measures them."""
    found: set[Path] = set()
    new = {EXPERIMENTS / f"{name}.py"}
    while new:
        found |= new
        new = {other for path in new for other in _imported(path)} - found
    if EXPERIMENTS / "outdated.py" in found:  # what it measures is exercises
        found |= {path for kind in ("*.py", "*.md") for path in SOLUTIONS.rglob(kind)}
    return found


def _imported(path: Path) -> set[Path]:
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    named = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    named |= {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    beside = {
        EXPERIMENTS / f"{name}.py" for name in named - {"measurements", "machine", "verdicts"}
    }
    return {other for other in beside if other.exists()}


def tell(found: dict[str, moved.Comparison], every: bool) -> list[str]:
    """Print what became of the numbers: each one if so asked, else those that moved.

    Returns a sentence for each verdict that is no longer what it was. A listing of all numbers is
    written beside the fresh records.
    """
    lines = [line for name, one in found.items() for line in _lines(name, one.numbers)]
    LISTING.write_text("\n".join(lines) + "\n", encoding="utf-8")
    Console(width=110, highlight=False).print(_table(found))
    print("\n".join(line for line in lines if every or f" {moved.MOVED}" in line))
    lost = [f"{name}: {sentence}" for name, one in found.items() for sentence in one.lost]
    print("\n".join(lost) or "No verdict changes.")
    print(f"Every number is in {_short(LISTING)}.")
    return lost


def summary(found: dict[str, moved.Comparison]) -> str:
    """Write the record of a whole run, which the page on measuring quotes; returns its name."""
    every = [*found.values()]
    counts = {kind: sum(one.count(kind) for one in every) for kind in moved.KINDS}
    numbers = {kind.replace(" ", "_"): number(count, "d") for kind, count in counts.items()}
    numbers["numbers"] = number(sum(counts.values()), "d")
    numbers["experiments"] = number(len(every), "d")
    numbers["lost"] = number(sum(len(one.lost) for one in every), "d")
    numbers["before"] = number("; ".join(sorted({one.machine for one in every})))
    numbers["now"] = number(this_machine())
    return measurements.save(__file__, numbers, [], []).stem


def _table(found: dict[str, moved.Comparison]) -> Table:
    table = Table("experiment", title="Measured again")
    for heading in ("took", "numbers", *moved.KINDS):
        table.add_column(heading, justify="right")
    for name, one in found.items():
        counts = [str(one.count(kind) or "") for kind in moved.KINDS]
        table.add_row(name, measurements.duration(one.seconds), str(len(one.numbers)), *counts)
    table.add_section()
    every = [*found.values()]
    counts = [str(sum(one.count(kind) for one in every)) for kind in moved.KINDS]
    table.add_row("all", measurements.duration(sum(one.seconds for one in every)),
                  str(sum(len(one.numbers) for one in every)), *counts)  # fmt: skip
    return table


def _lines(name: str, numbers: list[moved.Compared]) -> list[str]:
    lines = []
    for one in numbers:
        kind = f"{one.kind}, by {one.by}" if one.by else one.kind
        change = one.before if one.before == one.now else f"{one.before} → {one.now}"
        lines.append(f"{name}:{one.key} {kind}: {change}")
    return lines


def keep(names: list[str]) -> int:
    """Replace the records that pages quote; refuses one whose verdict does not follow from it."""
    return _each(names, measurements.keep)


def reword(names: list[str]) -> int:
    """Put the claims of these scripts into their records, which keep their numbers."""
    return _each(names, lambda name: measurements.reword(name, _claims(name)))


def _claims(name: str) -> list[Claim]:
    """As the script states them. Raises ValueError if one says more than was measured."""
    return list(getattr(importlib.import_module(name), "CLAIMS", ()))


def _each(names: list[str], change: Callable[[str], Path]) -> int:
    for name in names:
        try:
            print(f"Kept {_short(change(name))}")
        except ValueError as error:
            print(f"{name}: {error}")
            return 1
    return 0


def _short(path: Path) -> Path:
    return path.relative_to(EXPERIMENTS.parents[1])


if __name__ == "__main__":
    sys.exit(main())
