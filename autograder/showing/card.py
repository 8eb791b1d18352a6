"""The card a learner sees: what passed, the first cause, what to look at. Never a spoiler.

HTML without scripts or assets, legible on a light and a dark page, and the same as plain text.
"""

import math
from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path

import torch
from torch import Tensor

from autograder.exercise.rounding import Exactness, mismatches
from autograder.judging.verdict import NOT_WRITTEN, Kind, Verdict
from autograder.showing.book_links import link
from autograder.showing.wording import plain_html, points, printable, rich_html, sentence

SIDE = 8  # rows and columns of a matrix that are shown
# The first that shows a difference is used; z: zero has no sign, even a rounded one.
FORMS = ("z.2f", "z.4f", "z.6f", "z.2e", "z.9e", "z.16e")
READ, GRADED = "Read again", "Where it is graded"
VALUE = 200  # characters of a value that a call returned
BLUE, ORANGE = "86,180,233", "213,94,0"  # Okabe-Ito; translucent, so the page shows through


class Card:
    """One verdict as a person reads it: HTML in a notebook, text in a terminal.

    folder: the learner's, beside which the book may be built.
    refused: sentences on what does not work when it is graded.
    """

    def __init__(self, verdict: Verdict, folder: Path | None = None, refused: Iterable[str] = ()):
        self.verdict, self.folder = verdict, folder
        self.paragraphs = [*paragraphs(verdict), *((GRADED, sentence) for sentence in refused)]

    def __str__(self) -> str:
        """The card as plain text."""
        lines = [f"{symbol(self.verdict)} {self.verdict.exercise}: {headline(self.verdict)}"]
        lines += [f"  {label}: {text}" for label, text in self.paragraphs]
        lines += _text_matrices(self.verdict)
        return "\n".join(map(printable, lines))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        verdict = self.verdict
        colour = {Kind.PASSED: GREEN, Kind.MISSING: GREY}.get(verdict.kind, RED)
        rows = "".join(
            f'<p style="margin:.4em 0"><b>{plain_html(label)}:</b> {self._html(label, text)}</p>'
            for label, text in self.paragraphs
        )
        name = plain_html(verdict.exercise)
        title = (
            f'<span aria-hidden="true" style="color:{colour};font-weight:bold">{symbol(verdict)}'
            f"</span> <code>{name}</code> <b>{plain_html(headline(verdict))}</b>"
        )
        return framed(f"Result of {name}", colour, title, rows + _html_matrices(verdict))

    def _html(self, label: str, text: str) -> str:
        return link(text, self.folder) if label == READ else rich_html(text)


def symbol(verdict: Verdict) -> str:
    """One sign: passed, not written, or failed."""
    return {Kind.PASSED: "✓", Kind.MISSING: "○"}.get(verdict.kind, "✗")


def headline(verdict: Verdict) -> str:
    """Say how many cases pass, in a few words."""
    if verdict.kind == Kind.PASSED:
        return f"all {verdict.total} cases pass, {points(verdict.max_points)}"
    if verdict.kind == Kind.MISSING:
        return "not written yet" if verdict.sentence == NOT_WRITTEN else "nothing to grade"
    earned = f"{verdict.points:g} of {points(verdict.max_points)}, " if verdict.points else ""
    return f"{earned}{len(verdict.passed)} of {verdict.total} cases pass"


def paragraphs(verdict: Verdict) -> list[tuple[str, str]]:
    """Label and text of each part, in reading order; what passed comes first, then one cause."""
    if verdict.kind == Kind.PASSED:
        return []
    parts = []
    if verdict.solve_first:
        parts.append(("Solve first", _solve_first(verdict.solve_first)))
    if right := [name for name in dict.fromkeys(verdict.passed) if name != verdict.case]:
        parts.append(("Right so far", "; ".join(right)))
    if verdict.case:
        where = verdict.case if verdict.public else f"{verdict.case} (a case that is not shown)"
        parts.append(("First case that fails", where))
    if verdict.sentence != NOT_WRITTEN:
        parts.append(("What happened", sentence(verdict.sentence)))
    parts += _scalars(verdict)
    failure = verdict.difference.failure if verdict.difference else None
    if failure and failure.line and failure.source:
        parts.append((f"Line {failure.line} of your cell", failure.source))
    parts += _of_groups(verdict)
    parts += [("Look at", hint) for hint in verdict.hint.split("\n") if hint]
    if verdict.read and verdict.kind != Kind.MISSING:
        parts.append((READ, verdict.read))
    return parts


def _of_groups(verdict: Verdict) -> list[tuple[str, str]]:
    """Say what was not earned, where groups have points of their own; all else comes first."""
    missing = [f"{name}, {points(most)}" for name, (given, most) in verdict.groups.items()
               if not given]  # fmt: skip
    if not missing:
        return []
    rest = verdict.max_points - sum(most for _, most in verdict.groups.values())
    first = "" if verdict.points else f"{points(rest)} for all else, first; then "
    return [("Still to earn", f"{first}{'; '.join(missing)}.")]


def _solve_first(names: tuple[str, ...]) -> str:
    why = "it, and it does not" if len(names) == 1 else "them, and they do not"
    return f"{', '.join(f'`{name}`' for name in names)}. This builds on {why} pass yet."


def _scalars(verdict: Verdict) -> list[tuple[str, str]]:
    """Expected and actual value where they are a single number, truth value or text."""
    difference = verdict.difference
    if difference is None or isinstance(difference.expected, Tensor | None):
        return []
    values = (("Expected", difference.expected), ("Yours", difference.actual))
    return [(label, printable(str(value), VALUE)) for label, value in values]


