"""`attn grade`: grade a class, announce marks that would change, say what is left to do."""

import argparse
import sys
from collections.abc import Iterator
from itertools import chain

from autograder.commands.group_work import spread_and_tell
from autograder.commands.late_work import tell_dates, tell_penalties
from autograder.commands.options import students_in
from autograder.commands.terminal import announce, each_verdict, overview, progress, summary
from autograder.course.course import Course
from autograder.course.roster import Roster, difference, refuse_absent, roster
from autograder.grading.attempts import choose_backend
from autograder.grading.class_run import ClassRun, grade
from autograder.grading.lock import grading
from autograder.grading.results import write_results
from autograder.showing.display import agreed
from autograder.showing.wording import printable

UNCHANGED = "The earlier marks stay. The same command asks once more, without grading again."
PENALTIES_FOLLOW = (
    "Penalties for being late follow the marks that stand and the dates: feedback, report and "
    "export recalculate them."
)


def grade_class(course: Course, given: argparse.Namespace) -> int:
    """Return 1 if a verdict is missing, marks stay as they were, or some were lost.

    Also if it is not known whether somebody was late, or which hand-in of a group counts.
    """
    with grading(course):
        known = roster(course)
        section = students_in(course, given)
        clear = [spread_and_tell(course, chapter, known) for chapter in given.chapters]
        for chapter in given.chapters:
            refuse_absent(course, chapter, given.student)
        runs = _graded(course, given, known, section)
        noted = [run.note_dates() for run in runs]
        settled = [_change_marks(run, known, given.yes) for run in runs]
        _show(runs, known, bool(given.student))
        for run, dates in zip(runs, noted, strict=True):
            tell_dates(run.name, dates, known)
        if given.results:
            write_results(given.results, chain.from_iterable(run.rows() for run in runs))
    for run in runs:
        if run.unjudged:
            _say_who_has_no_verdict(run, known)
        if run.lost:
            _say_what_was_lost(run)
    undecided = any(dates.due and dates.unread for dates in noted)
    done = all(settled) and not any(run.unjudged or run.lost for run in runs)
    return 0 if done and all(clear) and not undecided else 1


def _graded(
    course: Course, given: argparse.Namespace, known: Roster, section: set[str] | None
) -> list[ClassRun]:
    """Grade the class, or its section; marks that differ from earlier ones are not written yet."""
    seed = course.seed(given.seed)
    whom = section or given.student
    runs = [ClassRun(course, chapter, seed, given.device, whom) for chapter in given.chapters]
    for run in runs:
        _say_who_is_a_stranger(run, known)
    backend = choose_backend(
        course,
        given.chapters,
        seed,
        confined=not given.no_sandbox,
        device=given.device,
        scheduler=given.scheduler,
        insecure=given.insecure,
    )
    with progress() as bar:
        named = runs[0].name if len(runs) == 1 else f"{len(runs)} chapters"
        task = bar.add_task(f"Grading {named}", total=sum(len(run.chosen) for run in runs))
        for _ in grade(runs, backend.executors, given.force, backend.ahead):
            bar.advance(task)
    return runs


def _show(runs: list[ClassRun], known: Roster, each: bool) -> None:
    """each: every verdict of the chosen students, not counts of the class."""
    if each:
        for run in runs:
            each_verdict(run, known)
    elif len(runs) == 1:
        summary(runs[0], known)
    else:
        overview(runs, known)


def _say_who_is_a_stranger(run: ClassRun, known: Roster) -> None:
    """Before anything is graded: a folder may only have the wrong name."""
    if strangers := known.strangers(run.chosen):
        place = printable(run.course.directory.submitted_directory)
        print(
            f"Not in the roster: {', '.join(map(printable, strangers))}. They are graded, but "
            f"not exported. Rename the folders in {place}/, or import the roster again.",
            *_whose_they_may_be(run, known, strangers),
            sep="\n",
            file=sys.stderr,
        )


def _whose_they_may_be(run: ClassRun, known: Roster, strangers: list[str]) -> Iterator[str]:
    """Yield a sentence for each stranger whose id is nearly one of the roster."""
    submitted = run.course.directory.submitted_directory
    for stranger, meant in known.meant(strangers):
        what = (
            f"move what counts into {submitted}/{meant}, which also exists"
            if meant in run.submissions
            else "rename the folder"
        )
        yield printable(
            f"{submitted}/{stranger}: the roster has {meant}, with other "
            f"{difference(stranger, meant)}; {what}."
        )


def _change_marks(run: ClassRun, known: Roster, yes: bool) -> bool:
    """Say whose marks would change, then write them; False if the teacher does not want that.

    Somebody at a terminal is asked, since a slip in an oracle shows here first. Where nobody can
    answer, the announcement is in the log, and what was asked for is done.
    """
    changes, penalties = run.held.changes(), run.penalties()
    if changes:
        announce(run, changes, known)
    if penalties:
        tell_penalties(run.name, penalties, known)
    asked = (changes or penalties) and sys.stdin.isatty() and not yes
    if asked and not agreed("Write these marks?"):
        print(UNCHANGED, *([PENALTIES_FOLLOW] if penalties else []))
        return False
    if changes:
        run.write_held()
    if penalties:
        run.charge(penalties)
    return True


def _say_who_has_no_verdict(run: ClassRun, known: Roster) -> None:
    students = ", ".join(printable(known.named(student)) for student in sorted(run.unjudged))
    rows = next(iter(run.unjudged.values()))
    row = next(row for row in rows if row["points"] is None)
    why = f"attn explain {row['student']} {run.name} {row['exercise']}"
    print(
        f"No verdict and no marks for {students}. {printable(row['message'])} For details: "
        f"{printable(why)}. Then run this again.",
        file=sys.stderr,
    )


def _say_what_was_lost(run: ClassRun) -> None:
    print(
        f"{run.course.journal(run.name)} was damaged: {run.lost} of its lines could not be read "
        "and were left out. The students concerned were graded again.",
        file=sys.stderr,
    )
