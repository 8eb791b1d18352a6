"""A generated language of two sorts of sentences, in which one word depends on another far away.

Agreement: "near these hatches this old crate was heavy". The verb has the number of the subject,
which stands before or after the phrase with another noun. Pronoun: "the red crate cannot pass the
old blue hatch because it was wide . blame the red crate". The adjective decides which noun "it" is.
"""

import random
from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor

BLANK, PAD = "___", "<pad>"
GOODS = ("crate", "chair", "barrel", "ladder", "carpet", "statue", "piano", "table")
OPENINGS = ("hatch", "door", "gate", "window", "tunnel", "corridor", "arch", "shaft")
NOUNS = GOODS + OPENINGS
OF_GOODS = ("wide", "bulky", "stiff", "swollen")  # what makes goods not pass
OF_OPENINGS = ("narrow", "tight", "locked", "blocked")  # what makes an opening let nothing pass
PLAIN = ("old", "heavy", "clean", "small", "new")
COLOURS = ("red", "blue", "green", "white", "black", "grey")
PREPOSITIONS = ("near", "behind", "beside")
PLURAL = {noun: noun + ("es" if noun.endswith("ch") else "s") for noun in NOUNS}
ONE, MANY = ("the", "this"), ("the", "these")
REST = ("was", "were", "cannot", "pass", "admit", "because", "it", ".", "blame")
WORDS = sorted({PAD, BLANK, *ONE, *MANY, *NOUNS, *PLURAL.values(), *OF_GOODS, *OF_OPENINGS,
                *PLAIN, *COLOURS, *PREPOSITIONS, *REST})  # fmt: skip
NUMBER = {word: at for at, word in enumerate(WORDS)}
LENGTH = 19  # words of the longest sentence
TAIL = ("because", "it", "was", "adjective", "stop", "blame", "the", "answer", "named")
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


def phrase(noun: str, rng: random.Random, determiner: str = "the", colour: str = "") -> list[str]:
    """Determiner, perhaps an adjective, the colour if one is given, noun."""
    adjective = [rng.choice(PLAIN)] if rng.random() < 0.5 else []
    return [determiner, *adjective, *([colour] if colour else []), noun]


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
    """Goods and an opening in either order; the adjective says which of them is to blame."""
    colours = rng.sample(COLOURS, 2)
    goods, opening = (
        phrase(noun, rng, colour=colour) for noun, colour in zip(pair, colours, strict=True)
    )
    blames_goods, first = rng.random() < 0.5, rng.random() < 0.5
    words = [*goods, "cannot", "pass", *opening] if first else [*opening, "cannot", "admit", *goods]
    places = {
        role: words.index(noun) for role, noun in zip(("goods", "opening"), pair, strict=True)
    }
    places |= {name: len(words) + at for at, name in enumerate(TAIL)}
    blamed = 0 if blames_goods else 1
    words += ["because", "it", "was", rng.choice(OF_GOODS if blames_goods else OF_OPENINGS)]
    return [*words, ".", "blame", "the", colours[blamed], pair[blamed]], places


def pairs(seen: bool) -> list[tuple[str, str]]:
    """Three quarters of all pairs of goods and opening are in the training set, the rest is not."""
    return [
        (goods, opening)
        for (i, goods), (j, opening) in product(enumerate(GOODS), enumerate(OPENINGS))
        if ((i + j) % 4 != 0) is seen
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
