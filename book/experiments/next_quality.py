"""Claims 58 and 59: what sharing keys and values costs in accuracy, at equal parameters.

Each sequence has items with three features, and every value of a feature occurs once. A query names
one value and asks for the item's other two features. Heads can look for different features, if they
have keys of their own to do it with.
"""

from functools import cache

import torch
from choosing import Choice, search
from measurements import Numbers, Series, number, run_and_save
from next_model import Cache, Model
from torch import Tensor
from torch.nn import functional as F
from verdicts import claim

SEEDS, TUNING = range(5), range(100, 103)
FEATURES, VALUES, BATCH, STEPS = 3, 16, 8, 700
FIRST_RATE, FACTOR = 1e-2, 10**0.5  # of the rates that are tried, until both neighbours are worse
TESTED = 64  # sequences, for each seed

CACHES = {
    "full 8": Cache(8, 8),
    "full 4": Cache(4, 4),
    "full 2": Cache(2, 2),
    "full 1": Cache(1, 1),
    "shared 4": Cache(8, 4),
    "shared 2": Cache(8, 2),
    "shared 1": Cache(8, 1),
    "latent 32": Cache(8, 0, latent=32),
    "latent 16": Cache(8, 0, latent=16),
    "latent 8": Cache(8, 0, latent=8),
    "wide 32": Cache(8, 1, d_k=16, d_v=16),
    "wide 16": Cache(8, 1, d_k=8, d_v=8),
    "wide keys": Cache(8, 1, d_k=16),
    "wide values": Cache(8, 1, d_v=16),
}

SCOPE = (
    "one layer of width 64 with 8 heads, sets of 16 items with three features, 700 steps of Adam, "
    "each at the best of several learning rates"
)
CLAIMS = [
    claim(
        58,
        "One head of keys and values for all heads costs little quality; a few of them cost none.",
        "Items with three features, {parameters} parameters in every model, seed means. 8 heads "
        "of keys of width 4: {full_8}. Shared by groups: {shared_4} with 4 heads of keys, "
        "{shared_2} with 2, {shared_1} with 1. One shared head of width 16, which keeps "
        "{kept_wide_32} numbers a token as 4 narrow ones do: {wide_32}. With width 16 for its keys "
        "alone: {wide_keys}; for its values alone: {wide_values}.",
        "holds if",
        "the queries and the shared keys are wide, here of width 16 instead of 4",
        scope=SCOPE,
        control="The wide model is not larger: all have the same number of parameters. Nor does "
        "it keep more: its head keeps as many numbers as 4 narrow ones. Wide values alone are "
        "not enough.",
        stands=lambda n: (
            n.shared_2 < n.full_8 - 0.1
            and min(n.wide_32, n.wide_keys) > n.full_8 - 0.03
            and n.wide_values < n.full_8 - 0.1
        ),
    ),
    claim(
        59,
        "A latent cache is better than grouped keys of the same size.",
        "The same task. With 16 numbers a token: {latent_16} latent, {wide_16} with one shared "
        "head of width 8, {shared_2} with two of width 4. With {kept_wide_keys}: {wide_keys} with "
        "one shared head, keys 16 wide and values 4. With 32: {latent_32} latent, {wide_32} "
        "with one shared head of width 16, {shared_4} with 4 of width 4. With 8: {latent_8} "
        "latent, {shared_1} with one shared head of width 4.",
        "holds if",
        "the cache is small, here at most 16 numbers a token",
        scope=SCOPE,
        control="No model is larger: all have the same number of parameters. Nor are narrow heads "
        "to blame: at 16 numbers the shared heads were tried in both widths.",
        stands=lambda n: (
            n.latent_16 > max(n.shared_2, n.wide_16) + 0.1
            and n.latent_8 > n.shared_1 + 0.1
            and n.wide_32 > n.latent_32 - 0.02
        ),
    ),
]


