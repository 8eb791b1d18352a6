"""Claim 11, second half: does training succeed without the root, and when not?

Three kinds of models learn to recall (recall.py) with the same parameters, data and steps. Queries
and keys have entries of deviation one at the start, as the argument for the root assumes:
`root` divides the scores by sqrt(d_k); `none` does not; `small` does not either, but its W_q and
W_k start smaller by the fourth root of d_k, so that its scores start with the same size as `root`.
Each kind, width and optimiser gets its own learning rate, and each seed chooses it for itself with
three seeds of its own: of the rates that recall most, to a percent, the fastest. Where two are
nearly as good, some seeds choose one and some the other; the spread over the seeds has that too.
"""

import math
from collections.abc import Callable

import torch
from measurements import Numbers, Series, claim, number, run_and_save
from recall import PAIRS, VALUES, Update, adam, answer, equal_rates, new_models, sample, sgd, train
from torch import Tensor

SEEDS, TRIED = range(5), 3  # and with how many others each seed's learning rate is chosen
WIDTHS, KINDS = (16, 128, 1024), ("root", "none", "small")
STEPS, SMOOTH = 500, 20
USABLE = 0.95  # of the names recalled, with each of the seeds that were tried
NEARLY = 0.01  # a rate that recalls less than the best by so little may be chosen for its speed
LEARNED = 0.5  # a loss in nats: guessing has 2.77
RATES = {"adam": (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2), "sgd": (1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 0.3)}
UPDATES: dict[str, Callable[[], Update]] = {"adam": adam, "sgd": sgd}
Found = dict[str, Tensor]

CLAIMS = [
    claim(
        11,
        "Without the root, training suffers.",
        "Names recalled after {steps} steps of Adam at a width of 1024, at the best of {rates} "
        "learning rates: {adam_1024_none} without the root, {adam_1024_root} with it. The loss is "
        "below {learned} after {adam_1024_none_steps} and {adam_1024_root_steps} steps, at a width "
        "of 16 after {adam_16_none_steps} and {adam_16_root_steps}. At 1024, {usable_from} are "
        "reached with {adam_1024_none_usable} and {adam_1024_root_usable} of the learning rates.",
        "holds if",
        "suffering means more steps and fewer usable learning rates: it learns all the same; wide "
        "heads suffer more, and a smaller start undoes a part",
        stands=lambda n: (
            n.adam_1024_none > 0.8
            and n.adam_1024_none_steps > 2 * n.adam_1024_root_steps
            and n.adam_16_none_steps > n.adam_16_root_steps
            and n.adam_1024_none_usable < n.adam_1024_root_usable
        ),
    )
]


def run(kind: str, d_k: int, optimiser: str, rates: list[float], seeds: list[int]) -> Found:
    """Train one model per entry of `rates` and `seeds`; what they know about unseen sequences."""
    scale = 1 / math.sqrt(d_k) if kind == "root" else 1.0
    models = new_models(seeds, d_k, gain=d_k**-0.25 if kind == "small" else 1.0)
    curve = train(models, scale, UPDATES[optimiser](), equal_rates(models, rates), STEPS)
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


def tune(kind: str, d_k: int, optimiser: str) -> tuple[Tensor, Tensor]:
    """Share of right answers, and steps to learn. Each [seeds, tried, learning rates]"""
    rates, count = RATES[optimiser], len(SEEDS) * TRIED
    each = [100 + seed for seed in range(count) for _ in rates]
    found = run(kind, d_k, optimiser, [*rates] * count, each)
    shape = (len(SEEDS), TRIED, len(rates))
    return found["right"].view(shape), found["learned"].view(shape)


def best_rates(right: Tensor, steps: Tensor, optimiser: str) -> list[float]:
    """For each seed, of the rates that recall nearly as much as the best, the fastest."""
    recalled = right.mean(dim=1)  # [seeds, learning rates]
    good = recalled >= recalled.amax(dim=-1, keepdim=True) - NEARLY
    best = steps.mean(dim=1).masked_fill(~good, torch.inf).argmin(dim=-1)
    return [RATES[optimiser][at] for at in best.tolist()]


def usable(right: Tensor) -> list[int]:
    """For each seed, how many of the learning rates recall enough with all that it tried."""
    return (right.amin(dim=1) >= USABLE).sum(dim=-1).tolist()


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


def trained() -> tuple[Numbers, Series]:
    numbers = {
        "steps": number(STEPS, "d"),
        "pairs": number(PAIRS, "d"),
        "usable_from": number(USABLE, ".0%"),
        "guessing": number(math.log(VALUES), ".2f", "nats"),
        "learned": number(LEARNED, "g", "nats"),
        "rates": number(len(RATES["adam"]), "d"),
        "tried": number(TRIED, "d"),
    }
    series: Series = {"rates": RATES, "tuning": {}, "chosen": {}}
    for optimiser in UPDATES:
        for d_k in WIDTHS:
            for kind in KINDS:
                name = f"{optimiser}_{d_k}_{kind}"
                right, steps = tune(kind, d_k, optimiser)
                rates = best_rates(right, steps, optimiser)
                found = run(kind, d_k, optimiser, rates, [*SEEDS])
                series["tuning"][name] = right.flatten(0, 1).tolist()
                series["chosen"][name] = rates
                numbers[name] = number(found["right"].tolist(), ".1%")
                numbers[f"{name}_usable"] = number(usable(right), ".1f")
                numbers[f"{name}_steps"] = number(found["learned"].tolist(), ".0f")
                numbers[f"{name}_deviation"] = number(found["deviation"].tolist(), ".1f")
                numbers[f"{name}_entropy"] = number(found["entropy"].tolist(), ".2f", "nats")
                print(name, rates, found["right"].tolist(), flush=True)
    return numbers, series


def exact() -> Numbers:
    """The size of rounding errors."""
    return {
        f"same_{name}": number(max(reparametrised(name, seed) for seed in SEEDS), ".0e", "nats")
        for name in UPDATES
    }


def measure() -> tuple[Numbers, Series]:
    numbers, series = trained()
    return numbers | exact(), series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
