"""Claims 22, 23, 24: do heads specialise, do weights explain, are early layers local?

A two-layer model of attention alone learns to continue sequences that repeat a random block. The
same model learns a control, the same symbols with every sequence shuffled, which cannot be
continued.
"""

import math
from typing import Any

import torch
from heads_ablation import WAYS, ablate
from heads_model import HEADS, LAYERS, LENGTH, SYMBOLS, AttentionOnly
from heads_probe import (
    PERIOD,
    head_scores,
    loss_of_copies,
    perturbed,
    repeated,
    test_sequences,
)
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from torch.nn import functional as F
from verdicts import claim

SEEDS = range(5)
STEPS, BATCH, EVERY, RATE = 600, 32, 20, 5e-3
FOUND = 0.4  # a score above this counts as found; an untrained head's is below half of it
SCOPE = (
    "two layers of attention alone, 4 heads each, 64 wide, 600 steps of Adam on blocks of 4 to 16 "
    "symbols, repeated"
)
SILENCED = ("best_previous", "mixed_previous", "all_previous", "best_induction", "all_induction")

CLAIMS = [
    claim(
        22,
        "Heads specialise by themselves (previous token, …).",
        "Trained on repeated blocks, the best previous-token score of layer 1 is "
        "{previous_trained} and the best induction score of layer 2 {induction_trained}. "
        "Of the 4 heads of each layer, {previous_count} and {induction_count} do that job.",
        "holds if",
        "the task needs the job",
        scope=SCOPE,
        control="The architecture alone: untrained, it has {previous_untrained} and "
        "{induction_untrained}; trained on the same symbols, each sequence shuffled, "
        "{previous_shuffled} and {induction_shuffled}. A job that is of no use: with the means of "
        "all its heads, the loss is {all_previous_mean} and {all_induction_mean} instead of "
        "{loss_trained}.",
        stands=lambda n: (
            n.previous_trained > 2 * max(n.previous_untrained, n.previous_shuffled)
            and n.induction_trained > 5 * max(n.induction_untrained, n.induction_shuffled)
            and min(n.previous_count, n.induction_count) > 1
        ),
    ),
    claim(
        23,
        "The weights show what the model is looking at.",
        "Of the weight of layer 1, {weight_idle} lies on symbols that can be changed at a cost of "
        "{effect_idle} to the answer. The symbol before the answer, to which no head of this query "
        "gives more than {weight_match} on average, costs {effect_match}. The induction heads give "
        "{weight_answer} to the answer's symbol, which costs {effect_answer}.",
        "false",
        "most weight of layer 1 lies where changing one symbol costs nothing, and a symbol with "
        "hardly any weight matters",
        scope=SCOPE,
        control="A change that matters everywhere or nowhere: the same change was made at each of "
        "the 18 latest symbols, one at a time, and three of them matter.",
        stands=lambda n: (
            n.weight_answer > 0.5
            and n.weight_match < 0.2
            and n.effect_match > 1
            and n.weight_idle > 0.5
            and n.effect_idle < 0.1
        ),
    ),
    claim(
        24,
        "Early layers attend locally, late layers far.",
        "Mean distance from query to key: {distance_1_trained} symbols in layer 1 and "
        "{distance_2_trained} in layer 2.",
        "holds if",
        "the task needs a near step before a far one, as this one does",
        scope=SCOPE,
        control="The architecture alone: untrained, it looks {distance_1_untrained} and "
        "{distance_2_untrained} symbols back; trained on shuffled sequences, {distance_1_shuffled} "
        "and {distance_2_shuffled}.",
        stands=lambda n: (
            n.distance_1_trained < n.distance_2_trained - 2
            and abs(n.distance_1_untrained - n.distance_2_untrained) < 0.5
            and n.distance_1_shuffled > n.distance_2_shuffled - 0.5
        ),
    ),
]


