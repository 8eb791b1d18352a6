"""A group's newest hand-in goes to all of its members, and a line says what was done."""

import sys
from collections.abc import Iterable

from autograder.course.course import Course
from autograder.course.dates import MAX_NAMED, STAMP
from autograder.course.groups import Spread, spread
from autograder.course.own_work import KEPT
from autograder.course.roster import Roster, roster
from autograder.grading.group_marks import differing
from autograder.showing.wording import printable


def spread_and_tell(course: Course, chapter: str, known: Roster) -> bool:
    """Do it before a chapter is graded, where there are groups. Call it with the lock.

    Returns False where it is not known which hand-in of a group counts.
    """
    done = spread(course, chapter)
    if done.counts:
        number = f"{len(done.counts)} hand-in{'s count' if len(done.counts) > 1 else ' counts'}"
        new = f"; new for {_named(done.given, known)}" if done.given else ""
        students = f"{done.members} student{'' if done.members == 1 else 's'}"
        print(f"Groups of {chapter}: {number} for {students}{new}.")
    _tell_who_has_other_work(done, chapter, known)
    if done.alone:
        print(f"In no group of {chapter}, so their work is their own: {_named(done.alone, known)}.")
    for group, members in done.undecided.items():
        print(
            f"Group {printable(group)}: the hand-ins of {_named(members, known)} differ, and it is "
            "not known which is the newest, so each is graded with their own. Remove from "
            f"{course.directory.submitted_directory}/ what does not count; or write into "
            f"{STAMP} in each folder when it was handed in.",
            file=sys.stderr,
        )
    return not done.undecided


def tell_differing(course: Course, chapters: Iterable[str]) -> None:
    """Print where a person gave the members of a group different marks for the same answer."""
    known = roster(course)
    for chapter in chapters:
        for sentence in differing(course, chapter, known):
            print(f"{chapter}: {sentence}", file=sys.stderr)


def _tell_who_has_other_work(done: Spread, chapter: str, known: Roster) -> None:
    """After a group has changed."""
    if done.back:
        print(f"Their own earlier hand-in is back from {KEPT}/: {_named(done.back, known)}.")
    if done.without:
        print(
            f"A group's hand-in of {chapter} no longer counts for these students, and they have no "
            f"other: {_named(done.without, known)}. Their marks stay in the gradebook."
        )


def _named(students: Iterable[str], known: Roster) -> str:
    names = [printable(known.named(student)) for student in students]
    more = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
