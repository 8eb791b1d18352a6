"""Claim 11, second half: does training succeed without the root, and when not?

Three kinds of models learn to recall (recall.py) with the same parameters, data and steps. Queries
and keys have entries of standard deviation one at the start, as the argument for the root assumes:
`root` divides the scores by sqrt(d_k); `none` does not; `small` does not either, but its W_q and
W_k start smaller by the fourth root of d_k, so that its scores start with the same size as `root`.

Learning rates are chosen for each kind, width and optimiser with seeds that are not reported: one
rate for what is recalled, the one that recalls most, and one for the speed, the one that learns in
fewest steps. Where two rates are nearly tied, rounding may decide between them, but then they
agree nearly in what is reported of them. What else depends on the rate is given at fixed rates.
"""

import math
from collections.abc import Callable

import torch
from choosing import Choice
from measurements import Numbers, Series, number, run_and_save
from recall import PAIRS, VALUES, Update, adam, answer, equal_rates, new_models, sample, sgd, train
from torch import Tensor
from verdicts import claim

SEEDS, TUNING = range(5), range(100, 106)
WIDTHS, KINDS = (16, 128, 1024), ("root", "none", "small")
STEPS, SMOOTH = 500, 20
USABLE = 0.95  # of the names recalled
LEARNED = 0.5  # a loss in nats: guessing has 2.77
RATES = {
    "adam": (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3),
    "sgd": (1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0),
}
UPDATES: dict[str, Callable[[], Update]] = {"adam": adam, "sgd": sgd}
FIXED = {"low": 1e-3, "high": 1e-2}  # at these, what training makes of the scores is reported
LONGER = 4  # times the steps, for the lowest rate
TOGETHER = 20  # models, so that their tensors stay in the processor's cache
Found = dict[str, Tensor]

CLAIMS = [
    claim(
        11,
        "Without the root, training suffers.",
        "With Adam and the best of {rates} learning rates, the loss is below {learned} after "
        "{adam_128_none_steps} steps without the root and {adam_128_root_steps} with it at a width "
        "of 128, after {adam_1024_none_steps} and {adam_1024_root_steps} at 1,024. Of the rates, "
        "{adam_128_none_usable} and {adam_128_root_usable} bring recall to {usable_from} at 128, "
        "{adam_1024_none_usable} and {adam_1024_root_usable} at 1,024. After {steps} steps, models "
        "without the root recall {adam_128_none} and {adam_1024_none} of the names.",
        "holds if",
        "to suffer means to need more steps and to learn at fewer learning rates",
        scope="recall of 8 pairs, models 32 wide with one head 16, 128 or 1,024 wide, 500 "
        "steps of Adam or of gradient descent with momentum 0.9",
        control="Something else than the root: all kinds have the same parameters, batches, steps "
        "and rates to choose from. The size of the start is a part of it: with W_q and W_k "
        "smaller at the start and no root, the steps are {adam_128_small_steps} and "
        "{adam_1024_small_steps}.",
        stands=lambda n: (
            min(n.adam_128_none, n.adam_1024_none) > 0.8
            and n.adam_128_none_steps > 2 * n.adam_128_root_steps
            and n.adam_128_none_usable < n.adam_128_root_usable - 1
            and n.adam_1024_none_steps > 2 * n.adam_1024_root_steps
            and n.adam_16_none_steps > 1.2 * n.adam_16_root_steps
            and n.adam_1024_none_usable < n.adam_1024_root_usable - 1
            and n.second_none > 0.95
        ),
    )
]


def run(
    kind: str, d_k: int, optimiser: str, rates: list[float], seeds: list[int], steps: int = STEPS
) -> Found:
    """Train one model per entry of `rates` and `seeds`; what they know about unseen sequences."""
    parts = [slice(at, at + TOGETHER) for at in range(0, len(seeds), TOGETHER)]
    found = [run_part(kind, d_k, optimiser, rates[one], seeds[one], steps) for one in parts]
    return {key: torch.cat([one[key] for one in found]) for key in found[0]}


def run_part(
    kind: str, d_k: int, optimiser: str, rates: list[float], seeds: list[int], steps: int
) -> Found:
    scale = 1 / math.sqrt(d_k) if kind == "root" else 1.0
    models = new_models(seeds, d_k, gain=d_k**-0.25 if kind == "small" else 1.0)
    curve = train(models, scale, UPDATES[optimiser](), equal_rates(models, rates), steps)
    batch = sample(torch.Generator().manual_seed(70_000), 2000)
    with torch.no_grad():
        logits, scores = answer(models, batch, scale)
    weights = scores.softmax(dim=-1)  # [models, batch, pairs]
    return {
        "right": (logits.argmax(dim=-1) == batch[3]).float().mean(dim=-1),
        "learned": steps_to_learn(curve),
        "deviation": scores.std(dim=-1).mean(dim=-1),
        "entropy": torch.special.entr(weights).sum(dim=-1).mean(dim=-1),
    }


def tune(kind: str, d_k: int, optimiser: str) -> Found:
    """Every learning rate with every seed of TUNING. Each [seeds, learning rates]"""
    rates = RATES[optimiser]
    each = [seed for seed in TUNING for _ in rates]
    found = run(kind, d_k, optimiser, [*rates] * len(TUNING), each)
    return {key: one.view(len(TUNING), len(rates)) for key, one in found.items()}