def shuffled(tokens: Tensor, rng: torch.Generator) -> Tensor:
    """The same symbols, each sequence in an order that nothing in it tells."""
    order = torch.rand(tokens.shape, generator=rng).argsort(dim=1)
    return tokens.gather(1, order)


def train(
    seed: int, shuffle: bool, rate: float = RATE, steps: int = STEPS, **shape: int
) -> tuple[AttentionOnly, list[dict[str, Any]]]:
    """Train one model of a `shape`; every `EVERY` steps its losses and head scores are kept."""
    torch.manual_seed(seed)
    rng = torch.Generator().manual_seed(seed)
    model, tests, history = AttentionOnly(**shape), test_sequences(64, seed), []
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.99))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, rate, total_steps=steps, pct_start=0.1
    )
    for step in range(steps + 1):
        if step % EVERY == 0:
            history.append(watch(model, tests))
        if step == steps:
            break
        tokens = repeated(BATCH, rng, 4, PERIOD)
        tokens = shuffled(tokens, rng) if shuffle else tokens
        loss = F.cross_entropy(model(tokens[:, :-1])[0].mT, tokens[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model, history


@torch.no_grad()
def watch(model: AttentionOnly, tokens: Tensor) -> dict[str, list[Any]]:
    """Losses of both copies and all head scores, as lists."""
    scores = head_scores(model(tokens[:, :-1])[1])
    return {
        "loss": loss_of_copies(model, tokens).tolist(),
        **{name: score.tolist() for name, score in scores.items()},
    }


def found(scores: list[list[float]], layer: int) -> list[tuple[int, int]]:
    """(layer, head) of each head of a layer whose score says that it does the job."""
    return [(layer, head) for head in range(HEADS) if scores[layer][head] > FOUND]


@torch.no_grad()
def silence(model: AttentionOnly, tokens: Tensor, scores: dict[str, list[Any]]) -> dict[str, Any]:
    """What silencing the heads of each job does, and how many of them there are."""
    layers = {"previous": 0, "induction": 1}
    jobs = {name: found(scores[name], layer) for name, layer in layers.items()}
    best = {
        name: (layer, max(range(HEADS), key=scores[name][layer].__getitem__))
        for name, layer in layers.items()
    }
    counts = {name: len(group) for name, group in jobs.items()}
    return {"count": counts} | ablate(model, tokens, jobs, best)


@torch.no_grad()
def explain(
    model: AttentionOnly, tokens: Tensor, scores: dict[str, list[Any]], seed: int
) -> dict[str, Any]:
    """Effect of changing one symbol, and the weight that the query gives it, by offset."""
    rng = torch.Generator().manual_seed(seed)
    effect, weights = perturbed(model, tokens, rng)  # [batch, keys], [layers, batch, heads, keys]
    heads = [head for _, head in found(scores["induction"], 1)]
    shown = weights[1][:, heads].mean(dim=1)  # [batch, keys]
    largest = weights.amax(dim=2)  # [layers, batch, keys]
    idle = [at for at in range(effect.size(1)) if at not in (0, PERIOD - 1, PERIOD)]
    return {
        "weight_answer": shown[:, PERIOD - 1].mean().item(),
        "weight_match": largest[:, :, PERIOD].amax(dim=0).mean().item(),
        "weight_idle": weights[0][..., idle].sum(dim=-1).mean().item(),
        "effect_answer": effect[:, PERIOD - 1].mean().item(),
        "effect_match": effect[:, PERIOD].mean().item(),
        "effect_idle": effect[:, idle].abs().mean().item(),
        "effect_itself": effect[:, 0].mean().item(),
        "effect_by_offset": effect.mean(dim=0).tolist(),
        "weight_by_offset": weights.mean(dim=(1, 2)).tolist(),
    }


def run(seed: int) -> dict[str, Any]:
    """Everything about one seed; the model itself under `model`."""
    model, history = train(seed, shuffle=False)
    control = train(seed, shuffle=True)[1]
    tokens = test_sequences(500, seed)
    scores = watch(model, tokens)
    print(f"seed {seed}: {scores['loss']}", flush=True)
    return {
        "model": model,
        "history": history,
        "scores": {"untrained": history[0], "trained": scores, "shuffled": control[-1]},
        "control": control,
        "ablation": silence(model, tokens, scores),
        "explain": explain(model, tokens, scores, seed),
    }


def numbers_of(runs: list[dict[str, Any]]) -> Numbers:
    """What the page and the claims quote."""
    numbers = {
        "symbols_twice": number(PERIOD, "d"),
        "threshold": number(FOUND, ".1f"),
        "rate": number(RATE, "g"),
        "uniform": number(math.log(SYMBOLS), ".2f", "nats"),
    }
    for kind in ("untrained", "trained", "shuffled"):
        kept = [run["scores"][kind] for run in runs]
        numbers[f"previous_{kind}"] = number([max(s["previous"][0]) for s in kept], ".2f")
        numbers[f"induction_{kind}"] = number([max(s["induction"][1]) for s in kept], ".2f")
        numbers[f"loss_{kind}"] = number([s["loss"][1] for s in kept], ".2f", "nats")
        for layer in range(LAYERS):
            mean = [sum(s["distance"][layer]) / HEADS for s in kept]
            numbers[f"distance_{layer + 1}_{kind}"] = number(mean, ".1f")
    late = [max(run["scores"]["trained"]["previous_late"][0]) for run in runs]
    numbers["previous_late"] = number(late, ".2f")
    for way in WAYS:
        for key in SILENCED:
            lost = [run["ablation"][way][key] for run in runs]
            lost = [loss for loss in lost if loss is not None]  # where there is a bystander
            numbers[f"{key}_{way}"] = number(lost, ".2f", "nats")
    for name in ("previous", "induction"):
        counts = [float(run["ablation"]["count"][name]) for run in runs]
        numbers[f"{name}_count"] = number(counts, ".1f")
    numbers["whole_layer"] = number(counts.count(HEADS), "d")
    scores = [s for run in runs for s in run["scores"]["trained"]["previous"][0]]
    below = [score for score in scores if score <= FOUND]
    numbers["bystander_low"] = number(min(below), ".2f")
    numbers["bystander_high"] = number(max(below), ".2f")
    kept = [run["explain"] for run in runs]
    for key in ("answer", "match", "idle"):
        numbers[f"weight_{key}"] = number([e[f"weight_{key}"] for e in kept], ".0%")
    for key in ("answer", "match", "itself", "idle"):
        numbers[f"effect_{key}"] = number([e[f"effect_{key}"] for e in kept], ".2f", "nats")
    return numbers


@torch.no_grad()
def pictures(model: AttentionOnly, count: int = 2, period: int = 8) -> list[dict[str, Any]]:
    """Tokens and weights of short sequences, in thousandths: [layers, heads, queries, keys]."""
    tokens = repeated(count, torch.Generator().manual_seed(7), period, period)[:, : 2 * period]
    weights = (1000 * model(tokens)[1]).round().int()
    return [
        {"tokens": tokens[at].tolist(), "weights": weights[:, at].tolist()} for at in range(count)
    ]


def measure() -> tuple[Numbers, Series]:
    runs = [run(seed) for seed in SEEDS]
    model = runs[0].pop("model")
    return numbers_of(runs), {
        "steps": list(range(0, STEPS + 1, EVERY)),
        "loss": [[watched["loss"] for watched in run["history"]] for run in runs],
        "control_loss": [[watched["loss"] for watched in run["control"]] for run in runs],
        "previous": [[watched["previous"][0] for watched in run["history"]] for run in runs],
        "induction": [[watched["induction"][1] for watched in run["history"]] for run in runs],
        "scores": [run["scores"]["trained"] for run in runs],
        "ablation": [run["ablation"] for run in runs],
        "explain": [run["explain"] for run in runs],
        "length": LENGTH,
        "pictures": pictures(model),
    }


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
