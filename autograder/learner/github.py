"""`attn check` tells GitHub the cards as the job's summary, the points as an annotation."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.common.errors import CourseError
from autograder.judging.verdict import NOT_WRITTEN, Kind
from autograder.showing.unstyled import unstyled
from autograder.showing.wording import mark, plain_html, points

if TYPE_CHECKING:  # it needs Linux, and `attn status` does not
    from autograder.learner.clean_run import CleanRun

SUMMARY = "GITHUB_STEP_SUMMARY"
NOWHERE = (
    f"--github is for a workflow of GitHub, which sets {SUMMARY}. Elsewhere leave it out: attn "
    "check NOTEBOOK"
)
LIMIT = 1_000_000  # bytes; GitHub shows no summary of more than 1 MiB
CUT = "The other cards are in the log.\n"


def summary_file() -> Path:
    """The file that GitHub shows as the step's summary. Raises CourseError outside a workflow."""
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
    """A table of all exercises, then the card of each that fails; Markdown is only what is ours."""
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
