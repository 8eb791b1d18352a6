"""This module prints what `attn check` and `attn status` found, and tells GitHub."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from autograder.common.errors import CourseError
from autograder.judging.verdict import NOT_WRITTEN, Kind
from autograder.learner.status import Status, current
from autograder.showing.card import Card
from autograder.showing.unstyled import unstyled
from autograder.showing.wording import mark, plain_html, points, printable

if TYPE_CHECKING:  # it needs Linux, and `attn status` does not
    from autograder.learner.clean_run import CleanRun

CONFINED = "It ran in a process of its own, confined by bubblewrap as the grader confines it."
UNCONFINED = (
    "It ran in a process of its own, not confined, since bubblewrap cannot be used here. The "
    "grader confines it: no network, no further process or thread, no files but its own."
)
OWN = (
    "An exercise that uses an earlier one fails here if that one fails. The grader puts a right "
    "one in its place, and tries further cases."
)


def clean_run_table(run: "CleanRun") -> int:
    """Print a card for each exercise that fails, then a table of all; 0 if all of them pass."""
    to_do = [verdict for verdict in run.verdicts.values() if verdict.kind != Kind.PASSED]
    failed = [verdict for verdict in to_do if verdict.sentence != NOT_WRITTEN]
    for verdict in failed:
        print(Card(verdict), end="\n\n")
    table = _table("exercise", "points", "verdict")
    for verdict in run.verdicts.values():
        given = mark(verdict.points, verdict.max_points)
        word = "not written yet" if verdict.sentence == NOT_WRITTEN else verdict.kind
        table.add_row(verdict.exercise, given, word)
    total = sum(verdict.max_points for verdict in run.verdicts.values())
    earned = sum(verdict.points or 0 for verdict in run.verdicts.values())
    table.add_section()
    table.add_row("all", f"{earned:g} of {total:g}", f"{len(to_do)} to go" if to_do else "passed")
    Console().print(table)
    for note in [*run.notes, CONFINED if run.confined else UNCONFINED, *([OWN] if failed else [])]:
        print(printable(note))
    return 1 if to_do else 0


def status_table(chapters: list[Status]) -> int:
    """Print one row for each chapter, and what to do next."""
    table = _table("chapter", "exercises", "points", "minutes left")
    for chapter in chapters:
        left = "?" if chapter.minutes is None else str(chapter.minutes)
        table.add_row(printable(chapter.chapter), chapter.done, chapter.points, left)
    Console().print(table)
    now = current(chapters)
    print(printable(f"{now.chapter}: {now.next}"))
    return 0


def _table(first: str, *others: str) -> Table:
    table = Table()
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="left" if name == "verdict" else "right", overflow="fold")
    return table


SUMMARY = "GITHUB_STEP_SUMMARY"
NOWHERE = (
    f"--github is for a GitHub workflow, which sets {SUMMARY}. Elsewhere leave it out: attn "
    "check NOTEBOOK"
)
LIMIT = 1_000_000  # bytes; GitHub shows no summary of more than 1 MiB
CUT = "The other cards are in the log.\n"


def summary_file() -> Path:
    """Return the file that GitHub shows as the step's summary. Raises CourseError without one."""
    if given := os.environ.get(SUMMARY):
        return Path(given)
    raise CourseError(NOWHERE)


def tell_github(run: "CleanRun", name: str, summary: Path) -> None:
    """Add to the summary, and print the annotations that GitHub Classroom reads points from.

    https://docs.github.com/actions/reference/workflow-commands-for-github-actions says what a
    summary and an annotation are, src/notify-classroom.js of GitHub's
    classroom-resources/autograding-grading-reporter which annotations have points.
    """
    with summary.open("a", encoding="utf-8") as file:
        file.write(as_markdown(run, name))
    earned, total = _points(run)
    report = json.dumps({"totalPoints": earned, "maxPoints": total})
    print(f"::notice title=Autograding complete::Points {earned:g}/{total:g}")
    print(f"::notice title=Autograding report::{report}")


def as_markdown(run: "CleanRun", name: str) -> str:
    """Write a table of all exercises, then the card of each that fails, as Markdown."""
    earned, total = _points(run)
    rows = [
        f"<tr><td><code>{plain_html(verdict.exercise)}</code></td>"
        f"<td>{mark(verdict.points, verdict.max_points)}</td>"
        f"<td>{'not written yet' if verdict.sentence == NOT_WRITTEN else verdict.kind}</td></tr>"
        for verdict in run.verdicts.values()
    ]
    head = "<tr><th>exercise</th><th>points</th><th>verdict</th></tr>"
    parts = [
        f"## {name}: {earned:g} of {points(total)} on the public cases",
        f"<table>{head}{''.join(rows)}</table>",
        *(
            unstyled(verdict)
            for verdict in run.verdicts.values()
            if verdict.kind != Kind.PASSED and verdict.sentence != NOT_WRITTEN
        ),
        *(f"<p>{plain_html(note)}</p>" for note in run.notes),
    ]
    return _cut(parts)


def _cut(parts: list[str]) -> str:
    """Keep as many of the parts as GitHub shows; an empty line ends what is HTML."""
    kept, size = [], 0
    for part in parts:
        size += len(part.encode()) + 2
        if size > LIMIT:
            kept.append(CUT)
            break
        kept.append(f"{part}\n\n")
    return "".join(kept)


def _points(run: "CleanRun") -> tuple[float, float]:
    verdicts = run.verdicts.values()
    return sum(v.points or 0 for v in verdicts), sum(v.max_points for v in verdicts)
