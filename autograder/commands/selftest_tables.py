"""`attn selftest` prints these tables; its status is 1 if anything falls short of all."""

from collections.abc import Collection

from rich.console import Console
from rich.table import Table

from autograder.authoring import rules
from autograder.authoring.last_run import LastRun
from autograder.authoring.mutation import scores
from autograder.authoring.seeds import failures
from autograder.authoring.selftest import Report, selftest
from autograder.chapters.source_notebook import unfinished
from autograder.commands.terminal import progress
from autograder.notebooks.chapter import Chapter
from autograder.sandbox.sandbox import Sandbox
from autograder.showing.grid import grid


def selftest_table(chapter: Chapter, names: Collection[str], confined: bool) -> int:
    """Test the exercises of these names, or all; names are none where the chapter is meant."""
    if left := unfinished(chapter):
        return _told(chapter.name, left, "still to write")
    table = Table(title=f"Self-test of {chapter.name}", title_justify="left")
    table.add_column("exercise", no_wrap=True)
    for column in ("rejected", "named by own hint", "variants accepted", "reference"):
        table.add_column(column, justify="right", overflow="fold")
    faults, last_run = [], LastRun(chapter, confined)
    with Sandbox(confined) as sandbox, progress() as bar:
        task = bar.add_task(f"Testing {chapter.name}", total=len(names or chapter.exercises))
        for report in selftest(chapter, sandbox, names, last_run):
            table.add_row(*_cells(report))
            faults += report.faults
            bar.advance(task)
    Console().print(table)
    _tell_taken(last_run)
    if not names:
        faults += [*rules.of_answers(chapter), *rules.of_book(chapter)]
    return _told(chapter.name, faults, "to correct")


def mutants_table(chapter: Chapter, names: Collection[str], confined: bool) -> int:
    """Make mutants of the exercises of these names, or of all."""
    table = grid(
        "exercise",
        "mutants",
        "rejected",
        "named",
        "explained",
        "survivors",
        title=f"Mutants of {chapter.name}",
    )
    faults, last_run = [], LastRun(chapter, confined)
    with Sandbox(confined) as sandbox, progress() as bar:
        task = bar.add_task(f"Mutating {chapter.name}", total=len(names or chapter.exercises))
        for score in scores(chapter, sandbox, names, last_run):
            of, left = score.outcome, len(score.survivors)
            numbers = (of.mutants, score.rejected, of.named, score.explained, left)
            table.add_row(of.exercise, *map(str, numbers))
            faults += [f"{of.exercise}: passes: {name}" for name in score.survivors]
            faults += [
                f"{of.exercise}: explained, but does not pass: {name}" for name in score.stale
            ]
            bar.advance(task)
    Console().print(table)
    _tell_taken(last_run)
    return _told(chapter.name, faults, "to look at")


def seeds_table(chapter: Chapter, names: Collection[str], confined: bool, seeds: int) -> int:
    """Try right answers under many secret seeds, to these exercises or all; print what fails."""
    found = 0
    with Sandbox(confined) as sandbox, progress() as bar:
        task = bar.add_task(f"Trying {chapter.name}", total=seeds)
        for seed in range(1, seeds + 1):
            for fault in failures(chapter, sandbox, seed, names):
                print(fault, flush=True)
                found += 1
            bar.advance(task)
    what = f"{found} to correct" if found else "every right answer passes"
    print(f"{' '.join([chapter.name, *names])}: {what} under {seeds} seeds")
    return 1 if found else 0


def _tell_taken(last_run: LastRun) -> None:
    if last_run.taken:
        names = ", ".join(last_run.taken)
        print(f"Unchanged, so the last run stands: {names}. (It is kept in {last_run.path}.)")


def _told(name: str, faults: list[str], what: str) -> int:
    """Print the faults, one a line, and how many; returns 1 if there are any."""
    for fault in faults:
        print(fault)
    print(f"{name}: {f'{len(faults)} {what}' if faults else 'everything as it should be'}")
    return 1 if faults else 0


def _cells(report: Report) -> list[str]:
    return [
        report.exercise,
        f"{report.rejected} of {report.misconceptions}",
        f"{report.named} of {report.misconceptions}",
        f"{report.accepted} of {report.variants}",
        "passes" if report.reference else "FAILS",
    ]
