"""Claim 35, captioning: a decoder writes the digits of a picture, from left to right.

A small CNN makes 16 vectors of a picture with three digits at random places; each sees a field of
16 by 16 pixels. One decoder attends to the 16 vectors, the other to their mean. Where does the
weight lie, and what is left when the decoder may not see the vectors of the digit that it writes?
The digits of training and test are different drawings in the same fonts.
"""

from functools import lru_cache

import numpy as np
import torch
from choosing import Choice
from cross_fit import CHOICE, Data, best_rate, parameters, trained
from cross_model import Translator
from cross_patches import DIGITS, SIDE, TRAINED, draw, font
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from torch.nn import functional as F
from verdicts import claim

WIDTH, WRITTEN, STRIDE = 64, 3, 8  # pixels, digits, pixels between two vectors
COLUMNS, ROWS = WIDTH // STRIDE, SIDE // STRIDE
START = DIGITS  # the sign before the first digit
DRAWN, TRAIN, CHECK, TEST = 3000, 8000, 500, 1000
NOISE, STEPS = 0.15, 700
D_MODEL, HEADS = 32, 4
SEEDS = range(5, 10)  # the rule that chooses a rate was settled on 0 to 4


@lru_cache
def drawings(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Digits [count, SIDE, SIDE] without noise, and which they are [count]."""
    rng, faces = np.random.default_rng(seed), [font(name) for name in TRAINED]
    which = rng.integers(DIGITS, size=count)
    return np.stack([draw(digit, faces[rng.integers(len(faces))], rng) for digit in which]), which


@lru_cache
def pictures(count: int, seed: int, drawn: int) -> tuple[Tensor, Tensor, Tensor]:
    """Noisy pictures [count, SIDE, WIDTH], captions [count, WRITTEN], left edges of the digits."""
    rng = np.random.default_rng(seed)
    digits, which = drawings(drawn, seed)
    chosen = rng.integers(drawn, size=(count, WRITTEN))
    gaps = np.sort(rng.integers(0, WIDTH - WRITTEN * SIDE + 1, size=(count, WRITTEN)))
    edges = gaps + SIDE * np.arange(WRITTEN)
    canvas = NOISE * rng.standard_normal((count, SIDE, WIDTH), dtype=np.float32)
    for picture, row, lefts in zip(canvas, chosen, edges, strict=True):
        for at, left in zip(row, lefts, strict=True):
            picture[:, left : left + SIDE] += digits[at]
    return torch.from_numpy(canvas), torch.from_numpy(which[chosen]), torch.from_numpy(edges)


def before(captions: Tensor) -> Tensor:
    """What the decoder has written before each digit. [batch, WRITTEN]"""
    return F.pad(captions[:, :-1], (1, 0), value=START)


def convolutions(d_model: int, _: int) -> nn.Module:
    """A picture [batch, 1, SIDE, WIDTH] -> vectors [batch, d_model, ROWS, COLUMNS]"""
    return nn.Sequential(
        nn.Conv2d(1, 16, 4, stride=2, padding=1), nn.GELU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.GELU(),
        nn.Conv2d(32, d_model, 3, stride=2, padding=1),
    )  # fmt: skip


class Captioner(Translator):
    """The translator of the dates, which reads a picture: its memory comes from a CNN."""

    def __init__(self, pooled: bool = False):
        symbols, lengths = (1, DIGITS + 1), (ROWS * COLUMNS, WRITTEN)
        super().__init__(symbols, lengths, D_MODEL, HEADS, encoder=convolutions, pooled=pooled)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Memory [batch, ROWS * COLUMNS, d_model], or its mean, and a mask that hides nothing."""
        seen = self.encoder(source[:, None]).flatten(2).mT + self.position[0]
        memory = self.norm_memory(seen)
        if self.pooled:
            memory = memory.mean(dim=1, keepdim=True)
        return memory, torch.ones(len(source), 1, 1, memory.size(1), dtype=torch.bool)


def loss(logits: Tensor, captions: Tensor) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), captions.flatten())


def data(seed: int) -> tuple[Data, Data]:
    images, captions, _ = pictures(TRAIN + CHECK, seed, DRAWN)
    whole = images, before(captions), captions
    return tuple(x[:TRAIN] for x in whole), tuple(x[TRAIN:] for x in whole)


def under(edges: Tensor) -> Tensor:
    """Which vectors lie where a digit was drawn. [batch, WRITTEN, ROWS * COLUMNS]"""
    left = torch.arange(COLUMNS) * STRIDE
    over = (left < edges[..., None] + SIDE) & (left + STRIDE > edges[..., None])
    return over.repeat(1, 1, ROWS)  # a row of vectors, then the next


