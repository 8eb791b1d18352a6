"""Claim 29: does a poor initialisation collapse or explode attention?

Scores at step 0 under initialisations in use, all of them with the root; then recall (recall.py)
from W_q and W_k of different gains, 0 included: entropy and gradients at step 0, and what training
makes of them. Each gain gets its own of the same learning rates, which other seeds choose: of the
rates that recall the most or within NEARLY of it, the smallest.
"""

import math
from collections.abc import Callable

import torch
from choosing import Choice
from measurements import Numbers, Series, number, run_and_save
from recall import (
    PAIRS,
    Params,
    adam,
    answer,
    equal_rates,
    losses,
    new_models,
    sample,
    train,
)
from torch import Tensor, nn
from verdicts import claim

SEEDS, TUNING = range(5), range(100, 105)
D_MODEL, D_K, HEADS, TOKENS = 768, 64, 12, 64
GAINS = (0.0, 1 / 16, 1 / 4, 1.0, 2.0, 4.0, 8.0)
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)
STEPS, SCALE, NEARLY = 400, 1 / math.sqrt(D_K), 0.01

CLAIMS = [
    claim(
        29,
        "Poor initialisation can collapse attention: all weights are equal.",
        "At step 0 the entropy is {share_1_16} of its maximum at gain 1/16 (a factor in front of "
        "W_q and W_k) and {share_0} at gain 0. {steps} steps of Adam bring it to {after_1_16} from "
        "gain 1/16, with {right_1_16} recalled; from gain 0 it stays at {after_0}, with {right_0}.",
        "holds if",
        "W_q and W_k are both exactly 0 at the start, of gains of 0, 1/16 and 1/4",
        scope="recall of 8 pairs, models 32 wide with one head of width 64, 400 steps of Adam",
        control="A small gain could need another learning rate: each gain has its own of {tried} "
        "rates. With gains of 1/16 and 1/4, {right_1_16} and {right_1_4} are recalled.",
        stands=lambda n: (
            min(n.share_1_16, n.share_0, n.after_0) > 0.99
            and n.after_1_16 < 0.5
            and min(n.right_1_16, n.right_1_4) > 0.9
            and n.right_0 < 0.5
        ),
    ),
    claim(
        29,
        "Poor initialisation can explode attention: gradients blow up.",
        "At step 0 and gain 8, the gradient of the names' embeddings is {inputs_8} times that at "
        "gain 1, and that of W_q {gradient_8} times. The entropy is {share_8} of its maximum. "
        "After {steps} steps {right_8} are recalled (gain 1: {right_1}).",
        "holds if",
        "“gradients” are those of what lies before the layer and “blow up” means to grow about "
        "in proportion to a gain above 1",
        scope="recall of 8 pairs, models 32 wide with one head of width 64, one batch before "
        "training",
        control="All gradients could grow with the loss: those of W_q do not. With gains of 2 and "
        "4 the gradient of the embeddings is {inputs_2} and {inputs_4} times that at gain 1.",
        stands=lambda n: (
            n.inputs_8 > n.inputs_4 > n.inputs_2 > 2
            and n.inputs_8 > 3
            and max(n.gradient_2, n.gradient_4, n.gradient_8) < 2
            and n.gradient_8 > 0.5
        ),
    ),
]


def linear(rng_seed: int, fill: Callable[[Tensor], object]) -> tuple[Tensor, Tensor]:
    """W_q and W_k of one head, [d_k, d_model], filled in place by `fill`."""
    torch.manual_seed(rng_seed)
    made = [nn.Linear(D_MODEL, D_K, bias=False).weight for _ in range(2)]
    for weight in made:
        fill(weight)
    return made[0], made[1]


def packed(seed: int) -> tuple[Tensor, Tensor]:
    """The first head of nn.MultiheadAttention."""
    torch.manual_seed(seed)
    weight = nn.MultiheadAttention(D_MODEL, HEADS, bias=False).in_proj_weight
    return weight[:D_K], weight[D_MODEL : D_MODEL + D_K]


USUAL = {
    "`nn.Linear` as it comes": lambda seed: linear(seed, nn.Identity()),
    "`nn.MultiheadAttention` as it comes": packed,
    "normal, standard deviation 0.02 (GPT-2)": lambda seed: linear(
        seed, lambda weight: nn.init.normal_(weight, std=0.02)
    ),
    "`xavier_uniform_`, one head's matrix": lambda seed: linear(seed, nn.init.xavier_uniform_),
    "`kaiming_normal_`": lambda seed: linear(seed, nn.init.kaiming_normal_),
}


@torch.no_grad()
def usual(name: str, seed: int) -> tuple[float, float]:
    """Standard deviation of the scaled scores, and the entropy's share of its maximum."""
    W_q, W_k = USUAL[name](seed)
    # a seed of its own: the same numbers in x and in W would be correlated
    x = torch.randn(TOKENS, D_MODEL, generator=torch.Generator().manual_seed(1000 + seed))
    x = nn.functional.layer_norm(x, (D_MODEL,))
    scores = (x @ W_q.T) @ (x @ W_k.T).T / math.sqrt(D_K)  # [queries, keys]
    entropy = torch.special.entr(scores.softmax(dim=-1)).sum(dim=-1).mean()
    return scores.std().item(), (entropy / math.log(TOKENS)).item()


