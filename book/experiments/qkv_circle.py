"""What can a head with Q = K do on a circle, where each name asks for the next, and what is found?

No symmetric scores let all of eight names find the next one. Seven can: a head is made by hand
whose names lie on a spiral of the plane. Then heads are trained from random weights on the
successor task of qkv_tied, twenty seeds a width and four times as long as there. The learning rate
is the one with which ten other seeds make fewest mistakes on average, since only some of them find
seven names at any rate.
"""

import math
from statistics import fmean

import torch
from choosing import Choice, search
from measurements import Numbers, Series, number, run_and_save
from qkv_tied import SYMBOLS, TOKENS, Head, Task, train
from torch import Tensor

SEEDS, TUNING = range(20), range(200, 210)
WIDTHS, RATE, STEPS = (4, 16), 0.01, 2400  # RATE: the one that is tried first
TURN, GROWTH, FIRST = math.radians(38), 2.0, 4.0  # of the spiral: angle, ratio and first length
SOLVED = 0.8  # an accuracy above all that find six of eight


def spiral() -> Tensor:
    """Vectors of the names: each is turned and longer than the one before. [names, 2]"""
    step = torch.arange(TOKENS, dtype=torch.float64)
    length = FIRST * GROWTH**step
    return torch.stack([length * (TURN * step).cos(), length * (TURN * step).sin()], dim=-1)


def weights_of_spiral() -> Tensor:
    """Weights where query and key of a name are the same vector. [names, names]"""
    return (spiral() @ spiral().T / math.sqrt(2)).softmax(dim=-1)


def made_head(task: Task, width: int) -> Head:
    """A head with Q = K that puts the names on the spiral, in its first two entries."""
    head = Head("kkv", width, SEEDS)
    known = torch.cat([task.names[:, :TOKENS], task.goods], dim=1)  # [seeds, symbols, d_model]
    key = torch.zeros(known.size(1), width)
    key[:TOKENS, :2] = spiral().float() * (width / 2) ** 0.25  # the root divides by the width
    value = torch.zeros(known.size(1), width)
    value[TOKENS:] = torch.eye(SYMBOLS, width)  # each of the goods has an entry
    inverse = torch.linalg.pinv(known.double()).float()  # [seeds, d_model, symbols]
    head.W["k"], head.W["v"] = (inverse @ key)[:, None], (inverse @ value)[:, None]
    head.W_o = (
        torch.linalg.pinv(task.goods.double()).float().mT[:, None]
    )  # [seeds, 1, goods, d_model]
    return head


def made_accuracy() -> list[float]:
    """Accuracy of the heads made by hand, one per seed."""
    task = Task("successor", SEEDS)
    return made_head(task, SYMBOLS).accuracy(task.batch(1000))


def best_rate(width: int) -> Choice:
    """The rate with which the tuning seeds, trained at once, make fewest mistakes on average."""

    def mistakes(rate: float, _: int) -> float:
        return 1 - fmean(train("successor", "kkv", width, rate, TUNING, STEPS))

    return search(mistakes, TUNING[:1], RATE, 10**0.5)


def trained() -> dict[int, tuple[Choice, list[float]]]:
    """By width: the choice of the rate, and the accuracies with it, sorted."""
    found = {}
    for width in WIDTHS:
        choice = best_rate(width)
        found[width] = choice, sorted(train("successor", "kkv", width, choice.best, SEEDS, STEPS))
        print(width, choice.losses, [f"{a:.2f}" for a in found[width][1]], flush=True)
    return found


def measure() -> tuple[Numbers, Series]:
    weights = weights_of_spiral()
    found = trained()
    numbers: Numbers = {
        "names": number(TOKENS, "d"),
        "seeds": number(len(SEEDS), "d"),
        "rate_first": number(RATE, "g"),
        "steps": number(STEPS, ",d"),
        "least": number(weights.diagonal(1).min().item(), ".3f"),
        "last": number(weights[-1, -1].item(), ".3f"),
        "made": number(made_accuracy(), ".2f"),
    }
    for width, (choice, sample) in found.items():
        first = train("successor", "kkv", width, RATE, SEEDS, STEPS)
        numbers[f"solved_first_{width}"] = number(sum(a > SOLVED for a in first), "d")
        numbers[f"rate_{width}"] = choice.number(".2g")
        numbers[f"solved_{width}"] = number(sum(a > SOLVED for a in sample), "d")
        numbers[f"most_{width}"] = number(max(sample), ".2f")
        numbers[f"median_{width}"] = number(sorted(sample)[len(sample) // 2], ".2f")
    return numbers, {
        "weights": weights.tolist(),
        "widths": list(found),
        "runs": [sample for _, sample in found.values()],
    }


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