def looked_at(weights: Tensor, own: Tensor) -> tuple[float, float]:
    """Share of weight on the digit being written; how often the largest weight lies there."""
    mean = weights.mean(dim=1)  # [batch, WRITTEN, keys]
    top = own.gather(2, mean.argmax(dim=-1, keepdim=True)).float().mean()
    return (mean * own).sum(dim=-1).mean().item(), top.item()


def without(model: Captioner, images: Tensor, captions: Tensor, own: Tensor, of: int) -> float:
    """Share of first and last digits that are correct when the vectors of a digit are hidden.

    `of` 0 hides the vectors of the digit itself, 1 those of the digit at the other end.
    """
    correct = []
    for at in (0, WRITTEN - 1):
        hidden = own[:, at if of == 0 else WRITTEN - 1 - at]
        made, _ = model.greedy(images, START, WRITTEN, hidden)
        correct.append((made[:, at] == captions[:, at]).float().mean().item())
    return sum(correct) / 2


def test(model: Captioner, seed: int) -> dict[str, float]:
    images, captions, edges = pictures(TEST, 10_000 + seed, TEST)
    made, weights = model.greedy(images, START, WRITTEN)
    found = {"exact": (made == captions).all(dim=1).float().mean().item(),
             "digits": (made == captions).float().mean().item()}  # fmt: skip
    if model.pooled:
        return found
    own = under(edges)
    found["share"], found["top"] = looked_at(weights, own)
    found["ends"] = (made == captions)[:, [0, -1]].float().mean().item()
    found["chance"] = own.float().mean().item()
    found["without_own"] = without(model, images, captions, own, 0)
    found["without_other"] = without(model, images, captions, own, 1)
    return found


def example(model: Captioner) -> Series:
    """One picture, what was written, and the weights of each digit. [WRITTEN, ROWS, COLUMNS]"""
    images, captions, _ = pictures(TEST, 10_000, TEST)
    made, weights = model.greedy(images[:1], START, WRITTEN)
    looked = weights[0].mean(dim=0).view(WRITTEN, ROWS, COLUMNS)
    return {"picture": images[0].round(decimals=2).tolist(), "caption": captions[0].tolist(),
            "made": made[0].tolist(), "weights": looked.tolist()}  # fmt: skip


CLAIMS = [
    claim(
        35,
        "In image captioning, attention grounds generated words in regions of the image.",
        "Pictures of three digits, captions without a mistake: {vectors_exact} with attention to "
        "16 vectors, {mean_exact} with their mean. {vectors_share} of the weight lies on the digit "
        "being written (a uniform share: {vectors_chance}). Of the first and last digits, "
        "{vectors_ends} are correct with nothing hidden from the decoder, {vectors_without_own} "
        "without their own vectors and {vectors_without_other} without those of the digit at the "
        "other end.",
        "holds",
        scope="pictures of three digits, a CNN and a decoder 32 wide, 700 steps of Adam",
        control="Weights alone do not show where a digit comes from; hiding its vectors from the "
        "decoder does. Hiding those of the digit at the other end excludes that hiding anything "
        "does the harm.",
        stands=lambda n: (
            n.vectors_share > n.vectors_chance + 0.15
            and n.vectors_exact > n.mean_exact
            and n.vectors_without_own < n.vectors_without_other - 0.2
        ),
    )
]


def models(name: str) -> tuple[Choice, list[Captioner]]:
    """The rate that other seeds chose, and a model of each seed trained at it."""
    pooled = name == "mean"
    train, check = data(CHOICE)
    rate = best_rate(lambda: Captioner(pooled), train, check, loss, STEPS)
    print(name, rate.best, flush=True)
    made = [trained(lambda: Captioner(pooled), data(seed)[0], loss, STEPS, rate.best, seed)
            for seed in SEEDS]  # fmt: skip
    return rate, [model for model in made if isinstance(model, Captioner)]


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {"steps": number(STEPS, ",d"), "test": number(TEST, ",d")}
    series: Series = {}
    for name in ("mean", "vectors"):
        rate, each = models(name)
        runs = [test(model, seed) for model, seed in zip(each, SEEDS, strict=True)]
        print(runs, flush=True)
        numbers |= {f"{name}_{key}": number([run[key] for run in runs], ".1%") for key in runs[0]}
        numbers[f"{name}_rate"] = rate.number(".2g")
        numbers[f"{name}_parameters"] = number(parameters(each[0]), ",.0f")
        if not each[0].pooled:
            series = example(each[0])
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