def steps_to_learn(curve: Tensor) -> Tensor:
    """Steps until the loss's running mean is below LEARNED; STEPS where it never is. [models]"""
    running = curve.unfold(0, SMOOTH, 1).mean(dim=-1) < LEARNED  # [steps - SMOOTH + 1, models]
    first = running.float().argmax(dim=0) + SMOOTH
    return torch.where(running.any(dim=0), first, STEPS).float()


def reparametrised(optimiser: str, seed: int, d_k: int = 64, steps: int = 50) -> float:
    """Largest difference of the losses of `root` and of `small`, where `small` also gets the
    learning rates that make up for it: the root is an initialisation and a learning rate.
    """
    factor = {"sgd": d_k**-0.5, "adam": d_k**-0.25}[optimiser]
    curves = []
    for kind in ("root", "small"):
        models = new_models([seed], d_k, 1.0, torch.float64)
        rates = {name: rate.double() for name, rate in equal_rates(models, [0.01]).items()}
        update = UPDATES[optimiser]()
        if kind == "small":
            models |= {name: models[name] / d_k**0.25 for name in ("W_q", "W_k")}
            rates |= {name: rates[name] * factor for name in ("W_q", "W_k")}
            eps = dict.fromkeys(("W_q", "W_k"), 1e-8 * d_k**0.25)
            update = sgd() if optimiser == "sgd" else adam(eps)
        scale = d_k**-0.5 if kind == "root" else 1.0
        curves.append(train(models, scale, update, rates, steps))
    return (curves[0] - curves[1]).abs().max().item()


def reported(name: str, kind: str, d_k: int, optimiser: str) -> tuple[Numbers, Series]:
    """What one kind recalls and how fast, with rates that other seeds have chosen."""
    tuning, rates = tune(kind, d_k, optimiser), RATES[optimiser]
    means = {key: tuning[key].mean(dim=0).tolist() for key in ("right", "learned")}
    surest = Choice({rate: -right for rate, right in zip(rates, means["right"], strict=True)})
    fastest = Choice(dict(zip(rates, means["learned"], strict=True)))
    chosen = [surest.best] * len(SEEDS) + [fastest.best] * len(SEEDS)
    found = run(kind, d_k, optimiser, chosen, [*SEEDS, *SEEDS])
    right = found["right"][: len(SEEDS)].tolist()
    numbers = {
        name: number(right, ".1%"),
        f"{name}_least": number(min(right), ".1%"),
        f"{name}_most": number(max(right), ".1%"),
        f"{name}_rate": surest.number("g"),
        f"{name}_rate_steps": fastest.number("g"),
    }
    learned = found["learned"][len(SEEDS) :].tolist()
    numbers |= {
        f"{name}_steps": number(learned, ".0f"),
        f"{name}_never": number(learned.count(STEPS), "d"),
        f"{name}_usable": number((tuning["right"] >= USABLE).sum(dim=-1).tolist(), ".1f"),
    }
    for key, rate in FIXED.items() if optimiser == "adam" else ():
        at = rates.index(rate)
        numbers[f"{name}_deviation_{key}"] = number(tuning["deviation"][:, at].tolist(), ".1f")
        numbers[f"{name}_entropy_{key}"] = number(tuning["entropy"][:, at].tolist(), ".2f", "nats")
    print(name, surest.best, fastest.best, right, flush=True)
    picked = {"surest": surest.best, "fastest": fastest.best}
    curves = {"right": tuning["right"].tolist(), "steps": tuning["learned"].tolist()}
    return numbers, curves | picked


def trained() -> tuple[Numbers, Series]:
    numbers: Numbers = {}
    series: Series = {"rates": RATES, "tuning": {}}
    for optimiser in UPDATES:
        for d_k in WIDTHS:
            for kind in KINDS:
                name = f"{optimiser}_{d_k}_{kind}"
                more, series["tuning"][name] = reported(name, kind, d_k, optimiser)
                numbers |= more
    return numbers, series


def longer() -> Numbers:
    """Were the lowest rates only too slow? Names recalled at 1024 after more steps of Adam."""
    numbers = {"longer": number(LONGER * STEPS, ",d")}
    for kind in KINDS:
        for key, rate in {"lowest": RATES["adam"][0], "second": RATES["adam"][1]}.items():
            rates = [rate] * len(SEEDS)
            found = run(kind, 1024, "adam", rates, [*SEEDS], LONGER * STEPS)
            numbers[f"{key}_{kind}"] = number(found["right"].tolist(), ".1%")
    return numbers


def settings() -> Numbers:
    return {
        "steps": number(STEPS, "d"),
        "pairs": number(PAIRS, "d"),
        "usable_from": number(USABLE, ".0%"),
        "guessing": number(math.log(VALUES), ".2f", "nats"),
        "learned": number(LEARNED, "g", "nats"),
        "rates": number(len(RATES["adam"]), "d"),
        "rate_low": number(FIXED["low"], "g"),
        "rate_high": number(FIXED["high"], "g"),
        "rate_lowest": number(RATES["adam"][0], ".4f"),
        "rate_second": number(RATES["adam"][1], ".4f"),
        "tried": number(len(TUNING), "d"),
    }


def exact() -> Numbers:
    """The size of rounding errors."""
    return {
        f"same_{name}": number(max(reparametrised(name, seed) for seed in SEEDS), ".0e", "nats")
        for name in UPDATES
    }


def measure() -> tuple[Numbers, Series]:
    numbers, series = trained()
    return settings() | numbers | longer() | exact(), series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
