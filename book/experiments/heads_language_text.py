"""A generated language of two sorts of sentences, in which one word depends on another far away.

Agreement: "near these foxes this old goat was quiet". The verb has the number of the subject, which
stands before or after the phrase with another noun. Pronoun: "the goat cannot catch the old fox
because it was slow . blame the goat". The adjective says which noun "it" is: who is slow cannot
catch, who is fast is not caught. All nouns can be either.
"""

import random
from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor

BLANK, PAD = "___", "<pad>"
NOUNS = ("fox", "goat", "dog", "horse", "cat", "hen", "pig", "duck", "bear", "rat", "crow", "owl")
OF_FIRST = ("slow", "tired", "lame", "sleepy")  # why the first animal cannot catch the second
OF_SECOND = ("fast", "nimble", "clever", "alert")  # why the second is not caught
PLAIN = ("old", "young", "brown", "small", "quiet", "hungry")
PREPOSITIONS = ("near", "behind", "beside")
CATCH = ("catch", "reach", "corner")
PLURAL = {noun: noun + ("es" if noun == "fox" else "s") for noun in NOUNS}
ONE, MANY = ("the", "this"), ("the", "these")
REST = ("was", "were", "cannot", "because", "it", ".", "blame")
WORDS = sorted({PAD, BLANK, *ONE, *MANY, *NOUNS, *PLURAL.values(), *OF_FIRST, *OF_SECOND,
                *PLAIN, *PREPOSITIONS, *CATCH, *REST})  # fmt: skip
NUMBER = {word: at for at, word in enumerate(WORDS)}
LENGTH = 16  # words of the longest sentence
TAIL = ("because", "it", "was", "adjective", "stop", "blame", "the", "answer")
Places = dict[str, int]


@dataclass
class Sentences:
    """Word numbers, and where the words are that are asked about."""

    tokens: Tensor  # [sentences, length], nothing blanked
    places: dict[str, Tensor]  # each [sentences]

    def __len__(self) -> int:
        return len(self.tokens)

    def blanked(self, *roles: str) -> Tensor:
        """The tokens with the words of these roles blanked. [sentences, length]"""
        tokens = self.tokens.clone()
        for role in roles:
            tokens[torch.arange(len(self)), self.places[role]] = NUMBER[BLANK]
        return tokens

    def word(self, role: str) -> Tensor:
        """Number of the word of this role. [sentences]"""
        return self.tokens[torch.arange(len(self)), self.places[role]]


def phrase(noun: str, rng: random.Random, determiner: str = "the") -> list[str]:
    """Determiner, perhaps an adjective, noun."""
    return [determiner, *([rng.choice(PLAIN)] if rng.random() < 0.5 else []), noun]


def numbered(noun: str, rng: random.Random, many: bool) -> list[str]:
    return phrase(PLURAL[noun] if many else noun, rng, rng.choice(MANY if many else ONE))


def agreement(rng: random.Random) -> tuple[list[str], Places]:
    """A subject, a phrase with another noun before or after it, a verb. Numbers are independent."""
    many, others = rng.random() < 0.5, rng.random() < 0.5
    noun, other = rng.sample(NOUNS, 2)
    subject = numbered(noun, rng, many)
    aside = [rng.choice(PREPOSITIONS), *numbered(other, rng, others)]
    first = rng.random() < 0.5
    start = subject + aside if first else aside + subject
    at = 0 if first else len(aside)  # where the subject's phrase begins
    far = len(subject) if first else 0  # where the other begins
    places = {"determiner": at, "subject": at + len(subject) - 1, "verb": len(start)}
    places |= {"other": far + len(aside) - 1}
    return [*start, "were" if many else "was", rng.choice(PLAIN)], places


def pronoun(rng: random.Random, pair: tuple[str, str]) -> tuple[list[str], Places]:
    """Two animals, and an adjective that says which of them is to blame."""
    first, second = (phrase(noun, rng) for noun in pair)
    of_first = rng.random() < 0.5
    words = [*first, "cannot", rng.choice(CATCH), *second]
    places = {"first": len(first) - 1, "second": len(words) - 1}
    places |= {name: len(words) + at for at, name in enumerate(TAIL)}
    words += ["because", "it", "was", rng.choice(OF_FIRST if of_first else OF_SECOND)]
    return [*words, ".", "blame", "the", pair[0 if of_first else 1]], places


def pairs(seen: bool) -> list[tuple[str, str]]:
    """Three quarters of all ordered pairs of nouns are in the training set, the rest is not."""
    return [
        (NOUNS[i], NOUNS[j])
        for i, j in product(range(len(NOUNS)), repeat=2)
        if i != j and ((i + j) % 4 != 0) is seen
    ]


def agreements(count: int, seed: int) -> Sentences:
    rng = random.Random(seed)
    return _stacked([agreement(rng) for _ in range(count)])


def pronouns(count: int, seed: int, seen: bool) -> Sentences:
    rng, choice = random.Random(seed), pairs(seen)
    return _stacked([pronoun(rng, rng.choice(choice)) for _ in range(count)])


def _stacked(made: list[tuple[list[str], Places]]) -> Sentences:
    rows = [[NUMBER[w] for w in words + [PAD] * (LENGTH - len(words))] for words, _ in made]
    roles = made[0][1]
    places = {role: torch.tensor([places[role] for _, places in made]) for role in roles}
    return Sentences(torch.tensor(rows), places)
