"""Whether a name may be meant for a chapter that has another one."""

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache

ALIKE = 0.8  # of 1: two words with a slip of the keyboard between them
LONGEST = 80  # characters of a name that are looked at


def may_mean(name: str, chapter: str, others: Iterable[str]) -> bool:
    """Whether a name has the number of a chapter or its words, and not those of another one.

    `Means`, `04-maens`, `04_means (1)`, `chapter 4` and `HW04` may mean `04_means`.
    """
    (number, words), (wanted, title) = _parts(name), _parts(chapter)
    if title and _has(words, title):
        return True
    titles = {_parts(other)[1] for other in others} - {title, ()}
    return number is not None and number == wanted and not any(_has(words, one) for one in titles)


def begins_as(name: str, chapters: Iterable[str]) -> bool:
    """Whether a name begins as that of one of the chapters."""
    return any(name.casefold().startswith(chapter.casefold()) for chapter in chapters)


@lru_cache(maxsize=1000)
def _parts(name: str) -> tuple[int | None, tuple[str, ...]]:
    """The first number of a name, and its words."""
    text = unicodedata.normalize("NFKC", name[:LONGEST]).casefold()
    number = re.search(r"[0-9]{1,6}", text)
    return int(number[0]) if number else None, tuple(re.findall(r"[^\W\d_]+", text))


def _has(words: tuple[str, ...], title: tuple[str, ...]) -> bool:
    """Whether all words of a title are there, up to a slip, or its words as one."""
    return _alike("".join(words), "".join(title)) or all(
        any(_alike(word, wanted) for word in words) for wanted in title
    )


def _alike(one: str, two: str) -> bool:
    return one == two or SequenceMatcher(None, one, two).ratio() >= ALIKE
