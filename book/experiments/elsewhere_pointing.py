"""Claim 36, question answering: an answer that is a place in the story.

A story is eight facts, "person has taken thing", and a later fact about a thing replaces an earlier
one. Asked who has a thing, `pointer` answers with its weights over the facts: the greatest one is
the answer, and no list of answers exists. `naming` mixes the facts with such weights and chooses a
name from a list; `vector` chooses from the list after a GRU has read the story, and `places` one of
the facts. `asked` is `places` with the question before the story, so that the GRU knows what to
look for. Do they lack training? Each GRU is also trained for four times the steps. Persons and
things are given as fixed random vectors: those of the test can be other ones than in training.
"""

from functools import partial

import torch
from cross_fit import CHOICE, Data, Make, best_rate, parameters, trained
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from torch.nn import functional as F
from verdicts import claim

FACTS, THINGS, PERSONS = 8, 5, 20  # in a story: facts, different things; known persons
KNOWN, SYMBOLS, WIDTH = 20, 1000, 32  # known things; vectors of either kind; their width
HIDDEN = 64
TRAIN, CHECK, TEST, STEPS = 20_000, 1000, 2000, 1000
LONG = 4  # times STEPS
SEEDS = range(5)


def symbols() -> tuple[Tensor, Tensor]:
    """Vectors of persons and of things, [SYMBOLS, WIDTH] each, the same for all seeds."""
    rng = torch.Generator().manual_seed(0)
    persons, things = torch.randn(2, SYMBOLS, WIDTH, generator=rng)
    return persons, things


def stories(count: int, seed: int, new: str = "") -> tuple[Tensor, Tensor, Tensor]:
    """Persons and things [count, FACTS], and the fact that is asked for: the last of its thing."""
    rng = torch.Generator().manual_seed(seed)
    persons = _drawn(count, FACTS, PERSONS, new == "persons", rng)
    few = _drawn(count, THINGS, KNOWN, new == "things", rng)
    which = torch.randint(THINGS, (count, FACTS), generator=rng)
    asked = torch.randint(FACTS, (count, 1), generator=rng)
    same = which == which.gather(1, asked)  # [count, FACTS]
    last = (same * torch.arange(1, FACTS + 1)).argmax(dim=1)
    return persons, few.gather(1, which), last


def _drawn(count: int, size: int, known: int, new: bool, rng: torch.Generator) -> Tensor:
    """Different symbols for each story, of those known or of the others."""
    total = SYMBOLS - known if new else known
    drawn = torch.rand(count, total, generator=rng).topk(size).indices
    return drawn + known if new else drawn


