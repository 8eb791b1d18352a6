"""Long work as a person follows it: progress while it runs, a table when it is done."""

from collections import Counter, defaultdict
from functools import partial

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from autograder.course import rules
from autograder.course.course import Course
from autograder.course.dates import Dates
from autograder.course.selftest import Report, selftest
from autograder.grading.changes import Change, told, write_changes
from autograder.grading.class_run import ClassRun
from autograder.grading.session import local_executor
from autograder.judging.verdict import Kind
from autograder.notebooks.chapter import Chapter
from autograder.sandbox.sandbox import Sandbox
from autograder.showing.wording import printable

SHOWN = 50  # changes; whoever has more reads them in a file


def grade_with_progress(
    course: Course, name: str, seed: str, *, force: bool, confined: bool, device: str,
    scheduler: str | None, insecure: bool,
) -> ClassRun:  # fmt: skip
    """Grade a class with a progress bar; marks that differ from earlier ones are not written.

    scheduler: the address of a Dask scheduler whose workers grade; None for this computer.
    insecure: without TLS, even where others may reach it.
    device: "cuda" for the GPU too.
    """
    course.released(name)
    given = course.root, name, seed, confined, device
    if scheduler:
        from autograder.grading import cluster
        from autograder.grading.scheduler import Scheduler

        there = Scheduler(scheduler, insecure)
        there.check()
        run = ClassRun(course, name, seed, cluster.AHEAD, device)
        executors = partial(cluster.cluster_executor, there, *given)
    else:
        Sandbox(confined, device).check(course.root)
        run = ClassRun(course, name, seed, device=device)
        executors = partial(local_executor, *given)
    with _progress() as bar:
        task = bar.add_task(f"Grading {name}", total=len(run.submissions))
        for _ in run.grade(executors, force):
            bar.advance(task)
    return run


def announce(run: ClassRun, found: list[Change]) -> None:
    """Print whose marks would change and by how much; a long list goes into a file."""
    table = Table(title=f"{run.name}: marks that differ from earlier ones", title_justify="left")
    for column in ("student", "exercise", "before", "after", "reason"):
        table.add_column(column, overflow="fold")
    for change in found[:SHOWN]:
        reason = "handed in again" if change.handed_in_again else "graded again"
        cells = (change.student, change.exercise, change.before or "–", change.after or "–", reason)
        table.add_row(*(Text(printable(str(cell))) for cell in cells))
    Console().print(table)
    if len(found) > SHOWN:
        path = run.course.journal(run.name).with_suffix(".changes.jsonl")
        write_changes(path, found)
        print(f"These are {SHOWN} of {len(found)}; all are in {path}.")
    print(f"{told(found, len(run.submissions))} Marks and comments given by hand stay.")


def selftest_table(chapter: Chapter, confined: bool) -> int:
    """Print the table of `attn selftest`; returns 1 if anything falls short of all."""
    if unfinished := rules.unfinished(chapter):
        return _told(chapter.name, unfinished, "still to write")
    table = Table(title=f"Self-test of {chapter.name}", title_justify="left")
    table.add_column("exercise", no_wrap=True)
    for column in ("rejected", "named by own hint", "variants accepted", "reference"):
        table.add_column(column, justify="right", overflow="fold")
    faults = []
    with Sandbox(confined) as sandbox, _progress() as bar:
        task = bar.add_task(f"Testing {chapter.name}", total=len(chapter.exercises))
        for report in selftest(chapter, sandbox):
            table.add_row(*_cells(report))
            faults += report.faults
            bar.advance(task)
    Console().print(table)
    return _told(chapter.name, [*faults, *rules.of_book(chapter)], "to correct")


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


def summary(run: ClassRun) -> None:
    """Print a row for each exercise, and a line for each student with nothing to grade."""
    kinds, slips = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
    console = Console(highlight=False, markup=False, emoji=False)
    nothing = []
    for rows in run.rows():
        for row in rows:
            kinds[row["exercise"]][row["verdict"]] += 1
            slips[row["exercise"]].update([row["misconception"]] if row["misconception"] else [])
        said = {row["message"] for row in rows}
        if len(said) == 1 and {row["verdict"] for row in rows} == {Kind.MISSING}:
            nothing.append(f"{printable(rows[0]['student'])}: {printable(said.pop())}")
    count = len(run.submissions)
    title = f"{run.name}: {count} submission{'s' * (count != 1)}"
    console.print(_table(title, kinds, slips))
    for line in nothing:
        console.print(f"Nothing to grade for {line}")
    for student, note in run.notes():
        console.print(f"Note on {printable(student)}: {printable(note)}")
    dates = Dates(run.course, run.name).told(run.submissions)
    for sentence in [*run.course.passed_over(run.name), *dates]:
        console.print(printable(sentence))


def _table(title: str, kinds: dict[str, Counter[str]], slips: dict[str, Counter[str]]) -> Table:
    table = Table(title=title, title_justify="left")
    for column in ("exercise", "passed", "most common misconception", "other verdicts"):
        table.add_column(column, overflow="fold")
    for exercise, found in kinds.items():
        common = ", ".join(f"{slip} ({times})" for slip, times in slips[exercise].most_common(1))
        others = ", ".join(f"{kind} {n}" for kind, n in found.most_common() if kind != Kind.PASSED)
        table.add_row(exercise, f"{found[Kind.PASSED]} of {found.total()}", common, others)
    return table


class _Rate(ProgressColumn):
    """How many a second, once that is known."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "")


def _progress() -> Progress:
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate(),
               TimeRemainingColumn()]  # fmt: skip
    return Progress(*columns, console=Console(stderr=True))
