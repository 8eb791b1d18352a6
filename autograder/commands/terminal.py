"""Long work as a person follows it: progress while it runs, a table when it is done."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
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

from autograder.course.dates import Dates
from autograder.course.roster import Roster
from autograder.grading.changes import Change, in_one_sentence, write_changes
from autograder.grading.class_run import ClassRun
from autograder.grading.results import Row
from autograder.judging.verdict import Kind
from autograder.showing.grid import grid
from autograder.showing.wording import mark, printable

SHOWN = 50  # changes; whoever has more reads them in a file


def announce(run: ClassRun, changes: list[Change], known: Roster) -> None:
    """Print whose marks would change and by how much; a long list goes into a file."""
    title = f"{run.name}: marks that differ from earlier ones"
    table = grid("student", "exercise", "before", "after", "reason", title=title)
    for change in changes[:SHOWN]:
        reason = "handed in again" if change.handed_in_again else "graded again"
        who = known.named(change.student)
        cells = (who, change.exercise, change.before or "–", change.after or "–", reason)
        table.add_row(*(Text(printable(str(cell))) for cell in cells))
    Console().print(table)
    if len(changes) > SHOWN:
        path = run.course.journal(run.name).with_suffix(".changes.jsonl")
        write_changes(path, changes)
        print(f"These are {SHOWN} of {len(changes)}; all are in {path}.")
    print(f"{in_one_sentence(changes, len(run.chosen))} Marks and comments given by hand stay.")


def each_verdict(run: ClassRun, known: Roster) -> None:
    """Print a row for each exercise of each student who was chosen."""
    table = grid("student", "exercise", "points", "verdict", "misconception", title=run.name)
    rows = [row for row in chain.from_iterable(run.rows()) if row["student"] in run.chosen]
    told = ""
    for row in rows[:SHOWN]:
        who = "" if row["student"] == told else known.named(row["student"])
        given = mark(row["points"], row["max_points"])
        cells = (who, row["exercise"], given, row["verdict"], row["misconception"] or "")
        table.add_row(*map(printable, cells))
        told = row["student"]
    Console(highlight=False, markup=False, emoji=False).print(table)
    if len(rows) > SHOWN:
        print(f"{len(rows) - SHOWN} more are not listed.")
    _remarks(run, known, run.chosen)


def summary(run: ClassRun, known: Roster) -> None:
    """Print a row for each exercise, and a line for each student with nothing to grade."""
    console = Console(highlight=False, markup=False, emoji=False)
    count = len(run.chosen)
    title = f"{run.name}: {count} submission{'' if count == 1 else 's'}"
    of_chosen = (rows for rows in run.rows() if rows and rows[0]["student"] in run.chosen)
    console.print(_exercises(title, of_chosen))
    _remarks(run, known, run.chosen)
    for sentence in run.course.passed_over(run.name):
        console.print(printable(sentence))


def overview(runs: list[ClassRun], known: Roster) -> None:
    """Print a row for each of several chapters, and how to read what is to be said of students."""
    table = grid("chapter", "submissions", "exercises passed", "no verdict", "remarks")
    remarks = 0
    for run in runs:
        kinds = Counter(row["verdict"] for row in chain.from_iterable(run.rows()))
        said = len([*_said(run, known, run.chosen), *run.course.passed_over(run.name)])
        passed = f"{kinds[Kind.PASSED]} of {kinds.total()}"
        table.add_row(
            run.name,
            str(len(run.submissions)),
            passed,
            str(len(run.unjudged) or ""),
            str(said or ""),
        )
        remarks += said
    Console(highlight=False, markup=False, emoji=False).print(table)
    if remarks:
        print(
            "For the remarks on a chapter's submissions: attn grade CHAPTER. It grades nothing "
            "again."
        )


def _remarks(run: ClassRun, known: Roster, students: Collection[str]) -> None:
    """Print what is to be said of some students beside their verdicts, one line each."""
    console = Console(highlight=False, markup=False, emoji=False)
    for sentence in _said(run, known, students):
        console.print(sentence)


def _said(run: ClassRun, known: Roster, students: Collection[str]) -> Iterator[str]:
    for student, why in _with_nothing(run.rows()):
        if student in students:
            yield f"Nothing to grade for {printable(known.named(student))}: {printable(why)}"
    for student, note in run.notes():
        if student in students:
            yield f"Note on {printable(known.named(student))}: {printable(note)}"
    found = {student: run.submissions[student] for student in students}
    yield from map(printable, Dates(run.course, run.name).warnings(found, known.named))


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
    """The number per second, once that is known."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "")


def progress() -> Progress:
    """Return a bar on the error stream, with how many are done and how long the others take."""
    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
    ]
    return Progress(*columns, console=Console(stderr=True))
