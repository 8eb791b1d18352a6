"""Claim 30, time series: attention over a window beside a GRU, an MLP and plain least squares.

Two seeded sources. In `seasons` two periods, the same for all series, add up: the next value is a
fixed weighted sum of the last ones. In `motifs` each series repeats a shape of its own after gaps
of random length: the next value has to be looked up where the shape occurred before. For each
model, source and length of training the learning rate is chosen on held-back windows, with seeds
that are not reported.
"""

from functools import cache

import numpy as np
import torch
from choosing import Choice
from cross_fit import CHOICE, Data, Make, best_rate, parameters, trained
from cross_model import Attention, mlp
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from torch.nn import functional as F
from verdicts import claim

WINDOW, LAGS, MOTIF, NOISE = 48, 4, 6, 0.1
D_MODEL, HEADS = 32, 4
TRAIN, CHECK, TEST, STEPS = 8000, 500, 2000, 400
LONG = 4  # times STEPS: does one that is behind catch up?
SEEDS = range(5)


def seasons(count: int, rng: np.random.Generator) -> np.ndarray:
    """Two waves with random phases and heights, and noise. [count, WINDOW + 1]"""
    time, waves = np.arange(WINDOW + 1), np.zeros((count, WINDOW + 1))
    for period in (7.0, 16.5):
        phase, height = rng.uniform(0, 2 * np.pi, (count, 1)), rng.uniform(0.5, 1.5, (count, 1))
        waves = waves + height * np.sin(2 * np.pi * time / period + phase)
    return waves + NOISE * rng.standard_normal((count, WINDOW + 1))


def motifs(count: int, rng: np.random.Generator) -> np.ndarray:
    """A shape per series, gaps of 2 to 6 zeros, and noise; the last value is inside a shape."""
    clean = np.zeros((count, WINDOW + 1))
    for row in clean:
        shape = rng.standard_normal(MOTIF)
        end = WINDOW + 1 + int(rng.integers(0, MOTIF - LAGS))  # where the last occurrence ends
        while end > 0:
            start = end - MOTIF
            row[max(start, 0) : end] = shape[max(-start, 0) : MOTIF - max(end - len(row), 0)]
            end = start - int(rng.integers(2, 7))
    return clean + NOISE * rng.standard_normal(clean.shape)


SOURCES = {"seasons": seasons, "motifs": motifs}


def tokens(window: Tensor) -> Tensor:
    """Each place with the values just before it. [batch, WINDOW] -> [batch, places, LAGS]"""
    return window.unfold(1, LAGS, 1)


