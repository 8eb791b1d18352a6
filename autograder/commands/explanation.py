"""`attn explain`, as a teacher reads it."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.course.course import Course
from autograder.course.roster import Roster
from autograder.grading.complaint import Explanation
from autograder.grading.journal import intact
from autograder.grading.results import Row
from autograder.showing.wording import NO_MARK, points, printable

NO_RECORD = "This mark was given before records were kept, so nothing can be compared."
LINES = 60  # of a card


def tell(explanation: Explanation, known: Roster) -> None:
    """Print an explanation for a teacher."""
    row = explanation.row
    who = known.named(row["student"])
    print(printable(f"{who} · {row['chapter']} · {row['exercise']}: {_mark(row)}"))
    print(printable(_in_the_gradebook(explanation)))
    _show(explanation.card or row["message"])
    if explanation.parts:
        Console().print(_table(explanation))
    else:
        print(NO_RECORD)
    if explanation.reproduced:
        print(f"Graded again just now, it gets the same: {_mark(explanation.again)}.")
    elif explanation.again["points"] is None:
        print(f"It cannot be graded again now. {printable(explanation.again['message'])}")
    else:
        print(f"Graded again just now, it gets another verdict: {_mark(explanation.again)}.")
        _show(explanation.card_again)


def tell_rejected(explanation: Explanation) -> None:
    """Print why an answer that a teacher takes for right does not pass yet, and what to do."""
    row = explanation.again
    _show(explanation.card_again or row["message"])
    place = f"solutions/{row['chapter']}/{row['exercise']}.py"
    sentence = (
        f"It does not pass: {_mark(row)}. Correct what rejects it, the oracle, a case or a "
        f"property, in {place}; until then `attn selftest {row['chapter']}` fails. Then run the "
        "same command: once the answer passes, it grades the class again."
    )
    print(printable(sentence))


def tell_fault(course: Course, known: Roster, chapter: str, student: str) -> bool:
    """Print why a submission had no verdict when it was last graded; whether it ever had one."""
    journal = intact(course.journal(chapter))
    if entry := journal.fault(student):
        when = f" at {entry['record']['graded']}" if "record" in entry else ""
        print(printable(f"{known.named(student)} · {chapter}: no verdict{when}."))
        print(*map(printable, entry["fault"].splitlines()), "", sep="\n")
    return student in journal or entry is None


def _mark(row: Row) -> str:
    named = f" ({row['misconception']})" if row["misconception"] else ""
    if row["points"] is None:
        return f"{row['verdict']}{named}, {NO_MARK}"
    return f"{row['verdict']}{named}, {row['points']:g} of {points(row['max_points'])}"


def _in_the_gradebook(explanation: Explanation) -> str:
    automatic, manual = explanation.automatic, explanation.manual
    if automatic is None:
        return "The gradebook has no mark for it."
    other = "" if automatic == explanation.row["points"] else ", which another program wrote"
    by_hand = "" if manual is None else f"; {manual:g} given by hand counts instead"
    return f"In the gradebook: {points(automatic)}{other}{by_hand}."


def _show(text: str) -> None:
    print("", *map(printable, text.splitlines()[:LINES]), "", sep="\n")


def _table(explanation: Explanation) -> Table:
    table = Table("what decides", f"graded {explanation.graded}", "now")  # cuts what is too long
    for part in explanation.parts:
        now = "the same" if part.now == part.then else part.now
        table.add_row(*(Text(printable(text)) for text in (part.name, part.then, now)))
    return table
