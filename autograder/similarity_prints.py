"""Fingerprints of token sequences by winnowing.

S. Schleimer, D. S. Wilkerson, A. Aiken: Winnowing: Local Algorithms for Document Fingerprinting.
SIGMOD 2003, pages 76-85.
"""

import hashlib
from collections.abc import Collection

from autograder.similarity_tokens import tokens

GRAM = 8  # tokens; nothing shorter is ever found
WINDOW = 4  # grams; whatever is shared by GRAM + WINDOW - 1 tokens or more is always found


def grams(source: str) -> list[int]:
    """A 64-bit number for every GRAM tokens in a row, in order."""
    texts = [token.text for token in tokens(source)]
    joined = (" ".join(texts[at : at + GRAM]) for at in range(len(texts) - GRAM + 1))
    return [_number(gram) for gram in joined]


def _number(gram: str) -> int:
    """The same in every process, so that a report can be made again."""
    return int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest(), "big")


def fingerprints(source: str, obvious: Collection[int]) -> dict[int, list[int]]:
    """The chosen grams that are not obvious, each with the tokens at which it begins.

    The smallest of every WINDOW neighbours is chosen, of equals the last. What is obvious is
    passed over before, so that it cannot hide what stands beside it.
    """
    found = grams(source)
    chosen: dict[int, list[int]] = {}
    for start in range(max(1, len(found) - WINDOW + 1)):
        places = range(start, min(start + WINDOW, len(found)))
        free = [(found[place], -place) for place in places if found[place] not in obvious]
        if free:
            gram, place = min(free)
            if -place not in chosen.setdefault(gram, []):
                chosen[gram].append(-place)
    return chosen
