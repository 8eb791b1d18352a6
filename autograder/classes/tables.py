"""The class report in a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from autograder.classes import advice
from autograder.classes import statistics as numbers
from autograder.classes.class_results import ClassResults
from autograder.classes.statistics import Bar, day_bars, score_bars
from autograder.showing.grid import grid
from autograder.showing.wording import printable

SHOWN = 30  # lines of a list
WIDEST = 40  # characters of a bar


def print_report(results: ClassResults) -> None:
    """Print what the page says, without its drawings' finer parts."""
    console = Console(highlight=False, markup=False, emoji=False)
    members = numbers.graded(results)
    scores = [member.score for member in members if member.score is not None]
    handed_in = len(results.members)
    of = f"{results.chapter.name}, {results.whom}" if results.section else results.chapter.name
    console.print(
        f"{printable(of)}: {handed_in} submission{'' if handed_in == 1 else 's'}, "
        f"{len(members)} with verdicts."
    )
    _part(console, "What to teach again on Monday", advice.what_to_reteach(results))
    said = [advice.scores(numbers.spread(scores), results.max_score), advice.waiting(results)]
    _part(console, "Scores", said)
    _bars(console, score_bars(scores, results.max_score), "points")
    _part(
        console,
        "Who handed in, and when",
        [*advice.attendance(results), *advice.handed_in(results)],
    )
    _bars(console, day_bars(numbers.days_after_due(results)), "days after it was due")
    _part(console, "Exercises", [f"{advice.DISCRIMINATION} {advice.by_chance(results)}"])
    _exercises(console, results)
    _mistakes(console, results)
    _stuck(console, results)
    _concerns(console, results)


def _part(console: Console, title: str, sentences: Sequence[str]) -> None:
    console.print()
    console.print(Text(title, "bold"))
    for sentence in sentences:
        console.print(printable(sentence))


def _bars(console: Console, bars: list[Bar], unit: str) -> None:
    most = max((bar.count for bar in bars), default=0) or 1
    for bar in bars:
        drawn = "█" * round(WIDEST * bar.count / most)
        console.print(f"{bar.low:>6g} to {bar.high:<5g} {drawn} {bar.count or ''}")
    if bars:
        console.print(f"{unit:>13}")


def _exercises(console: Console, results: ClassResults) -> None:
    table = grid("exercise", "mean points", "passed", "discrimination")
    found = numbers.exercises(results)
    for exercise in found:
        passed = f"{exercise.passed} of {exercise.graded}"
        telling = exercise.undefined or f"{exercise.discrimination:.2f}"
        mean = f"{exercise.mean:.1f} of {exercise.points:g}"
        table.add_row(exercise.name, mean, passed, telling)
    console.print(table)
    for exercise in found:
        for sentence in advice.lost(exercise):
            console.print(printable(f"{exercise.name}: {sentence}"))


def _mistakes(console: Console, results: ClassResults) -> None:
    mistakes, rare = numbers.mistakes(results), advice.rare_mistakes(results)
    _part(console, "Misconceptions", [] if mistakes else ["No answer shows a known misconception."])
    rows = [
        (str(one.students), one.exercise, one.hint, one.read) for one in mistakes if one not in rare
    ]
    _list(console, rows, "students", "exercise", "the hint", "read again")
    if rare:
        console.print(f"{advice.rare_ones(results)}: on the page.")


def _stuck(console: Console, results: ClassResults) -> None:
    stuck = numbers.stuck(results)
    _part(console, "Who is stuck", [numbers.STUCK] if stuck else [numbers.STUCK, "Nobody."])
    rows = [
        (results.named(one.student), f"{one.passed} of {one.exercises}", ", ".join(one.repeated))
        for one in stuck
    ]
    _list(console, rows, "student", "passed", "the same mistake in several exercises")


def _concerns(console: Console, results: ClassResults) -> None:
    concerns = numbers.concerns(results)
    _part(console, "What needs a person", [] if concerns else ["No verdict needs a person."])
    rows = [(results.named(one.student), one.where, one.verdict, one.message) for one in concerns]
    _list(console, rows, "student", "exercise", "verdict", "what was said")
    for sentence in results.passed_over[:SHOWN]:
        console.print(printable(sentence))
    console.print(advice.waiting(results))


def _list(console: Console, rows: Sequence[tuple[str, ...]], *columns: str) -> None:
    """A table of the first rows, and how many more there are."""
    if not rows:
        return
    table = grid(*columns)
    for row in rows[:SHOWN]:
        table.add_row(*map(printable, row))
    console.print(table)
    if len(rows) > SHOWN:
        console.print(f"{len(rows) - SHOWN} more are not listed.")
