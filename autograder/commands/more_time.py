"""`attn extend`, as a teacher reads it."""

from autograder.grading.extension import Extension
from autograder.grading.penalties import Penalty, lateness
from autograder.showing.wording import points, printable


def tell(granted: Extension) -> None:
    """Print until when the student has time, and what becomes of the mark."""
    print(f"{printable(granted.who)} has until {granted.due:%d %B %Y, %H:%M} UTC for "
          f"{granted.chapter}: {_days(granted.days)}.")  # fmt: skip
    print(_penalty(granted.penalty))
    if granted.penalty and granted.penalty.changed:
        print(f"Feedback that was written before is out of date: attn feedback {granted.chapter}")


def _days(number: int) -> str:
    if not number:
        return "the due date, without an extension"
    return f"{number} day{'' if number == 1 else 's'} after the due date"


def _penalty(penalty: Penalty | None) -> str:
    if penalty is None or not penalty.graded:
        return "Nothing of theirs was graded yet."
    if penalty.handed_in is None:
        return "When the work came in is not known, so nothing is taken off for being late."
    was = f"; before it was {_points(penalty.before)}" if penalty.changed else ", as before"
    return (
        f"Handed in {lateness(penalty.seconds_late)}: taken off is {_points(penalty.now)}{was}. "
        f"That leaves {points(round(penalty.score - (penalty.now or 0.0), 2))}."
    )


def _points(number: float | None) -> str:
    return points(round(number, 2)) if number else "nothing"
