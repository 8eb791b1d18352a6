"""Splitting and merging heads with `view` alone: it runs, it trains, and what it breaks.

The four ways differ only in whether a transpose stands between the view and the heads. Two tasks:
`near`, a Markov chain of order two with a known floor; `far`, where the second half of a window of
random symbols repeats the first half.
"""

from typing import Any

import numpy as np
import torch
from markov import Chain
from masks_leak import LENGTH, SYMBOLS, Decoder, losses, losses_without_future, the_chain
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from torch.nn import functional as F

HEADS, BATCH, STEPS = 4, 64, {"near": 500, "far": 300}
SEEDS = range(5)
WAYS = {  # is there a transpose in the split, in the merge?
    "right": (True, True),
    "both": (False, False),
    "split": (False, True),
    "merge": (True, False),
}
RUNS = [("near", way) for way in WAYS] + [("far", "right"), ("far", "both")]


def split_heads(x: Tensor, transpose: bool) -> Tensor:
    """[batch, length, d_model] to [batch, heads, length, d_k]; correct only with the transpose."""
    batch, length, d_model = x.shape
    if transpose:
        return x.view(batch, length, HEADS, d_model // HEADS).transpose(1, 2)
    return x.view(batch, HEADS, length, d_model // HEADS)


def merge_heads(x: Tensor, transpose: bool) -> Tensor:
    """[batch, heads, length, d_k] to [batch, length, d_model]."""
    batch, heads, length, d_k = x.shape
    x = x.transpose(1, 2) if transpose else x
    return x.reshape(batch, length, heads * d_k)


class Viewer(Decoder):
    """The causal decoder of the masks chapter; `way` says where a transpose is missing."""

    def __init__(self, way: str) -> None:
        super().__init__(lookahead=0)
        self.way = WAYS[way]

    def attend(self, x: Tensor) -> Tensor:
        query, key, value = (split_heads(p.contiguous(), self.way[0]) for p in self.project(x))
        output = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.W_o(merge_heads(output, self.way[1]))

    def project(self, x: Tensor) -> tuple[Tensor, ...]:
        return self.W_qkv(x).chunk(3, dim=-1)  # each [batch, length, d_model]


def repeats(rng: np.random.Generator, batch: int) -> np.ndarray:
    """Random symbols, the second half a copy of the first: [batch, LENGTH + 1]."""
    half = rng.integers(SYMBOLS, size=(batch, LENGTH // 2))
    return np.concatenate([half, half, half[:, :1]], axis=1)


def sample(task: str, chain: Chain, rng: np.random.Generator, batch: int) -> Tensor:
    near = task == "near"
    return torch.from_numpy(chain.sample(batch, LENGTH + 1, rng) if near else repeats(rng, batch))


def scored(task: str, loss: Tensor) -> Tensor:
    """The part of a loss [batch, length] that can be predicted: in `far`, the second half."""
    return loss if task == "near" else loss[:, LENGTH // 2 - 1 :]


def train(chain: Chain, task: str, way: str, seed: int) -> Viewer:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model, steps = Viewer(way), STEPS[task]
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=steps)
    for _ in range(steps):
        loss = scored(task, losses(model, sample(task, chain, rng, BATCH))).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model


@torch.no_grad()
def score(model: Viewer, chain: Chain, task: str, way: str, seed: int) -> dict[str, Any]:
    """Loss on new sequences, all at once and prefix by prefix as when a text is generated."""
    rng = np.random.default_rng(10_000 + seed)
    tokens = sample(task, chain, rng, 1000)
    at_once, alone = losses(model, tokens), losses_without_future(model, tokens)
    result = {
        "loss": scored(task, at_once).mean().item(),
        "alone": scored(task, alone).mean().item(),
        "by_position": at_once.mean(dim=0).tolist(),
    }
    print(task, way, seed, f"{result['loss']:.3f} {result['alone']:.3f}", flush=True)
    return result


def sight(way: str, seed: int = 0) -> Tensor:
    """Size of the derivative of output i by input j through the attention alone, [length, length].

    Computed in float64 at random inputs and weights."""
    torch.manual_seed(seed)
    model = Viewer(way).double()
    x = torch.randn(1, LENGTH, model.W_o.in_features, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda x: model.attend(x).sum(dim=-1)[0], x)
    return jacobian[:, 0].norm(dim=-1)  # [outputs, inputs]


def untrained() -> tuple[Numbers, Series]:
    """What needs no training: which inputs an output can see, in each way."""
    numbers = {}
    past = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
    for way in WAYS:
        seen = sight(way) > 0  # [outputs, inputs]
        numbers[f"past_{way}"] = number(seen[past].double().mean().item(), ".0%")
        numbers[f"future_{way}"] = number(seen[~past].double().mean().item(), ".0%")
    return numbers, {}


def measure() -> tuple[Numbers, Series]:
    numbers, series = untrained()
    chain = the_chain()
    series["by_position"] = {}
    for task, way in RUNS:
        runs = [score(train(chain, task, way, seed), chain, task, way, seed) for seed in SEEDS]
        for key in ("loss", "alone"):
            numbers[f"{task}_{key}_{way}"] = number([run[key] for run in runs], unit="nats")
        series["by_position"][f"{task}_{way}"] = [run["by_position"] for run in runs]
    numbers["floor"] = number(chain.floor(LENGTH), unit="nats")
    numbers["entropy"] = number(chain.entropy, unit="nats")
    numbers["uniform"] = number(float(np.log(SYMBOLS)), unit="nats")
    numbers["heads"] = number(HEADS, "d")
    numbers["block"] = number(LENGTH // HEADS, "d")
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
