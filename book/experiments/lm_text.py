"""The text of the chapter on a language model: from Python's own help, split by topic, as tokens.

`pydoc_data.topics` comes with Python and changes with its version, so a record says which text it
is from. Many paragraphs stand in several topics; each is kept once, the test topics first, so that
no paragraph of the test is in training.
"""

import hashlib
import re
from collections import Counter, defaultdict
from itertools import pairwise
from pydoc_data.topics import topics

import torch
from torch import Tensor

START = 0  # a byte that no text has; it begins each document
IGNORED = -100
Merges = list[tuple[int, int]]


def fingerprint() -> str:
    """How the SHA-256 of all topics begins: another version of Python has another text."""
    whole = "".join(f"{topic}\n{topics[topic]}" for topic in sorted(topics))
    return hashlib.sha256(whole.encode()).hexdigest()[:12]


def is_test(topic: str) -> bool:
    """By the hash of its name: the same topics in every version."""
    return int(hashlib.md5(topic.encode(), usedforsecurity=False).hexdigest(), 16) % 8 == 0


def paragraphs(text: str) -> list[str]:
    return [found for found in re.split(r"\n\s*\n", text) if found.strip()]


def documents(clean: bool = True) -> tuple[list[str], list[str]]:
    """Texts to train on, and to test. clean: no paragraph twice, and none in both."""
    seen: set[str] = set()
    found: dict[bool, list[str]] = {True: [], False: []}
    for topic in sorted(topics, key=lambda topic: (not is_test(topic), topic)):
        kept = [part for part in paragraphs(topics[topic]) if part.strip() not in seen]
        if clean:
            seen |= {part.strip() for part in kept}
        if kept:
            found[is_test(topic)].append("\n\n".join(kept) + "\n")
    return found[False], found[True]


def words(text: str) -> list[str]:
    """Cut before every space and every line break."""
    return [word for word in re.split(r"(?=[ \n])", text) if word]


def train_bpe(text: str, merges: int) -> Merges:
    """The most frequent pair becomes a token, again and again; of equal ones the smallest pair.

    Where no pair is left there are fewer merges. Only words that have the pair are counted anew.
    """
    counts = Counter(words(text))
    pieces = {word: list(word.encode()) for word in counts}
    pairs, places = Counter[tuple[int, int]](), defaultdict[tuple[int, int], set[str]](set)

    def count(word: str, sign: int) -> None:
        for pair in pairwise(pieces[word]):
            pairs[pair] += sign * counts[word]
            places[pair].add(word)

    for word in counts:
        count(word, 1)
    made: Merges = []
    for token in range(256, 256 + merges):
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        if not pairs[best]:
            break
        made.append(best)
        for word in places.pop(best):
            count(word, -1)
            pieces[word] = joined(pieces[word], best, token)
            count(word, 1)
        del pairs[best]
    return made


def joined(parts: list[int], pair: tuple[int, int], token: int) -> list[int]:
    """With the pair replaced wherever it occurs, from the left."""
    found: list[int] = []
    for part in parts:
        if found and (found[-1], part) == pair:
            found[-1] = token
        else:
            found.append(part)
    return found


class Tokenizer:
    """Text to tokens and back. It remembers the words that it has seen."""

    def __init__(self, merges: Merges):
        self.merges, self.known = merges, dict[str, list[int]]()
        self.pieces = [bytes([byte]) for byte in range(256)]
        for left, right in merges:
            self.pieces.append(self.pieces[left] + self.pieces[right])

    def encode(self, text: str) -> list[int]:
        """The tokens of a text, without a start."""
        return [token for word in words(text) for token in self.of_word(word)]

    def of_word(self, word: str) -> list[int]:
        if word not in self.known:
            parts = list(word.encode())
            for at, pair in enumerate(self.merges):
                parts = joined(parts, pair, 256 + at)
            self.known[word] = parts
        return self.known[word]

    def decode(self, tokens: list[int]) -> str:
        return b"".join(self.pieces[token] for token in tokens).decode(errors="replace")


def tokens_of(texts: list[str], tokenizer: Tokenizer) -> list[Tensor]:
    """Each text with a start before it."""
    return [torch.tensor([START, *tokenizer.encode(text)]) for text in texts]


def pieces_of(tokens: list[Tensor], length: int) -> Tensor:
    """Every piece of a document that is length + 1 tokens long. [pieces, length + 1]

    A shorter document is one piece, with `IGNORED` after its end.
    """
    made = []
    for document in tokens:
        missing = length + 1 - len(document)
        padded = torch.nn.functional.pad(document, (0, max(0, missing)), value=IGNORED)
        made.append(padded.unfold(0, length + 1, 1))
    return torch.cat(made)
