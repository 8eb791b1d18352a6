"""Questions as a file that Moodle imports into its question bank.

The format is GIFT, as question/format/gift/format.php of Moodle reads it.
"""

import re
from collections.abc import Callable
from html import escape

from autograder.exercise.case import Case
from autograder.showing.wording import printable, visible
from autograder.viva.papers import Paper, place
from autograder.viva.plain_values import built, given
from autograder.viva.questions import Kind, Option, Question
from autograder.viva.small_changes import Change, Code

STEERING = re.compile(r"[\\~=#{}:]")


def gift(chapter: str, papers: list[Paper], named: Callable[[str], str]) -> str:
    """Return the questions of all students, each student's in a category of their own."""
    return "".join(_of_student(chapter, paper, named(paper.student)) for paper in papers)


def _of_student(chapter: str, paper: Paper, name: str) -> str:
    # A category has no escapes: a slash is doubled, and a backslash has no place in it.
    category = printable(name).replace("\\", "").replace("/", "//")
    asked = [
        _question(f"{number} {question.exercise}", question, _code(paper, question.exercise))
        for number, question in paper.numbered
    ]
    return "\n\n".join([f"$CATEGORY: $course$/{chapter}/{category}", *asked, ""])


def _question(title: str, question: Question, code: str) -> str:
    options = [
        f"{'=' if option.right else '~'}{_escaped(_option(option))}" for option in question.options
    ]
    return "\n".join(
        [f"::{_escaped(title)}::[html]{_escaped(_asked(question, code))}{{", *options, "}"]
    )


def _asked(question: Question, code: str) -> str:
    parts = [_paragraph("You handed in this code, and it passes:"), code]
    if question.kind != Kind.CHANGE:
        parts.append(_change(question.subject.change))
    if question.case:
        parts += [_called_with(question.case), _verbatim("\n".join(given(question.case)))]
        parts += [_paragraph("Before the change:"), _verbatim(question.before)]
    if question.after:
        parts += [_paragraph("After one change:"), _verbatim(question.after)]
    return "".join([*parts, _paragraph(question.kind.asked)])


def _called_with(case: Case) -> str:
    return _paragraph(f"{built(case)} It is called with".strip())


def _option(option: Option) -> str:
    if option.change:
        return _change(option.change)
    if option.case:
        return _called_with(option.case) + _verbatim("\n".join(given(option.case)))
    return _verbatim(option.outcome)


def _code(paper: Paper, exercise: str) -> str:
    """Return what was handed in for an exercise, and what that calls."""
    parts = [paper.code[exercise], *paper.called[exercise].values()]
    return "".join(_paragraph(one) if isinstance(one, str) else _listing(one) for one in parts)


def _listing(code: Code) -> str:
    return _verbatim("\n".join(f"{number:3}  {line}" for number, line in code.shown))


def _change(change: Change) -> str:
    return _paragraph(place(change)) + _verbatim("\n".join(change.lines))


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _verbatim(text: str) -> str:
    return f"<pre>{escape(visible(text, keep=chr(10)))}</pre>"


def _escaped(text: str) -> str:
    """Escape what steers the format. A real line break could end an option, so it becomes `\\n`."""
    return STEERING.sub(r"\\\g<0>", text).replace("\n", r"\n")
