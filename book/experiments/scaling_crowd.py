"""Claim 33: does a model forget because its attention degrades when the context grows?

Models with one attention learn to recall from a few pairs of a name and a value, and are tested
with up to 4,096. The names are random vectors that are not learned, so that there can be thousands,
and are drawn from one table. What goes to the right pair is measured, and whether that pair has the
largest score: a model that fails although it has, fails because the many others together outweigh
it. How long models hold out depends on the learning rate, so three are reported; none is chosen.
Three remedies: only the pairs with the largest scores are kept; scores are multiplied by a
factor that grows with the logarithm of the number of pairs; and training with more pairs.
"""

import math
from types import SimpleNamespace

import torch
from measurements import Numbers, Series, number, run_and_save
from recall import Params, adam, equal_rates
from torch import Tensor
from torch.nn import functional as F
from verdicts import claim

SEEDS = range(5)
NAMES, VALUES, D_MODEL = 8192, 16, 64
FEW, MANY = (8,), (8, 16, 32, 64, 128, 256)  # pairs in training, in turn
LENGTHS = [2**power for power in range(3, 13)]
STEPS, SEQUENCES, ASKED = 300, 16, 8  # and how many names of each sequence are asked for
CONTEXTS, QUESTIONS, KEPT = 16, 32, 8  # tests: sequences, questions on each; pairs kept
RATES = {"slow": 1e-3, "mid": 3e-3, "fast": 1e-2}
Found = dict[str, Tensor]


def forgets(n: SimpleNamespace, rate: str) -> bool:
    found = {key.removeprefix(f"{rate}_"): value for key, value in vars(n).items()}
    return (
        found["right_8"] > 0.98
        and found["right_4096"] < found["top_4096"] - 0.05
        and found["sharper_4096"] > found["right_4096"] + 0.05
        and found["many_4096"] > found["right_4096"] + 0.1
    )


CLAIMS = [
    claim(
        33,
        "Why does the model forget context at token 4000? Attention patterns degrade.",
        "Models trained with {few} pairs at a learning rate of {rate_mid} recall {mid_right_8} of "
        "the names among {few} pairs, and {mid_right_4096} among {longest}. There the right pair "
        "has {mid_weight_4096} of the weight, and for {mid_top_4096} of the questions it has the "
        "largest score. With scores multiplied in proportion to the logarithm of the number of "
        "pairs, {mid_sharper_4096} are recalled; with only the {kept} largest scores kept, "
        "{mid_kept_4096}; after training with up to {many} pairs, {mid_many_4096}. At a rate of "
        "{rate_fast} the right pair has the largest score for only {fast_top_4096}, and most of "
        "what is lost goes to single wrong pairs.",
        "holds if",
        "to degrade means to spread the weight over many more keys than in training, at the two "
        "lower of three learning rates",
        scope="recall from 8 to 4,096 pairs, models 64 wide with one head, 300 steps of Adam with "
        "8 pairs",
        control="The model could fail to tell the pairs apart: at the two lower rates the right "
        "one has the largest score for {slow_top_4096} and {mid_top_4096} of the questions.",
        stands=lambda n: (
            all(forgets(n, rate) for rate in RATES)
            and n.mid_right_4096 < min(0.5, n.mid_kept_4096 - 0.2)
            and min(n.slow_top_4096, n.mid_top_4096, n.mid_sharper_4096) > 0.85
            and 1 - n.fast_top_4096 > n.fast_top_4096 - n.fast_right_4096
        ),
    )
]


def names() -> Tensor:
    """One table for all models, not learned. [names, d_model]"""
    return torch.randn(NAMES, D_MODEL, generator=torch.Generator().manual_seed(50_000))


TABLE = names()


def new_models(seeds: list[int]) -> Params:
    each = [_new_model(torch.Generator().manual_seed(seed)) for seed in seeds]
    return {name: torch.stack([model[name] for model in each]) for name in each[0]}


def _new_model(rng: torch.Generator) -> Params:
    size = 1 / math.sqrt(D_MODEL)  # d_k is d_model
    shapes = dict.fromkeys(("W_q", "W_k", "W_v"), (D_MODEL, D_MODEL)) | {"W_o": (D_MODEL, VALUES)}
    made = {name: size * torch.randn(shape, generator=rng) for name, shape in shapes.items()}
    return made | {"value": torch.randn(VALUES, D_MODEL, generator=rng)}


def sample(rng: torch.Generator, sequences: int, pairs: int, asked: int) -> tuple[Tensor, ...]:
    """Distinct names and random values [sequences, pairs], and the places of the names that are
    asked for [sequences, asked].
    """
    chosen = torch.stack([torch.randperm(NAMES, generator=rng)[:pairs] for _ in range(sequences)])
    values = torch.randint(VALUES, (sequences, pairs), generator=rng)
    return chosen, values, torch.randint(pairs, (sequences, asked), generator=rng)


def score(models: Params, chosen: Tensor, values: Tensor, at: Tensor) -> tuple[Tensor, Tensor]:
    """Scores [models, sequences, asked, pairs] and pairs [models, sequences, pairs, d_model]."""
    pairs = _normalised(TABLE[chosen] + models["value"][:, values])
    query = _normalised(TABLE[chosen.gather(1, at)]) @ models["W_q"][:, None]
    return query @ models["W_k"].mT[:, None] @ pairs.mT / math.sqrt(D_MODEL), pairs


