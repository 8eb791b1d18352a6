"""Stories from a generator: travellers in cities. Who stays in a city is where he was before.

    Ada is in Oslo
    Ben is in Cairo
    Ada goes to Cairo
    Ben stays in Cairo

The last city of a line with "stays" is called its answer. Every draw is from a known list, so a
story's bits are known exactly: no model can need fewer on average. An answer is not drawn. It costs
nothing to a model that looks it up, and log2 of the number of cities to one that knows nothing.
Each word stands after a space, so that a name is always the same token.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana"]
CITIES = ["Athens", "Berlin", "Cairo", "Delhi", "Geneva", "Havana", "Kyoto", "Oslo"]
FEWEST, MOST = 2, 5  # people of a story
EVENTS = 16  # lines after the first ones, which say where everybody is
STAYS = 0.7  # the probability that in a line somebody stays


@dataclass
class Story:
    """A text, the bits of what was drawn for it, and where in the text its answers end."""

    text: str = ""
    bits: float = 0.0
    people: int = 0
    answers: list[int] = field(default_factory=list)


class Teller:
    """It draws a story line by line, and counts the bits of each draw."""

    def __init__(self, rng: random.Random, fewest: int = FEWEST, most: int = MOST):
        self.rng, self.story = rng, Story()
        self.story.people = self.draw(range(fewest, most + 1))
        self.at: dict[str, str] = {}

    def draw(self, offered: Sequence[T]) -> T:
        self.story.bits += math.log2(len(offered))
        return self.rng.choice(offered)

    def happens(self, probability: float) -> bool:
        happened = self.rng.random() < probability
        self.story.bits -= math.log2(probability if happened else 1 - probability)
        return happened

    def say(self, line: str) -> None:
        self.story.text += f" {line}\n"

    def arrive(self) -> None:
        name = self.draw([name for name in NAMES if name not in self.at])
        self.at[name] = self.draw(CITIES)
        self.say(f"{name} is in {self.at[name]}")

    def move(self) -> None:
        name = self.draw([*self.at])
        self.at[name] = self.draw([city for city in CITIES if city != self.at[name]])
        self.say(f"{name} goes to {self.at[name]}")

    def stay(self) -> None:
        name = self.draw([*self.at])
        self.say(f"{name} stays in {self.at[name]}")
        self.story.answers.append(len(self.story.text) - 1)


def told(name: str, fewest: int = FEWEST, most: int = MOST) -> Story:
    """The story of this name: the same on every machine, and another for each name."""
    teller = Teller(random.Random(name), fewest, most)
    for _ in range(teller.story.people):
        teller.arrive()
    for _ in range(EVENTS):
        teller.stay() if teller.happens(STAYS) else teller.move()
    return teller.story
