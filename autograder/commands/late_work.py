"""What is taken off for being late, where that has changed: brought up to date, and told."""

from collections.abc import Iterable
from functools import partial

from rich.console import Console
from rich.text import Text

from autograder.course.course import Course
from autograder.course.gradebook_errors import patiently
from autograder.course.roster import Roster, roster
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
            print(f"What is taken off for being late has changed for {_students(len(changed))}.")


def tell_penalties(chapter: str, penalties: list[Penalty], known: Roster) -> None:
    """Print for whom being late costs something else than the gradebook had."""
    title = f"{chapter}: what is taken off for being late, where that changes"
    table = grid("student", "before", "now", "handed in", title=title)
    for penalty in penalties[:MAX_LISTED]:
        cells = (known.named(penalty.student), points(round(penalty.before or 0.0, 2)),
                 points(round(penalty.now or 0.0, 2)),
                 lateness(penalty.seconds_late) if penalty.handed_in else "not known")  # fmt: skip
        table.add_row(*(Text(printable(cell)) for cell in cells))
    Console().print(table)
    if len(penalties) > MAX_LISTED:
        print(f"These are {MAX_LISTED} of {len(penalties)}.")
    print("Nothing is run again for this: a date, an extension or a mark has changed.")


def _students(number: int) -> str:
    return f"{number} student{'' if number == 1 else 's'}"