def differing(verdict: Verdict) -> tuple[Tensor, Tensor, Tensor, tuple[int, ...]] | None:
    """Expected, actual, where they differ, and the leading index; around the first difference."""
    difference = verdict.difference
    if difference is None or not isinstance(difference.expected, Tensor):
        return None
    expected, actual, at = difference.expected, difference.actual, difference.at
    assert isinstance(actual, Tensor)
    terms = max(expected.shape, default=1)
    wrong = mismatches(
        expected, actual, Exactness(terms, difference.tolerance), difference.kind == "gradient"
    )
    return _window(expected, at), _window(actual, at), _window(wrong, at), at[:-2]


def _window(tensor: Tensor, at: tuple[int, ...]) -> Tensor:
    """At most SIDE rows and columns of the last two axes, those that hold index `at`."""
    tensor = tensor.reshape(1, -1) if tensor.dim() < 2 else tensor
    plane = tensor[at[:-2]]
    row, column = (index // SIDE * SIDE for index in (0, 0, *at)[-2:])
    return plane[row : row + SIDE, column : column + SIDE]


def written(value: Tensor, form: str) -> str:
    """An entry as text."""
    if value.dtype == torch.bool:
        return "True" if value else "False"
    if not value.is_floating_point():
        return str(value.item())
    number = value.item()
    if form == FORMS[0] and not abs(number) < 1e5:  # infinite, NaN or too long
        return f"{number:.1e}"
    return format(number, form)


def common_form(expected: Tensor, actual: Tensor, wrong: Tensor) -> str:
    """Choose how to print numbers: with two decimals, unless different ones then look the same."""
    pairs = list(zip(expected[wrong], actual[wrong], strict=True))
    telling = (form for form in FORMS if all(written(e, form) != written(a, form)
                                             for e, a in pairs))  # fmt: skip
    return next(telling, FORMS[-1])


def _text_matrices(verdict: Verdict) -> list[str]:
    matrices = differing(verdict)
    if matrices is None:
        return []
    expected, actual, wrong, lead = matrices
    form = common_form(expected, actual, wrong)
    lines = [f"  {place(verdict, lead)}"]
    for name, matrix in (("expected", expected), ("yours", actual)):
        lines.append(f"    {name}:")
        lines += ["      " + " ".join(f"{written(v, form):>6}" for v in row) for row in matrix]
    return lines


def place(verdict: Verdict, lead: tuple[int, ...]) -> str:
    """Say which tensor is shown, and which part of it."""
    assert verdict.difference is not None
    at = f" at [{', '.join(map(str, lead))}]" if lead else ""
    return f"{verdict.difference.what}{at}"


def _html_matrices(verdict: Verdict) -> str:
    matrices = differing(verdict)
    if matrices is None:
        return ""
    expected, actual, wrong, lead = matrices
    largest = float(expected.double().nan_to_num(0, 0, 0).abs().max()) or 1.0
    form = common_form(expected, actual, wrong)
    tables = _heatmap("expected", expected, None, largest, form)
    tables += _heatmap("yours", actual, wrong, largest, form)
    caption = f"{place(verdict, lead)}; entries that differ are outlined"
    return (
        f'<p style="margin:.6em 0 0">{plain_html(caption)}</p>'
        f'<div style="display:flex;flex-wrap:wrap;gap:1.5em">{tables}</div>'
    )


def table_rows(matrix: Tensor, wrong: Tensor | None, cell: Callable[[Tensor, bool], str]) -> str:
    """The rows of an HTML table; `cell` writes an entry, and is told whether it differs."""
    return "".join(
        "<tr>" + "".join(cell(value, wrong is not None and bool(wrong[i, j]))
                         for j, value in enumerate(row)) + "</tr>"
        for i, row in enumerate(matrix)
    )  # fmt: skip


def _heatmap(caption: str, matrix: Tensor, wrong: Tensor | None, largest: float, form: str) -> str:
    """A small heatmap with its numbers; what differs is outlined, so that colour is not needed."""
    rows = table_rows(matrix, wrong, lambda value, differs: _box(value, differs, largest, form))
    return (
        '<table style="border-collapse:separate;border-spacing:2px;font-size:.85em;margin:.4em 0">'
        '<caption style="caption-side:top;text-align:left;padding:0;color:inherit;'
        'white-space:nowrap">'
        f"{escape(caption)}</caption>"
        f"<tbody>{rows}</tbody></table>"
    )


def _box(value: Tensor, wrong: bool, largest: float, form: str) -> str:
    number = float(value)
    strength = 0.0 if math.isnan(number) else 0.45 * min(abs(number) / largest, 1.0)
    colour = ORANGE if number < 0 else BLUE
    outline = f"outline:2px solid {RED};" if wrong else ""
    return (
        f'<td style="background:rgba({colour},{strength:.2f});{outline}text-align:right;'
        f'padding:.15em .45em;font-variant-numeric:tabular-nums;white-space:nowrap">'
        f"{escape(written(value, form))}</td>"
    )


GREEN, RED, GREY = "#2e8b57", "#d1495b", "#8a8a8a"


def framed(label: str, colour: str, title: str, body: str) -> str:
    """A card as HTML. `label`, `title` and `body` are HTML; `label` is what is read aloud."""
    return (
        f'<div role="group" aria-label="{label}" '
        f'class="tex2jax_ignore mathjax_ignore" '  # dollars in a message are no formula
        f'style="border-left:4px solid {colour};padding:.2em .9em;margin:.4em 0;'
        f'max-width:46em;line-height:1.45;overflow-wrap:anywhere">'
        f'<p style="margin:.3em 0;font-size:1.1em">{title}</p>{body}</div>'
    )
