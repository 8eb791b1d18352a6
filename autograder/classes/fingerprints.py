"""Fingerprints of token sequences by winnowing.

S. Schleimer, D. S. Wilkerson, A. Aiken: Winnowing: Local Algorithms for Document Fingerprinting.
SIGMOD 2003, pages 76-85.
"""

import hashlib
from collections.abc import Collection, Iterable
from functools import lru_cache

from autograder.classes.tokens import tokens

GRAM = 8  # tokens; nothing shorter is ever found
WINDOW = 4  # grams; whatever is shared by GRAM + WINDOW - 1 tokens or more is always found


@lru_cache(maxsize=1024)  # many answers are the same to the letter
def grams(source: str) -> tuple[int, ...]:
    """A 64-bit number for every GRAM tokens in a row, in order."""
    texts = [token.text for token in tokens(source)]
    joined = (" ".join(texts[at : at + GRAM]) for at in range(len(texts) - GRAM + 1))
    return tuple(_number(gram) for gram in joined)


def _number(gram: str) -> int:
    """The same in every process, so that a report can be made again."""
    return int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest(), "big")


def fingerprints(source: str, obvious: Collection[int]) -> dict[int, set[int]]:
    """The chosen grams that are not obvious, each with the tokens at which it begins.

    The smallest of every WINDOW neighbours is chosen, of equals the last. What is obvious is
    passed over before, so that it cannot hide what stands beside it.
    """
    numbers = grams(source)
    chosen: dict[int, set[int]] = {}
    for start in range(max(1, len(numbers) - WINDOW + 1)):
        places = range(start, min(start + WINDOW, len(numbers)))
        free = [(numbers[place], -place) for place in places if numbers[place] not in obvious]
        if free:
            gram, place = min(free)
            chosen.setdefault(gram, set()).add(-place)
    return chosen


def covered(starts: Iterable[int]) -> frozenset[int]:
    """The tokens of the grams that begin at `starts`."""
    return frozenset(token for start in starts for token in range(start, start + GRAM))


def own(source: str, obvious: Collection[int]) -> frozenset[int]:
    """The tokens of a text that lie in a gram that is not obvious."""
    return covered(at for at, gram in enumerate(grams(source)) if gram not in obvious)
