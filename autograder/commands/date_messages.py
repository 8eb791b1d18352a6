"""What `attn grade` says of a chapter's dates: when it is due, and whose date of hand-in is odd."""

import sys

from autograder.course.dates import MAX_NAMED
from autograder.course.roster import Roster
from autograder.course.timestamps import in_words
from autograder.grading.noted_dates import Noted
from autograder.showing.wording import printable


def tell_dates(chapter: str, dates: Noted, known: Roster) -> None:
    """Print the due date in words, since a slip in it shows there; then what a person has to do."""
    if dates.due:
        print(f"{chapter} is due on {in_words(dates.due)}.")
    kept = [f"{known.named(student)}, {in_words(when)}" for student, when in dates.kept.items()]
    if kept:
        print("No date came with the work of these students, so the one that the gradebook has "
              f"stays: {printable('; '.join(_first(kept)))}.")  # fmt: skip
    if not dates.unread:
        return
    for line in _first([f"{known.named(who)}: {what}" for who, what in dates.unread.items()]):
        print(printable(line), file=sys.stderr)
    print("Until these dates are written so that they can be read, nothing is taken off for being "
          "late. Then run this again.", file=sys.stderr)  # fmt: skip


def _first(lines: list[str]) -> list[str]:
    more = len(lines) - MAX_NAMED
    return lines[:MAX_NAMED] + ([f"{more} more"] if more > 0 else [])
