"""Claim 11, second half: does training succeed without the root, and when not?

Three kinds of models learn to recall (recall.py) with the same parameters, data and steps. Queries
and keys have entries of deviation one at the start, as the argument for the root assumes:
`root` divides the scores by sqrt(d_k); `none` does not; `small` does not either, but its W_q and
W_k start smaller by the fourth root of d_k, so that its scores start with the same size as `root`.
Each kind, width and optimiser gets its own learning rate, the best of the same five.
"""

import math

import torch
from measurements import claim, number, save
from recall import PAIRS, VALUES, adam, answer, equal_rates, new_models, sample, sgd, train
from torch import Tensor

SEEDS, TUNING_SEEDS = range(5), range(10, 13)
WIDTHS, KINDS = (16, 128, 1024), ("root", "none", "small")
STEPS, SMOOTH = 500, 20
USABLE = 0.95  # of the names recalled, with every tuning seed
LEARNED = 0.5  # a loss in nats: guessing has 2.77
RATES = {"adam": (1e-4, 3e-4, 1e-3, 3e-3, 1e-2), "sgd": (1e-3, 3e-3, 1e-2, 3e-2, 1e-1)}
UPDATES = {"adam": adam, "sgd": sgd}
Found = dict[str, Tensor]

CLAIMS = [
    claim(
        11,
        "Without the root, training suffers.",
        "Names recalled after {steps} steps of Adam at a width of 1024, each at its best of five "
        "learning rates: {adam_1024_none} without the root, {adam_1024_root} with it. The loss is "
        "below {learned} after {adam_1024_none_steps} and {adam_1024_root_steps} steps, at a width "
        "of 16 after {adam_16_none_steps} and {adam_16_root_steps}. At 1024, {usable_from} are "
        "reached with {adam_1024_none_usable} and {adam_1024_root_usable} of the learning rates.",
        "holds if",
        "suffering means more steps and fewer usable learning rates: it learns all the same; wide "
        "heads suffer more, and a smaller start undoes a part",
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


def tune(kind: str, d_k: int, optimiser: str) -> dict[str, list[list[float]]]:
    """Share of right answers and steps to learn, [tuning seeds][learning rates]."""
    rates, seeds = RATES[optimiser], TUNING_SEEDS
    each = [seed for seed in seeds for _ in rates]
    found = run(kind, d_k, optimiser, [*rates] * len(seeds), each)
    shape = (len(seeds), len(rates))
    return {key: found[key].view(shape).tolist() for key in ("right", "learned")}


def best_rate(grid: dict[str, list[list[float]]], optimiser: str) -> float:
    """The rate that recalls most, to a tenth of a percent; of equal ones the fastest."""
    right, steps = (torch.tensor(grid[key]).mean(dim=0).tolist() for key in ("right", "learned"))
    order = [(round(right[at], 3), -steps[at], rate) for at, rate in enumerate(RATES[optimiser])]
    return max(order)[-1]


def usable(grid: list[list[float]]) -> int:
    """How many of the learning rates recall enough with every seed."""
    return int((torch.tensor(grid).amin(dim=0) >= USABLE).sum())


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


def measure() -> tuple[dict, dict]:
    numbers = {
        "steps": number(STEPS, "d"),
        "pairs": number(PAIRS, "d"),
        "usable_from": number(USABLE, ".0%"),
        "guessing": number(math.log(VALUES), ".2f", "nats"),
        "learned": number(LEARNED, "g", "nats"),
    }
    series: dict = {"rates": RATES, "tuning": {}}
    for optimiser in UPDATES:
        for d_k in WIDTHS:
            for kind in KINDS:
                name = f"{optimiser}_{d_k}_{kind}"
                grid = tune(kind, d_k, optimiser)
                rate = best_rate(grid, optimiser)
                found = run(kind, d_k, optimiser, [rate] * len(SEEDS), [*SEEDS])
                series["tuning"][name] = grid["right"]
                numbers[name] = number(found["right"].tolist(), ".1%")
                numbers[f"{name}_usable"] = number(usable(grid["right"]), "d")
                numbers[f"{name}_steps"] = number(found["learned"].tolist(), ".0f")
                numbers[f"{name}_rate"] = number(rate, "g")
                numbers[f"{name}_deviation"] = number(found["deviation"].tolist(), ".1f")
                numbers[f"{name}_entropy"] = number(found["entropy"].tolist(), ".2f", "nats")
                print(name, rate, found["right"].tolist(), flush=True)
    return numbers, series


def exact() -> dict[str, dict]:
    """The size of rounding errors."""
    return {
        f"same_{name}": number(max(reparametrised(name, seed) for seed in SEEDS), ".0e", "nats")
        for name in UPDATES
    }


def main() -> None:
    torch.set_num_threads(1)
    numbers, series = measure()
    numbers |= exact()
    print(save(__file__, numbers, CLAIMS, SEEDS, series))


if __name__ == "__main__":
    main()
