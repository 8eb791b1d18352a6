"""Text that came from elsewhere, as it may be shown: printable, bounded, escaped."""

import re
from html import escape

LONGEST = 1000  # characters of a paragraph
NO_MARK = "no mark yet"


def points(number: float) -> str:
    """Write a number of points in words: "1 point", "2.5 points"."""
    return f"{number:g} point{'' if number == 1 else 's'}"


def mark(given: float | None, most: float) -> str:
    """Write a mark, such as "2 of 3"; without a verdict there is no mark, which is not a zero."""
    return NO_MARK if given is None else f"{given:g} of {most:g}"


def visible(text: str, keep: str = "") -> str:
    """Write what steers a terminal or turns text around as Python does: `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign in keep else sign.encode("unicode_escape").decode()
        for sign in text
    )


def printable(text: str, limit: int = LONGEST) -> str:
    """One line of at most `limit` characters that mean nothing but themselves."""
    shown = visible(text[: limit + 1])
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def sentence(text: str) -> str:
    """One printable line that ends like a sentence; a line break becomes a space.

    A colon at the end is dropped: it is left by an exception without a message.
    """
    line = printable(" ".join(text[: 2 * LONGEST].split()).removesuffix(":"), LONGEST - 1)
    return line + ("" if line.endswith((".", "?", "!", "…")) else ".")


def plain_html(text: str) -> str:
    """One printable line, escaped for HTML."""
    return escape(printable(text))


def rich_html(text: str) -> str:
    """Escaped for HTML, with what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", plain_html(text))