class OverTime(nn.Module):
    """The last place asks, all places before it answer: one layer of attention, then an MLP."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(LAGS, D_MODEL)
        self.position = nn.Parameter(0.1 * torch.randn(WINDOW - LAGS + 1, D_MODEL))
        self.norm, self.attend = nn.LayerNorm(D_MODEL), Attention(D_MODEL, HEADS)
        self.mlp, self.readout = mlp(D_MODEL), nn.Linear(D_MODEL, 1)

    def forward(self, window: Tensor) -> Tensor:
        x = self.norm(self.embed(tokens(window)) + self.position)  # [batch, places, d_model]
        last = x[:, -1:]
        last = last + self.attend(last, self.attend.keep(x))[0]
        return self.readout(last + self.mlp(last)).flatten()  # [batch]


class Recurrent(nn.Module):
    """A GRU over the same tokens; its last state predicts."""

    def __init__(self) -> None:
        super().__init__()
        self.gru, self.readout = nn.GRU(LAGS, 65, batch_first=True), nn.Linear(65, 1)

    def forward(self, window: Tensor) -> Tensor:
        return self.readout(self.gru(tokens(window))[0][:, -1]).flatten()


def multilayer() -> nn.Module:
    return nn.Sequential(
        nn.Linear(WINDOW, 95), nn.GELU(), nn.Linear(95, 95), nn.GELU(), nn.Linear(95, 1),
        nn.Flatten(0),
    )  # fmt: skip


MODELS: dict[str, Make] = {"attention": OverTime, "gru": Recurrent, "mlp": multilayer}


def data(source: str, seed: int) -> tuple[Data, Data, Data]:
    """Windows and next values to train on, to choose the rate by, and to test on."""
    rng = np.random.default_rng(seed)
    series = torch.from_numpy(SOURCES[source](TRAIN + CHECK + TEST, rng)).float()
    parts = series.split([TRAIN, CHECK, TEST])
    train, check, test = ((part[:, :-1], part[:, -1]) for part in parts)
    return train, check, test


def least_squares(train: Data, test: Data) -> float:
    """Share of the variance that the best linear predictor leaves."""
    solution = torch.linalg.lstsq(train[0].double(), train[1].double()[:, None]).solution
    return unexplained((test[0].double() @ solution).flatten(), test[1].double())


def unexplained(made: Tensor, true: Tensor) -> float:
    return ((made - true).square().mean() / true.var(correction=0)).item()


@cache
def rate_of(name: str, source: str, steps: int) -> Choice:
    train, check, _ = data(source, CHOICE)
    return best_rate(MODELS[name], train, check, F.mse_loss, steps)


def score(name: str, source: str, seed: int, steps: int = STEPS) -> float:
    """Share of the variance of the next value that the model leaves on the test."""
    train, _, test = data(source, seed)
    rate = rate_of(name, source, steps).best
    model = trained(MODELS[name], train, F.mse_loss, steps, rate, seed)
    with torch.no_grad():
        return unexplained(model(test[0]), test[1])


CLAIMS = [
    claim(
        30,
        "Attention serves time series as well.",
        "Variance of the next value left unexplained. Shapes that return after gaps of unknown "
        "length: attention {motifs_attention}, a GRU of as many parameters {motifs_gru}, an MLP "
        "{motifs_mlp}, least squares {motifs_linear}; after four times the training attention "
        "{motifs_attention_long}, the GRU {motifs_gru_long}. Two fixed periods: "
        "{seasons_attention}, {seasons_gru}, {seasons_mlp} and {seasons_linear}.",
        "holds if",
        "the next value has to be looked up at a place that differs from series to series",
        scope="8,000 simulated windows of 48 values, models of about 14,000 parameters, 400 steps "
        "of Adam, or four times as many",
        control="A lack of training: after four times the steps the GRU leaves {motifs_gru_long} "
        "and attention {motifs_attention_long}. The source: with two fixed periods nothing has to "
        "be looked up, and least squares leaves less than attention.",
        without_attention="motifs_gru",
        stands=lambda n: (
            n.motifs_attention < min(n.motifs_gru, n.motifs_linear, n.motifs_mlp) / 2
            and n.motifs_attention_long < n.motifs_gru_long
            and n.seasons_linear < n.seasons_attention
        ),
    )
]


def measure() -> tuple[Numbers, Series]:
    numbers = {f"{name}_parameters": number(parameters(make()), ",.0f")
               for name, make in MODELS.items()}  # fmt: skip
    numbers |= {"train": number(TRAIN, ",d"), "window": number(WINDOW, "d"),
                "steps": number(STEPS, ",d"), "long": number(LONG * STEPS, ",d")}  # fmt: skip
    for source in SOURCES:
        sets = [data(source, seed) for seed in SEEDS]
        linear = [least_squares(train, test) for train, _, test in sets]
        noise = [NOISE**2 / test[1].var().item() for *_, test in sets]
        numbers[f"{source}_linear"] = number(linear, ".1%")
        numbers[f"{source}_floor"] = number(noise, ".1%")
        print(source, linear, noise, flush=True)
        for name in MODELS:
            shares = [score(name, source, seed) for seed in SEEDS]
            numbers[f"{source}_{name}"] = number(shares, ".1%")
            numbers[f"{source}_{name}_rate"] = rate_of(name, source, STEPS).number(".2g")
            print(source, name, shares, flush=True)
    for name in ("attention", "gru"):
        shares = [score(name, "motifs", seed, LONG * STEPS) for seed in SEEDS]
        numbers[f"motifs_{name}_long"] = number(shares, ".1%")
        numbers[f"motifs_{name}_long_rate"] = rate_of(name, "motifs", LONG * STEPS).number(".2g")
        print("motifs", name, "long", shares, flush=True)
    examples = {source: data(source, 0)[2] for source in SOURCES}
    series = {source: (test[0][:2].tolist(), test[1][:2].tolist())
              for source, test in examples.items()}  # fmt: skip
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
