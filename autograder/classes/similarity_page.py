"""Similar submissions side by side: as a page, and as a table in the terminal."""

from html import escape
from itertools import groupby

from markupsafe import Markup
from rich.console import Console

from autograder.classes.fingerprints import GRAM, LONGEST, WIDEST, WINDOW, tokens
from autograder.classes.page import page
from autograder.classes.similarity import PART, SHARED, Side, Similarities
from autograder.showing.grid import grid
from autograder.showing.wording import printable, visible

SHOWN = 100  # pairs
NOT_AN_ACCUSATION = (
    "These pairs are a reason to look, not a finding. Short answers look alike, students learn "
    "together, and two people can meet the same idea in the same place. Read both answers and talk "
    "to both students before you conclude anything."
)


def similarity_page(similarities: Similarities) -> str:
    """Return the pairs that share most, side by side, as one HTML file."""
    answers = similarities.answers
    return page(
        "similar.html",
        chapter=similarities.chapter,
        said=said(similarities),
        notice=NOT_AN_ACCUSATION,
        pairs=similarities.pairs[:SHOWN],
        named=similarities.roster.named,
        answer=lambda exercise, student, side: marked(answers[exercise][student], side),
    )


def print_similarities(similarities: Similarities) -> None:
    """The same pairs as a table."""
    console = Console(highlight=False, markup=False, emoji=False)
    console.print(f"{similarities.chapter}:", *said(similarities)[:2])
    if not similarities.pairs:
        return
    table = grid("tokens shared", "student", "and student", "exercises")
    for pair in similarities.pairs[:SHOWN]:
        where = ", ".join(passage.exercise for passage in pair.passages)
        who = [printable(similarities.roster.named(one)) for one in (pair.left, pair.right)]
        table.add_row(str(pair.shared), *who, where)
    console.print(table)
    console.print(NOT_AN_ACCUSATION)


def said(similarities: Similarities) -> list[str]:
    """Say what was compared and found, by which rule, and what was left out."""
    students, unread, common = similarities.students, similarities.unread, similarities.common
    return [
        f"{students} submission{' was' if students == 1 else 's were'} compared"
        + (f"; {unread} more cannot be read." if unread else "."),
        _counted(len(similarities.pairs), common),
        f"A pair is listed if the fingerprints that two answers to the same exercise share cover "
        f"{SHARED} tokens or more, and at least {PART:.0%} of what is not obvious in one of the "
        "two. At the ends of a passage a few tokens that are shared may not be counted. Names of "
        "their own, comments, docstrings and layout are not compared.",
        "Left out as obvious: whatever stands in the notebook that all were given, the reference "
        "solution, and every right and wrong answer that the author of the exercises wrote down. "
        f"Left out as common: what more than {common} of the submissions share, so that an "
        "answer that went through many hands is not found here.",
        f"The method is winnowing (Schleimer, Wilkerson, Aiken 2003) of {GRAM} tokens in windows "
        f"of {WINDOW}, on the first {LONGEST:,} characters of each answer and the first {WIDEST} "
        "of each line.",
    ]


def _counted(pairs: int, common: int) -> str:
    if not pairs:
        return (
            f"No pair was found. What more than {common} of the submissions share is not looked at."
        )
    rest = f" The {SHOWN} that share most are shown." if pairs > SHOWN else ""
    return f"{pairs} pair{' shares' if pairs == 1 else 's share'} more than is obvious.{rest}"


def marked(source: str, side: Side) -> Markup:
    """Return an answer in which shared parts are marked and obvious ones are in quiet ink."""
    kinds = ["quiet"] * min(len(source), LONGEST)
    for number, token in enumerate(tokens(source)):
        kinds[token.start : token.end] = [_kind(number, side)] * (token.end - token.start)
    runs = groupby(enumerate(_joined(kinds)), key=lambda numbered: numbered[1])
    pieces = ((kind, [at for at, _ in run]) for kind, run in runs)
    return Markup("").join(_piece(kind, source[at[0] : at[-1] + 1]) for kind, at in pieces)


def _kind(number: int, side: Side) -> str:
    if number in side.shared:
        return "shared"
    return "own" if number in side.own else "quiet"


def _joined(kinds: list[str]) -> list[str]:
    """Give what stands between two tokens of a kind, such as a space, that kind too."""
    joined = kinds[:]
    last = 0
    for at, kind in enumerate(kinds):
        if kind != "quiet":
            if at - last > 1 and kinds[last] == kind and at - last < 4:
                joined[last:at] = [kind] * (at - last)
            last = at
    return joined


def _piece(kind: str, text: str) -> Markup:
    safe = escape(visible(text, keep="\n\t"))
    tag = {"shared": ("<mark>", "</mark>"), "quiet": ('<span class="quiet">', "</span>")}
    before, after = tag.get(kind, ("", ""))
    return Markup(before + safe + after)