def told(story: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """What a model sees: facts [batch, FACTS, 2 WIDTH], and the thing asked for [batch, WIDTH]."""
    persons, things = symbols()
    who, what, last = story
    facts = torch.cat([persons[who], things[what]], dim=-1)
    return facts, things[what.gather(1, last[:, None])[:, 0]]


class Pointer(nn.Module):
    """One step of attention over the facts: its scores are the output, or its mixture is read."""

    def __init__(self, naming: bool = False):
        super().__init__()
        self.position = nn.Parameter(0.1 * torch.randn(FACTS, HIDDEN))
        self.W_q, self.W_k = nn.Linear(WIDTH, HIDDEN), nn.Linear(2 * WIDTH, HIDDEN)
        self.read = nn.Sequential(nn.Linear(2 * WIDTH, PERSONS)) if naming else None

    def forward(self, facts: Tensor, asked: Tensor) -> Tensor:
        key, query = self.W_k(facts) + self.position, self.W_q(asked)[:, :, None]
        scores = (key @ query)[..., 0] / HIDDEN**0.5  # [batch, facts]
        if self.read is None:
            return scores
        mixed = (scores.softmax(dim=-1)[:, None] @ facts)[:, 0]  # [batch, 2 WIDTH]
        return self.read(mixed)


class OneVector(nn.Module):
    """A GRU reads the story into one vector, which with the question gives a name or a place."""

    def __init__(self, answers: int, asked_first: bool = False):
        super().__init__()
        self.asked_first = asked_first
        self.gru = nn.GRU(2 * WIDTH, HIDDEN, batch_first=True)
        self.read = nn.Sequential(nn.Linear(HIDDEN + WIDTH, HIDDEN), nn.GELU(),
                                  nn.Linear(HIDDEN, answers))  # fmt: skip

    def forward(self, facts: Tensor, asked: Tensor) -> Tensor:
        if self.asked_first:  # a fact without a person
            question = F.pad(asked, (WIDTH, 0))[:, None]
            facts = torch.cat([question, facts], dim=1)
        return self.read(torch.cat([self.gru(facts)[0][:, -1], asked], dim=-1))


MODELS: dict[str, Make] = {
    "pointer": Pointer,
    "naming": partial(Pointer, naming=True),
    "vector": partial(OneVector, PERSONS),
    "places": partial(OneVector, FACTS),
    "asked": partial(OneVector, FACTS, asked_first=True),
}
GRUS = ("vector", "places", "asked")
BY_PLACE = ("pointer", "places", "asked")  # their answer is a fact and not a name


def data(name: str, count: int, seed: int, new: str = "") -> Data:
    story = stories(count, seed, new)
    who, _, last = story
    return *told(story), last if name in BY_PLACE else who.gather(1, last[:, None])[:, 0]


def correct(name: str, model: nn.Module, seed: int, new: str = "") -> float:
    """Share of stories whose answer is correct; two persons of a story are never the same."""
    facts, asked, true = data(name, TEST, 10_000 + seed, new)
    with torch.no_grad():
        return (model(facts, asked).argmax(dim=-1) == true).float().mean().item()


CLAIMS = [
    claim(
        36,
        "Attention answers questions by matching a question with the passage that holds the "
        "answer.",
        "Stories of 8 facts, correct answers: weights that point {pointer_known}. A GRU that reads "
        "the question after the story {places_known}, before it {asked_known}; after four times "
        "the steps {places_long_known} and {asked_long_known}. Weights that point, persons never "
        "met in training: {pointer_persons}; things never met: {pointer_things}.",
        "holds if",
        "the thing that the question names was met in training",
        scope="stories of 8 facts about at most 5 things, a token a fact, one step of attention 64 "
        "wide, 1,000 steps of Adam or four times as many, on 20,000 stories",
        control="The last fact is the right one in three stories of ten, so a network that always "
        "chose it would be far behind. A GRU could fail for want of training or of the question: "
        "it was also trained for four times the steps and given the question first.",
        without_attention="asked_long_known",
        stands=lambda n: (
            n.pointer_known > max(0.95, n.asked_long_known + 0.1)
            and n.pointer_persons > 0.8
            and n.pointer_things < n.pointer_known - 0.1
        ),
    )
]


def tested(name: str, steps: int) -> Numbers:
    """The rate that other seeds chose, and the shares of correct answers at it."""
    make, train, check = MODELS[name], data(name, TRAIN, CHOICE), data(name, CHECK, CHOICE + 1)
    rate = best_rate(make, train, check, F.cross_entropy, steps)
    models = [trained(make, data(name, TRAIN, seed), F.cross_entropy, steps, rate.best, seed)
              for seed in SEEDS]  # fmt: skip
    numbers = {"rate": rate.number(".2g"), "parameters": number(parameters(models[0]), ",.0f")}
    for new in ("", "persons", "things"):
        if new == "persons" and name not in BY_PLACE:
            continue  # a name that is not in the list cannot be chosen
        shares = [correct(name, model, seed, new)
                  for model, seed in zip(models, SEEDS, strict=True)]  # fmt: skip
        print(name, steps, rate.best, new, shares, flush=True)
        numbers[new or "known"] = number(shares, ".1%")
    return numbers


def measure() -> tuple[Numbers, Series]:
    numbers = {"facts": number(FACTS, "d"), "things": number(THINGS, "d"),
               "persons": number(PERSONS, "d"), "known": number(KNOWN, "d"),
               "steps": number(STEPS, ",d"), "long": number(LONG * STEPS, ",d")}  # fmt: skip
    for name in MODELS:
        numbers |= {f"{name}_{key}": found for key, found in tested(name, STEPS).items()}
    for name in GRUS:
        long = tested(name, LONG * STEPS)
        numbers |= {f"{name}_long_{key}": found for key, found in long.items()}
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
