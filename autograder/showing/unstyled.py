"""The card as HTML without styles, for sites that take them away: what differs is bold."""

from html import escape

from torch import Tensor

from autograder.judging.verdict import Verdict
from autograder.showing.book_links import link
from autograder.showing.card import (
    READ,
    common_form,
    differing,
    headline,
    paragraphs,
    place,
    symbol,
    table_rows,
    written,
)
from autograder.showing.wording import plain_html, rich_html


def unstyled(verdict: Verdict) -> str:
    """One line for each paragraph or table, none empty: in Markdown an empty line ends HTML.

    A site that looks for formulas or mentions finds none in it.
    """
    title = f"{symbol(verdict)} <code>{plain_html(verdict.exercise)}</code>"
    lines = [f"{title} <b>{plain_html(headline(verdict))}</b>"]
    for label, text in paragraphs(verdict):
        shown = link(text) if label == READ else rich_html(text)
        lines.append(f"<b>{plain_html(label)}:</b> {shown}")
    return _inert("\n".join([*(f"<p>{line}</p>" for line in lines), *_tables(verdict)]))


def _inert(html: str) -> str:
    """Dollars begin a formula, an at sign a mention; as character references they begin nothing."""
    return html.replace("$", "&#36;").replace("@", "&#64;")


def _tables(verdict: Verdict) -> list[str]:
    found = differing(verdict)
    if found is None:
        return []
    expected, actual, wrong, lead = found
    form = common_form(expected, actual, wrong)
    told = f"{place(verdict, lead)}; entries that differ are bold"
    return [
        f"<p>{plain_html(told)}</p>",
        _table("expected", expected, None, form),
        _table("yours", actual, wrong, form),
    ]


def _table(name: str, matrix: Tensor, bold: Tensor | None, form: str) -> str:
    rows = table_rows(matrix, bold, lambda value, differs: _cell(written(value, form), differs))
    return f"<table><caption>{escape(name)}</caption><tbody>{rows}</tbody></table>"


def _cell(text: str, bold: bool) -> str:
    return f"<td><b>{escape(text)}</b></td>" if bold else f"<td>{escape(text)}</td>"