def _normalised(x: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:])


def answer(models: Params, weights: Tensor, pairs: Tensor) -> Tensor:
    """Logits of the values. [models, sequences, asked, values]"""
    return weights @ pairs @ models["W_v"][:, None] @ models["W_o"][:, None]


def train(seeds: list[int], rates: list[float], lengths: tuple[int, ...]) -> Params:
    models, rng, update = new_models(seeds), torch.Generator().manual_seed(90_000), adam()
    for tensor in models.values():
        tensor.requires_grad_()
    for step in range(STEPS):
        batch = sample(rng, SEQUENCES, lengths[step % len(lengths)], ASKED)
        scores, pairs = score(models, *batch)
        logits = answer(models, scores.softmax(dim=-1), pairs)
        target = batch[1].gather(1, batch[2]).expand(logits.shape[:3])
        loss = F.cross_entropy(logits.movedim(-1, 1), target) * len(seeds)
        gradients = torch.autograd.grad(loss, list(models.values()))
        with torch.no_grad():
            update(models, dict(zip(models, gradients, strict=True)), equal_rates(models, rates))
    return models


def remedies(scores: Tensor) -> dict[str, Tensor]:
    """The weights as they are, of the largest scores alone, and of sharper scores."""
    pairs = scores.size(-1)
    bar = scores.topk(KEPT, dim=-1).values[..., -1:]
    sharper = math.log(pairs) / math.log(FEW[0])
    return {
        "right": scores.softmax(dim=-1),
        "kept": scores.masked_fill(scores < bar, -math.inf).softmax(dim=-1),
        "sharper": (scores * sharper).softmax(dim=-1),
    }


def look(models: Params, batch: tuple[Tensor, ...]) -> Found:
    """Shares over the questions of one sequence. Each [models]"""
    (scores, pairs), at = score(models, *batch), batch[2]
    place = at.expand(scores.shape[:3])
    target = batch[1].gather(1, at)
    found = {"top": (scores.argmax(dim=-1) == at).float()}
    for name, weights in remedies(scores).items():
        found[name] = (answer(models, weights, pairs).argmax(dim=-1) == target).float()
        if name == "right":
            found["weight"] = weights.gather(-1, place[..., None])[..., 0]
    others = scores.scatter(-1, place[..., None], -math.inf).exp().mean(dim=-1)
    found["margin"] = scores.gather(-1, place[..., None])[..., 0] - others.log()
    return {name: one.mean(dim=(1, 2)) for name, one in found.items()}


@torch.no_grad()
def test(models: Params, pairs: int, seed: int) -> Found:
    rng = torch.Generator().manual_seed(seed)
    each = [look(models, sample(rng, 1, pairs, QUESTIONS)) for _ in range(CONTEXTS)]
    return {name: torch.stack([one[name] for one in each]).mean(dim=0) for name in each[0]}


def all_models(lengths: tuple[int, ...]) -> Params:
    """Every learning rate with every seed, in this order."""
    rates = [rate for rate in RATES.values() for _ in SEEDS]
    return train([*SEEDS] * len(RATES), rates, lengths)


def by_length(models: Params) -> dict[str, dict[str, list[list[float]]]]:
    """[rate][what] is a list of seeds, each a list of LENGTHS."""
    each = [test(models, pairs, 60_000 + pairs) for pairs in LENGTHS]
    series: dict[str, dict[str, list[list[float]]]] = {}
    for at, rate in enumerate(RATES):
        part = slice(at * len(SEEDS), (at + 1) * len(SEEDS))
        series[rate] = {
            name: torch.stack([one[name][part] for one in each], dim=1).tolist() for name in each[0]
        }
    return series


def summary(few: Series, many: Series) -> Numbers:
    """What is left at the least and at the largest number of pairs, for each learning rate."""
    numbers: Numbers = {}
    formats = dict.fromkeys(("top", "right", "kept", "sharper"), ".0%")
    formats |= {"weight": ".1%", "margin": ".1f"}
    for rate, value in RATES.items():
        numbers[f"rate_{rate}"] = number(value, "g")
        for at in (0, -1):
            for name, fmt in formats.items():
                found = [run[at] for run in few[rate][name]]
                numbers[f"{rate}_{name}_{LENGTHS[at]}"] = number(found, fmt)
            for key, name in {"many": "right", "many_weight": "weight"}.items():
                found = [run[at] for run in many[rate][name]]
                numbers[f"{rate}_{key}_{LENGTHS[at]}"] = number(found, formats[name])
    return numbers


def measure() -> tuple[Numbers, Series]:
    few, many = by_length(all_models(FEW)), by_length(all_models(MANY))
    numbers = summary(few, many) | {
        "few": number(FEW[0], "d"),
        "many": number(MANY[-1], "d"),
        "longest": number(LENGTHS[-1], ",d"),
        "kept": number(KEPT, "d"),
        "names": number(NAMES, ",d"),
        "steps": number(STEPS, "d"),
        "needed": number(math.log(LENGTHS[-1] - 1), ".1f"),
    }
    return numbers, {"lengths": LENGTHS, "few": few, "many": many}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