def draw(rng: torch.Generator, seeds: int, batch: int) -> tuple[Tensor, Tensor, Tensor]:
    """Items and queries as sets of symbols, and targets [seeds, batch, queries, features]."""
    shape = (seeds, batch, FEATURES, VALUES)
    items = torch.rand(shape, generator=rng).argsort(dim=-1)  # of feature f, item i has this value
    place = items.argsort(dim=-1)  # which item has value v of feature f
    targets = items[:, :, None, None].expand(-1, -1, FEATURES, VALUES, -1, -1)
    index = place[..., None, None].expand(*place.shape, FEATURES, 1)
    targets = targets.gather(-1, index).squeeze(-1)  # [seeds, batch, asked by, value, feature]
    return items, targets.flatten(2, 3), place


def vectors(model: Model, items: Tensor) -> tuple[Tensor, Tensor]:
    """Of the items, each the sum of its features, and of all queries."""
    seed = torch.arange(model.seeds)[:, None, None, None]
    symbol = items + VALUES * torch.arange(FEATURES)[:, None]
    memory = model.embed[seed, symbol].sum(dim=2)  # [seeds, batch, items, d_model]
    asked = model.embed[:, FEATURES * VALUES :]  # one for each value of each feature
    return memory, asked[:, None].expand(-1, items.size(1), -1, -1)


def logits_and_targets(model: Model, rng: torch.Generator, batch: int) -> tuple[Tensor, Tensor]:
    items, targets, _ = draw(rng, model.seeds, batch)
    return model(*vectors(model, items)).unflatten(-1, (FEATURES, VALUES)), targets


def train(kept: Cache, rate: float, seeds: range) -> Model:
    model = Model(kept, 2 * FEATURES * VALUES, FEATURES * VALUES, seeds)
    rng = torch.Generator().manual_seed(seeds.start + 1)
    optimizer = torch.optim.Adam(model.parameters)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=STEPS)
    for _ in range(STEPS):
        logits, targets = logits_and_targets(model, rng, BATCH)
        loss = F.cross_entropy(logits.flatten(0, -2), targets.flatten())
        optimizer.zero_grad()
        (model.seeds * loss).backward()
        optimizer.step()
        schedule.step()
    return model


@torch.no_grad()
def tested(model: Model, seeds: range) -> tuple[list[float], list[float]]:
    """Share of right features, and their cross-entropy, the one that was named left out."""
    rng = torch.Generator().manual_seed(seeds.start + 2)
    logits, targets = logits_and_targets(model, rng, TESTED)
    other = ~torch.eye(FEATURES, dtype=torch.bool).repeat_interleave(VALUES, dim=0)
    nats = -logits.log_softmax(dim=-1).gather(-1, targets[..., None])[..., 0]
    right = (logits.argmax(dim=-1) == targets).float()
    accuracy, loss = (x[..., other].flatten(1).mean(dim=1).tolist() for x in (right, nats))
    return accuracy, loss


def tuned(kept: Cache) -> Choice:
    """The best of the learning rates, on seeds of its own, which are trained side by side."""

    @cache
    def losses_at(rate: float) -> dict[int, float]:
        _, losses = tested(train(kept, rate, TUNING), TUNING)
        return dict(zip(TUNING, losses, strict=True))

    def loss(rate: float, seed: int) -> float:
        return losses_at(rate)[seed]

    return search(loss, seeds=TUNING, start=FIRST_RATE, step=FACTOR)


def measure() -> tuple[Numbers, Series]:
    found, sizes, numbers = {}, set(), {}
    for name, kept in CACHES.items():
        rate = tuned(kept)
        model = train(kept, rate.best, SEEDS)
        found[name], _ = tested(model, SEEDS)
        sizes.add(model.size)
        key = name.replace(" ", "_")
        numbers[key] = number(found[name], ".0%")
        numbers[f"least_{key}"] = number(min(found[name]), ".0%")
        numbers[f"kept_{key}"] = number(kept.numbers, ".0f")
        numbers[f"rate_{key}"] = rate.number(".1e")
        print(name, rate.losses, found[name], flush=True)
    numbers |= {
        "parameters": number(max(sizes), ",.0f"),
        "apart": number(max(sizes) / min(sizes) - 1, ".1%"),
        "chance": number(1 / VALUES, ".0%"),
        "full_hidden": number(CACHES["full 8"].hidden, ".0f"),
        "values": number(VALUES, ".0f"),
        "steps": number(STEPS, ".0f"),
    }
    series = {"accuracy": found, "kept": {name: one.numbers for name, one in CACHES.items()}}
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