def all_models(seeds: range, rates: list[tuple[float, ...]]) -> tuple[Params, list[float]]:
    """Every gain with each of its `rates` and every seed, in this order."""
    each = [
        new_models([seed for _ in own for seed in seeds], D_K, gain)
        for gain, own in zip(GAINS, rates, strict=True)
    ]
    every = [rate for own in rates for rate in own for _ in seeds]
    return {name: torch.cat([models[name] for models in each]) for name in each[0]}, every


def tuned() -> list[Choice]:
    """The learning rate of each gain: of all that recall nearly as much as the best, the first."""
    models, rates = all_models(TUNING, [RATES] * len(GAINS))
    train(models, SCALE, adam(), equal_rates(models, rates), STEPS)
    right = look(models)["right"].view(len(GAINS), len(RATES), len(TUNING)).mean(dim=-1)
    lost = (right.amax(dim=-1, keepdim=True) - NEARLY - right).clamp(min=0)  # [gains, rates]
    return [Choice(dict(zip(RATES, row, strict=True))) for row in lost.tolist()]


def by_gain(of_models: Tensor) -> Tensor:
    return of_models.view(len(GAINS), -1)


@torch.no_grad()
def look(models: Params) -> dict[str, Tensor]:
    """Share of the largest entropy and of right answers. Each [models]"""
    batch = sample(torch.Generator().manual_seed(70_000), 1000)
    logits, scores = answer(models, batch, SCALE)
    entropy = torch.special.entr(scores.softmax(dim=-1)).sum(dim=-1).mean(dim=-1)
    right = (logits.argmax(dim=-1) == batch[3]).float().mean(dim=-1)
    return {"share": entropy / math.log(PAIRS), "right": right}


def gradient_of(models: Params, name: str) -> Tensor:
    """Size of the loss's gradient. [gains, seeds]"""
    parameter = models[name].clone().requires_grad_()
    total = losses(models | {name: parameter}, sample(torch.Generator().manual_seed(1)), SCALE)
    (gradient,) = torch.autograd.grad(total.sum(), [parameter])
    return by_gain(gradient.norm(dim=(-2, -1)))


def label(gain: float) -> str:
    return f"1_{round(1 / gain)}" if 0 < gain < 1 else f"{gain:.0f}"


def trained() -> tuple[Numbers, Series]:
    chosen = tuned()
    models, rates = all_models(SEEDS, [(choice.best,) for choice in chosen])
    before = by_gain(look(models)["share"])
    gradients = {"gradient": gradient_of(models, "W_q"), "inputs": gradient_of(models, "name")}
    train(models, SCALE, adam(), equal_rates(models, rates), STEPS)
    after = {key: by_gain(found) for key, found in look(models).items()}
    one = GAINS.index(1.0)
    numbers: Numbers = {"tried": number(len(RATES), "d")}
    series: Series = {"gains": [*GAINS], "before": [], "after": []}
    for at, gain in enumerate(GAINS):
        for name, sizes in gradients.items():
            ratio = (sizes[at] / sizes[one]).tolist()
            numbers[f"{name}_{label(gain)}"] = number(ratio, ".2f")
        starts = [round(one, 5) for one in before[at].tolist()]  # float32 errors
        numbers[f"share_{label(gain)}"] = number(starts, ".1%")
        numbers[f"after_{label(gain)}"] = number(after["share"][at].tolist(), ".1%")
        numbers[f"right_{label(gain)}"] = number(after["right"][at].tolist(), ".0%")
        numbers[f"rate_{label(gain)}"] = chosen[at].number("g")
        series["before"].append(starts)
        series["after"].append(after["share"][at].tolist())
    return numbers, series


def in_use() -> tuple[Numbers, Series]:
    numbers, table = {}, {}
    for at, name in enumerate(USUAL):
        found = [usual(name, seed) for seed in SEEDS]
        numbers[f"usual_{at}"] = number([spread for spread, _ in found], ".2f")
        numbers[f"usual_share_{at}"] = number([share for _, share in found], ".1%")
        table[name] = at
    return numbers, {"usual": table}


def most_frequent(seed: int, sequences: int = 10_000) -> float:
    """Share of the questions that the most frequent value of a sequence answers correctly."""
    _, values, _, _ = sample(torch.Generator().manual_seed(seed), sequences)
    same = values[:, :, None] == values[:, None, :]
    return same.sum(dim=-1).amax(dim=-1).double().mean().item() / PAIRS


def measure() -> tuple[Numbers, Series]:
    numbers, series = in_use()
    more, curves = trained()
    guess = number([most_frequent(seed) for seed in SEEDS], ".0%")
    numbers |= more | {"steps": number(STEPS, "d"), "most_frequent": guess}
    numbers["nearly"] = number(NEARLY, ".0%")
    return numbers, series | curves


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
