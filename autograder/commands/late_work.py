"""Bring penalties for being late up to date where they have changed, and print them."""

import sys
from collections.abc import Iterable
from functools import partial

from rich.console import Console
from rich.text import Text

from autograder.course.course import Course
from autograder.course.dates import MAX_NAMED, in_words
from autograder.course.nbgrader_errors import patiently
from autograder.course.roster import Roster, roster
from autograder.grading.due_dates import Extension, Noted
from autograder.grading.penalties import Penalty, lateness, settle
from autograder.showing.grid import grid
from autograder.showing.wording import points, printable

MAX_LISTED = 50  # students


def settle_and_tell(course: Course, chapters: Iterable[str], named: bool = True) -> None:
    """Bring the penalties of chapters up to date before their marks are shown, and say which.

    named: by the students' names; else only how many there are.
    """
    if not course.has_gradebook:
        return
    for chapter in chapters:
        with course.gradebook() as book:
            act = partial(settle, course.config, book, chapter)
            changed = patiently(course.directory.db_url, act)
        if changed and named:
            tell_penalties(chapter, changed, roster(course))
        elif changed:
            whom = f"{len(changed)} student{'' if len(changed) == 1 else 's'}"
            print(f"The penalty for being late has changed for {whom}.")


def tell_penalties(chapter: str, penalties: list[Penalty], known: Roster) -> None:
    """Print whose penalty for being late differs from the gradebook's."""
    title = f"{chapter}: penalties for being late that change"
    table = grid("student", "before", "now", "handed in", title=title)
    for penalty in penalties[:MAX_LISTED]:
        cells = (
            known.named(penalty.student),
            points(round(penalty.before or 0.0, 2)),
            points(round(penalty.now or 0.0, 2)),
            lateness(penalty.seconds_late) if penalty.handed_in else "not known",
        )
        table.add_row(*(Text(printable(cell)) for cell in cells))
    Console().print(table)
    if len(penalties) > MAX_LISTED:
        print(f"These are {MAX_LISTED} of {len(penalties)}.")
    print("No submission is run again for this: a date, an extension or a mark has changed.")


def tell_dates(chapter: str, dates: Noted, known: Roster) -> None:
    """Print the due date in words, since a slip in it shows there; then what a person has to do."""
    if dates.due:
        print(f"{chapter} is due on {in_words(dates.due)}.")
    kept = [f"{known.named(student)}, {in_words(when)}" for student, when in dates.kept.items()]
    if kept:
        print(
            "The work of these students came without a date, so the date in the gradebook "
            f"stays: {printable('; '.join(_first(kept)))}."
        )
    if not dates.unread:
        return
    for line in _first([f"{known.named(who)}: {what}" for who, what in dates.unread.items()]):
        print(printable(line), file=sys.stderr)
    print(
        "Until these dates can be read, nothing is taken off for being late. Correct them, then "
        "run this again.",
        file=sys.stderr,
    )


def _first(lines: list[str]) -> list[str]:
    more = len(lines) - MAX_NAMED
    return lines[:MAX_NAMED] + ([f"{more} more"] if more > 0 else [])


def tell(granted: Extension) -> None:
    """Print how long the student has, and the effect on the mark."""
    print(
        f"{printable(granted.who)} has until {granted.due:%d %B %Y, %H:%M} UTC for "
        f"{granted.chapter}: {_days(granted.days)}."
    )
    print(_penalty(granted.penalty))
    if granted.penalty and granted.penalty.changed:
        print(f"Feedback that was written before is out of date: attn feedback {granted.chapter}")


def _days(number: int) -> str:
    if not number:
        return "the due date, without an extension"
    return f"{number} day{'' if number == 1 else 's'} after the due date"


def _penalty(penalty: Penalty | None) -> str:
    if penalty is None or not penalty.graded:
        return "None of their work has been graded yet."
    if penalty.handed_in is None:
        return "It is not known when the work came in, so nothing is taken off for being late."
    was = f"; before it cost {_points(penalty.before)}" if penalty.changed else ", as before"
    return (
        f"Handed in {lateness(penalty.seconds_late)}, which costs {_points(penalty.now)}{was}. "
        f"That leaves {points(round(penalty.score - (penalty.now or 0.0), 2))}."
    )


def _points(number: float | None) -> str:
    return points(round(number, 2)) if number else "nothing"
