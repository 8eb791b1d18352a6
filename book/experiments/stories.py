"""Stories from a generator: travellers in cities, some of whom stay where they are.

    Ada is in Oslo
    Ben is in Cairo
    Ada goes to Cairo
    Ben stays in Cairo

The last city of a line with "stays" is called its answer. Every draw is from a known list, so a
story's bits are known exactly: no model can need fewer on average. An answer is not drawn. It costs
nothing to a model that looks it up, and log2 of the number of cities to one that knows nothing.
Each word stands after a space, so that a name is always the same token.

In some stories people visit each other: "Ada visits Ben" names no city, so to say where Ada stays
takes two steps.
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
    """A text, the bits of what was drawn for it, and where in the text its answers end.

    steps: of each answer, how many lines have to be looked up, one after the other.
    """

    text: str = ""
    bits: float = 0.0
    people: int = 0
    answers: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)


class Teller:
    """It draws a story line by line, and counts the bits of each draw."""

    def __init__(self, name: str, fewest: int, most: int, visits: float):
        self.rng, self.story, self.visits = random.Random(name), Story(), visits
        self.story.people = self.draw(range(fewest, most + 1))
        self.at, self.steps = dict[str, str](), dict[str, int]()

    def draw(self, offered: Sequence[T]) -> T:
        self.story.bits += math.log2(len(offered))
        return self.rng.choice(offered)

    def happens(self, probability: float) -> bool:
        happened = self.rng.random() < probability
        self.story.bits -= math.log2(probability if happened else 1 - probability)
        return happened

    def say(self, name: str, does: str, what: str) -> None:
        self.story.text += f" {name} {does} {what}\n"

    def come(self, name: str, does: str, cities: Sequence[str]) -> None:
        """The city is drawn and said."""
        self.at[name], self.steps[name] = self.draw(cities), 1
        self.say(name, does, self.at[name])

    def arrive(self) -> None:
        name = self.draw([name for name in NAMES if name not in self.at])
        self.come(name, "is in", CITIES)

    def move(self) -> None:
        name = self.draw([*self.at])
        self.come(name, "goes to", [city for city in CITIES if city != self.at[name]])

    def visit(self) -> None:
        name = self.draw([*self.at])
        other = self.draw([one for one in self.at if one != name])
        self.at[name], self.steps[name] = self.at[other], self.steps[other] + 1
        self.say(name, "visits", other)

    def stay(self) -> None:
        name = self.draw([*self.at])
        self.say(name, "stays in", self.at[name])
        self.story.answers.append(len(self.story.text) - 1)
        self.story.steps.append(self.steps[name])
        self.steps[name] = 1  # this line says it from now on

    def go_on(self) -> None:
        if self.happens(STAYS):
            self.stay()
        elif self.visits and self.happens(self.visits):
            self.visit()
        else:
            self.move()


def told(name: str, fewest: int = FEWEST, most: int = MOST, visits: float = 0) -> Story:
    """The story of this name: the same on every machine, and another for each name.

    fewest, most: people. visits: the probability that a move names a person, and no city.
    """
    teller = Teller(name, fewest, most, visits)
    for _ in range(teller.story.people):
        teller.arrive()
    for _ in range(EVENTS):
        teller.go_on()
    return teller.story
