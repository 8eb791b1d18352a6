"""Long work as a person follows it: progress while it runs, a table when it is done."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

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
from autograder.course.dates import Dates
from autograder.course.mutation import scores
from autograder.course.selftest import Report, selftest
from autograder.grading.changes import Change, told, write_changes
from autograder.grading.class_run import ClassRun
from autograder.grading.results import Row
from autograder.judging.verdict import Kind
from autograder.notebooks.chapter import Chapter
from autograder.sandbox.sandbox import Sandbox
from autograder.showing.grid import grid
from autograder.showing.wording import printable

SHOWN = 50  # changes; whoever has more reads them in a file


def announce(run: ClassRun, changes: list[Change]) -> None:
    """Print whose marks would change and by how much; a long list goes into a file."""
    title = f"{run.name}: marks that differ from earlier ones"
    table = grid("student", "exercise", "before", "after", "reason", title=title)
    for change in changes[:SHOWN]:
        reason = "handed in again" if change.handed_in_again else "graded again"
        cells = (change.student, change.exercise, change.before or "–", change.after or "–", reason)
        table.add_row(*(Text(printable(str(cell))) for cell in cells))
    Console().print(table)
    if len(changes) > SHOWN:
        path = run.course.journal(run.name).with_suffix(".changes.jsonl")
        write_changes(path, changes)
        print(f"These are {SHOWN} of {len(changes)}; all are in {path}.")
    print(f"{told(changes, len(run.submissions))} Marks and comments given by hand stay.")


def selftest_table(chapter: Chapter, confined: bool) -> int:
    """Print the table of `attn selftest`; returns 1 if anything falls short of all."""
    if unfinished := rules.unfinished(chapter):
        return _told(chapter.name, unfinished, "still to write")
    table = Table(title=f"Self-test of {chapter.name}", title_justify="left")
    table.add_column("exercise", no_wrap=True)
    for column in ("rejected", "named by own hint", "variants accepted", "reference"):
        table.add_column(column, justify="right", overflow="fold")
    faults = []
    with Sandbox(confined) as sandbox, progress() as bar:
        task = bar.add_task(f"Testing {chapter.name}", total=len(chapter.exercises))
        for report in selftest(chapter, sandbox):
            table.add_row(*_cells(report))
            faults += report.faults
            bar.advance(task)
    Console().print(table)
    return _told(chapter.name, [*faults, *rules.of_book(chapter)], "to correct")


def mutants_table(chapter: Chapter, confined: bool) -> int:
    """Print the table of `attn selftest --mutants`; returns 1 if a survivor is not explained."""
    table = grid("exercise", "mutants", "rejected", "named", "explained", "survivors",
                 title=f"Mutants of {chapter.name}")  # fmt: skip
    faults = []
    with Sandbox(confined) as sandbox, progress() as bar:
        task = bar.add_task(f"Mutating {chapter.name}", total=len(chapter.exercises))
        for score in scores(chapter, sandbox):
            numbers = (score.mutants, score.rejected, score.named, score.explained)
            table.add_row(score.exercise, *map(str, (*numbers, len(score.survivors))))
            faults += [f"{score.exercise}: passes: {name}" for name in score.survivors]
            faults += [f"{score.exercise}: explained, but does not pass: {name}"
                       for name in score.stale]  # fmt: skip
            bar.advance(task)
    Console().print(table)
    return _told(chapter.name, faults, "to look at")


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
    console = Console(highlight=False, markup=False, emoji=False)
    count = len(run.submissions)
    title = f"{run.name}: {count} submission{'' if count == 1 else 's'}"
    console.print(_exercises(title, run.rows()))
    for student, why in _with_nothing(run.rows()):
        console.print(f"Nothing to grade for {printable(student)}: {printable(why)}")
    for student, note in run.notes():
        console.print(f"Note on {printable(student)}: {printable(note)}")
    dates = Dates(run.course, run.name).told(run.submissions)
    for sentence in [*run.course.passed_over(run.name), *dates]:
        console.print(printable(sentence))


def _exercises(title: str, students: Iterable[list[Row]]) -> Table:
    kinds, slips = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
    for row in chain.from_iterable(students):
        kinds[row["exercise"]][row["verdict"]] += 1
        if row["misconception"]:
            slips[row["exercise"]][row["misconception"]] += 1
    table = grid("exercise", "passed", "most common misconception", "other verdicts", title=title)
    for exercise, counts in kinds.items():
        common = ", ".join(f"{slip} ({times})" for slip, times in slips[exercise].most_common(1))
        others = ", ".join(f"{kind} {n}" for kind, n in counts.most_common() if kind != Kind.PASSED)
        table.add_row(exercise, f"{counts[Kind.PASSED]} of {counts.total()}", common, others)
    return table


def _with_nothing(students: Iterable[list[Row]]) -> Iterator[tuple[str, str]]:
    """Whose exercises are all missing, for the one reason that is said of each."""
    for rows in students:
        reasons = {row["message"] for row in rows}
        if len(reasons) == 1 and {row["verdict"] for row in rows} == {Kind.MISSING}:
            yield rows[0]["student"], reasons.pop()


class _Rate(ProgressColumn):
    """How many a second, once that is known."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "")


def progress() -> Progress:
    """A bar on the error stream, with how many are done and how long the others take."""
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate(),
               TimeRemainingColumn()]  # fmt: skip
    return Progress(*columns, console=Console(stderr=True))
