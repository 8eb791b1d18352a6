"""The stories of `stories.py` with more names, as tokens: three a line, a name, words and a city.

All stories have as many lines, however many people they have, so they are all as long.
"""

from dataclasses import dataclass
from functools import cache

import torch
from stories import CITIES, NAMES, Teller
from torch import Tensor

MORE = [*NAMES, "Ivan", "Jana", "Karl", "Lena", "Mila", "Nina", "Omar", "Pia"]
DOES = ["is in", "goes to", "stays in"]
TOKENS = {word: at for at, word in enumerate([*MORE, *DOES, *CITIES])}
LINE = 3  # tokens
LINES = 20


class Crowd(Teller):
    """Of people whose names are among `MORE`."""

    def arrive(self) -> None:
        name = self.draw([name for name in MORE if name not in self.at])
        self.come(name, "is in", CITIES)


@dataclass
class Stories:
    tokens: Tensor  # [stories, 3 LINES]
    answers: Tensor  # [stories, 3 LINES]: whether the token is an answer
    people: Tensor  # [stories]


@cache
def stories(kind: str, count: int, fewest: int, most: int) -> Stories:
    """The same for each kind of story on every machine. fewest, most: people."""
    rows, answers, people = [], [], []
    for at in range(count):
        teller = Crowd(f"{kind} {at}", fewest, most, visits=0)
        for _ in range(teller.story.people):
            teller.arrive()
        for _ in range(LINES - teller.story.people):
            teller.go_on()
        words = [word for line in teller.story.text.splitlines() for word in parts(line)]
        rows.append([TOKENS[word] for word in words])
        answers.append([at > 1 and words[at - 1] == "stays in" for at in range(len(words))])
        people.append(teller.story.people)
    return Stories(torch.tensor(rows), torch.tensor(answers), torch.tensor(people))


def parts(line: str) -> list[str]:
    name, *does, city = line.split()
    return [name, " ".join(does), city]
