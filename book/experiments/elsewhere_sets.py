"""A set becomes one vector: by a mean, a sum, a maximum, or by queries that are learned.

A set holds up to 24 symbols of 16, which may repeat; one of them is marked. Four questions: which
is the greatest, which is marked, how many different ones are there, how many elements? The last
is asked again of sets without a mark. Each network learns one answer, and differs from the others
only in how it pools. Trained on sets of 8 to 12 elements, it is also tested on sets of 24.
"""

from functools import partial

import torch
from choosing import Choice
from cross_fit import CHOICE, Data, best_rate, trained
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from torch.nn import functional as F

SYMBOLS, KINDS = 16, 8  # symbols, and at most so many different ones in a set
LEAST, MOST, LONGER = 8, 12, 24  # elements
D_MODEL, NOTHING = 32, -1
TRAIN, CHECK, TEST, STEPS = 8000, 1000, 2000, 400
SEEDS = range(5, 10)  # the rule that chooses a rate was settled on 0 to 4
QUESTIONS = ("greatest", "marked", "different", "elements", "unmarked")
POOLINGS = ("mean", "max", "sum", "one", "four")  # the last two: learned queries


def sets(count: int, least: int, most: int, seed: int) -> tuple[Tensor, dict[str, Tensor]]:
    """Symbols and marks [count, most, 2], NOTHING where a set has ended, and the true answers."""
    rng = torch.Generator().manual_seed(seed)
    size = torch.randint(least, most + 1, (count, 1), generator=rng)
    kinds = torch.randint(1, KINDS + 1, (count, 1), generator=rng)
    palette = torch.rand(count, SYMBOLS, generator=rng).argsort(dim=-1)
    drawn = (torch.rand(count, most, generator=rng) * kinds).long()
    at = torch.arange(most)
    drawn = torch.where(at < kinds, at, drawn)  # each of its kinds occurs once at least
    symbols = palette.gather(1, drawn)
    marked = (torch.rand(count, 1, generator=rng) * size).long()
    symbols = torch.where(at < size, symbols, NOTHING)
    answers = {"greatest": symbols.max(dim=1).values, "marked": symbols.gather(1, marked)[:, 0],
               "different": kinds[:, 0], "elements": size[:, 0]}  # fmt: skip
    return torch.stack([symbols, (at == marked).long()], dim=-1), answers


class Queries(nn.Module):
    """Attention whose queries are learned and the same for every set."""

    def __init__(self, count: int):
        super().__init__()
        self.query = nn.Parameter(torch.randn(count, D_MODEL))
        self.W_k, self.W_v = nn.Linear(D_MODEL, D_MODEL), nn.Linear(D_MODEL, D_MODEL)

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        scores = self.query @ self.W_k(x).mT / D_MODEL**0.5  # [batch, queries, keys]
        weights = scores.masked_fill(~real[:, None], float("-inf")).softmax(dim=-1)
        return (weights @ self.W_v(x)).flatten(1)  # [batch, queries * d_model]


def pooled(how: str, x: Tensor, real: Tensor) -> Tensor:
    """[batch, keys, d_model] -> [batch, d_model]; padding takes no part."""
    if how == "max":
        return x.masked_fill(~real[..., None], float("-inf")).max(dim=1).values
    total = (x * real[..., None]).sum(dim=1)
    return total / real.sum(dim=1, keepdim=True) if how == "mean" else total


class OverSet(nn.Module):
    """Each element by itself, the pool, and a network that answers."""

    def __init__(self, how: str):
        super().__init__()
        queries = {"one": 1, "four": 4}.get(how, 0)
        self.symbol, self.mark = nn.Embedding(SYMBOLS, D_MODEL), nn.Embedding(2, D_MODEL)
        self.each = nn.Sequential(nn.GELU(), nn.Linear(D_MODEL, D_MODEL), nn.GELU(),
                                  nn.Linear(D_MODEL, D_MODEL))  # fmt: skip
        self.pool = Queries(queries) if queries else partial(pooled, how)
        self.read = nn.Sequential(nn.Linear(max(queries, 1) * D_MODEL, 2 * D_MODEL), nn.GELU(),
                                  nn.Linear(2 * D_MODEL, SYMBOLS))  # fmt: skip

    def forward(self, elements: Tensor) -> Tensor:
        symbol, mark = elements.unbind(dim=-1)
        real = symbol != NOTHING
        x = self.each(self.symbol(symbol.clamp(min=0)) + self.mark(mark))
        return self.read(self.pool(x, real))  # [batch, SYMBOLS], the answers in question


def data(question: str, count: int, seed: int, least: int = LEAST, most: int = MOST) -> Data:
    elements, answers = sets(count, least, most, seed)
    if question == "unmarked":
        return elements * torch.tensor([1, 0]), answers["elements"]
    return elements, answers[question]


def correct(model: nn.Module, test: Data) -> float:
    with torch.no_grad():
        return (model(test[0]).argmax(dim=-1) == test[1]).float().mean().item()


def rate_of(question: str, how: str) -> Choice:
    train, check = data(question, TRAIN, CHOICE), data(question, CHECK, CHOICE + 1)
    return best_rate(partial(OverSet, how), train, check, F.cross_entropy, STEPS)


def runs(question: str, how: str, rate: float) -> dict[str, list[float]]:
    """Share of correct answers on sets of the trained sizes, and on longer ones if it can be."""
    make = partial(OverSet, how)
    found: dict[str, list[float]] = {"": []}
    for seed in SEEDS:
        model = trained(make, data(question, TRAIN, seed), F.cross_entropy, STEPS, rate, seed)
        found[""].append(correct(model, data(question, TEST, 10_000 + seed)))
        if question not in ("elements", "unmarked"):  # no network has ever answered 24
            longer = data(question, TEST, 20_000 + seed, LONGER, LONGER)
            found.setdefault("_longer", []).append(correct(model, longer))
    print(question, how, rate, found, flush=True)
    return found


def twice() -> float:
    """How far learned queries tell a set from the same set twice: not at all, to rounding."""
    torch.manual_seed(0)
    model = OverSet("four").double()
    elements, _ = sets(100, LEAST, LEAST, 0)
    again = torch.cat([elements, elements], dim=1)
    return (model(elements) - model(again)).abs().max().item()


def measure() -> tuple[Numbers, Series]:
    numbers = {"twice": number(twice(), ".0e"),
               "guess": number(1 / (MOST - LEAST + 1), ".1%"), "longer": number(LONGER, "d"),
               "train": number(TRAIN, ",d"), "steps": number(STEPS, ",d")}  # fmt: skip
    for question in QUESTIONS:
        for how in POOLINGS:
            rate = rate_of(question, how)
            numbers[f"{question}_{how}_rate"] = rate.number(".2g")
            for key, shares in runs(question, how, rate.best).items():
                numbers[f"{question}_{how}{key}"] = number(shares, ".1%")
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
