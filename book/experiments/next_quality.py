"""Claims 58 and 59: what sharing keys and values costs in accuracy, at equal parameters.

Each sequence has items with three features, and every value of a feature occurs once. A query names
one value and asks for the item's other two features. Heads can look for different features, if they
have keys of their own to do it with.
"""

import torch
from measurements import Numbers, Series, number, run_and_save
from next_model import D_K, Cache, Model
from torch import Tensor
from torch.nn import functional as F
from verdicts import claim

SEEDS = range(5)
FEATURES, VALUES, BATCH, STEPS, RATE = 3, 16, 8, 700, 1e-2
TESTED = 64  # sequences, for each seed

CACHES = {
    "full 8": Cache(8, 8, D_K),
    "full 4": Cache(4, 4, D_K),
    "full 2": Cache(2, 2, D_K),
    "full 1": Cache(1, 1, D_K),
    "shared 4": Cache(8, 4, D_K),
    "shared 2": Cache(8, 2, D_K),
    "shared 1": Cache(8, 1, D_K),
    "latent 32": Cache(8, 0, 32),
    "latent 16": Cache(8, 0, 16),
    "latent 8": Cache(8, 0, 8),
    "wide": Cache(8, 1, 16),
}

SCOPE = (
    "one layer of width 64 with 8 heads of width 4, sets of 16 items with three features, "
    "700 steps of Adam at one learning rate"
)
CLAIMS = [
    claim(
        58,
        "One head of keys and values for all heads costs little quality; a few of them cost none.",
        "Items with three features, {parameters} parameters in every model, seed means. 8 heads "
        "of keys of width 4: {full_8}. Shared by groups: {shared_4} with 4 heads of keys, "
        "{shared_2} with 2, {shared_1} with 1. One shared head of width 16, which keeps "
        "{kept_wide} numbers a token as 4 narrow ones do: {wide}.",
        "holds if",
        "the shared head is wide, as here with queries, keys and values of width 16 instead of 4",
        scope=SCOPE,
        control="The wide model is not larger: all have the same number of parameters. Nor does "
        "it keep more: its head keeps as many numbers as 4 narrow ones. Which of its queries, "
        "keys and values has to be wide was not separated.",
        stands=lambda n: n.shared_2 < n.full_8 - 0.1 and n.wide > n.full_8 - 0.03,
    ),
    claim(
        59,
        "A latent cache is better than grouped keys of the same size.",
        "The same task. With 16 numbers a token: {latent_16} latent, {shared_2} grouped, "
        "{full_2} with fewer heads. With 8: {latent_8}, {shared_1} and {full_1}. With 32: "
        "{latent_32} latent, {shared_4} with 4 shared heads of width 4 and {wide} with one of "
        "width 16.",
        "holds if",
        "the shared heads are as narrow as here and a token keeps at most 16 numbers",
        scope=SCOPE,
        control="No model is larger: all have the same number of parameters. Wider shared heads "
        "were tried at {kept_wide} numbers only, where the one tried is better than the latent "
        "vector.",
        stands=lambda n: (
            n.latent_16 > n.shared_2 + 0.1
            and n.latent_8 > n.shared_1 + 0.1
            and n.wide > n.latent_32
        ),
    ),
]


def draw(rng: torch.Generator, batch: int) -> tuple[Tensor, Tensor, Tensor]:
    """Items and queries as sets of symbols, and targets [seeds, batch, queries, features]."""
    shape = (len(SEEDS), batch, FEATURES, VALUES)
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
    items, targets, _ = draw(rng, batch)
    return model(*vectors(model, items)).unflatten(-1, (FEATURES, VALUES)), targets


def train(cache: Cache) -> Model:
    model = Model(cache, 2 * FEATURES * VALUES, FEATURES * VALUES, SEEDS)
    rng = torch.Generator().manual_seed(1)
    optimizer = torch.optim.Adam(model.parameters)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=STEPS)
    for _ in range(STEPS):
        logits, targets = logits_and_targets(model, rng, BATCH)
        loss = F.cross_entropy(logits.flatten(0, -2), targets.flatten())
        optimizer.zero_grad()
        (model.seeds * loss).backward()
        optimizer.step()
        schedule.step()
    return model


@torch.no_grad()
def accuracy(model: Model) -> list[float]:
    """Share of right features, the one that was named left out, by seed."""
    logits, targets = logits_and_targets(model, torch.Generator().manual_seed(2), TESTED)
    right = (logits.argmax(dim=-1) == targets).float().mean(dim=1)  # [seeds, queries, features]
    other = ~torch.eye(FEATURES, dtype=torch.bool).repeat_interleave(VALUES, dim=0)
    return right[:, other].mean(dim=1).tolist()


def measure() -> tuple[Numbers, Series]:
    found, sizes, numbers = {}, set(), {}
    for name, cache in CACHES.items():
        model = train(cache)
        found[name] = accuracy(model)
        sizes.add(model.size)
        key = name.replace(" ", "_")
        numbers[key] = number(found[name], ".0%")
        numbers[f"kept_{key}"] = number(cache.numbers, ".0f")
    numbers |= {
        "parameters": number(max(sizes), ",.0f"),
        "apart": number(max(sizes) / min(sizes) - 1, ".1%"),
        "chance": number(1 / VALUES, ".0%"),
        "full_hidden": number(CACHES["full 8"].hidden, ".0f"),
        "values": number(VALUES, ".0f"),
        "steps": number(STEPS, ".0f"),
    }
    kept = {name: cache.numbers for name, cache in CACHES.items()}
    return numbers, {"accuracy": found, "kept": kept}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
