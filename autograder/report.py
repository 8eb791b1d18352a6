"""Long work as a person follows it: progress while it runs, a table when it is done."""

from collections import Counter

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from autograder.chapter import Chapter
from autograder.course import Course
from autograder.grade import ClassRun, local_executor
from autograder.judge import MISSING, PASSED
from autograder.results import Row
from autograder.sandbox import Sandbox
from autograder.selftest import Report, selftest


def grade_with_progress(
    course: Course, name: str, seed: str, *, force: bool, confined: bool
) -> list[Row]:
    """Grade a class with a progress bar and a table at the end; returns all rows."""
    course.released(name)
    Sandbox(confined).check()
    run, found = ClassRun(course, name, seed), list[Row]()
    with local_executor(course.root, name, seed, confined) as executor, _progress() as bar:
        task = bar.add_task(f"Grading {name}", total=len(run.submissions))
        for rows in run.grade(executor, force):
            found += rows
            bar.advance(task)
    _summary(name, len(run.submissions), found)
    return found


def selftest_table(chapter: Chapter, confined: bool) -> int:
    """Print the table of `attn selftest`; returns 1 if anything falls short of all."""
    table = Table(title=f"Self-test of {chapter.name}", title_justify="left")
    for column in ("exercise", "rejected", "named by own hint", "variants accepted", "reference"):
        table.add_column(
            column, justify="left" if column == "exercise" else "right", overflow="fold"
        )
    faults = []
    with _progress() as bar:
        task = bar.add_task(f"Testing {chapter.name}", total=len(chapter.exercises))
        for report in selftest(chapter, confined):
            table.add_row(*_cells(report))
            faults += [f"{report.exercise}: {fault}" for fault in report.faults]
            bar.advance(task)
    Console().print(table)
    for fault in faults:
        print(fault)
    print(
        f"{chapter.name}: {'everything as it should be' if not faults else f'{len(faults)} faults'}"
    )
    return 1 if faults else 0


def _cells(report: Report) -> list[str]:
    return [
        report.exercise,
        f"{report.rejected} of {report.misconceptions}",
        f"{report.named} of {report.misconceptions}",
        f"{report.accepted} of {report.variants}",
        "passes" if report.reference else "FAILS",
    ]


def _summary(name: str, count: int, found: list[Row]) -> None:
    table = Table(title=f"{name}: {count} submissions", title_justify="left")
    for column in ("exercise", "passed", "most common misconception", "other verdicts"):
        table.add_column(column, overflow="fold")
    for exercise in dict.fromkeys(row["exercise"] for row in found):
        rows = [row for row in found if row["exercise"] == exercise]
        slips = Counter(row["misconception"] for row in rows if row["misconception"])
        kinds = Counter(row["verdict"] for row in rows if row["verdict"] != PASSED)
        common = ", ".join(f"{slip} ({times})" for slip, times in slips.most_common(1))
        others = ", ".join(f"{kind} {times}" for kind, times in kinds.most_common())
        table.add_row(exercise, f"{len(rows) - kinds.total()} of {len(rows)}", common, others)
    console = Console(highlight=False)
    console.print(table)
    for student in sorted({row["student"] for row in found}):
        said = {row["message"] for row in found if row["student"] == student}
        if len(said) == 1 and {r["verdict"] for r in found if r["student"] == student} == {MISSING}:
            console.print(f"Nothing to grade for {escape(student)}: {escape(said.pop())}")


def _progress() -> Progress:
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
               TimeRemainingColumn()]  # fmt: skip
    return Progress(*columns, console=Console(stderr=True))
