"""Twelve well-known checks of a model or of its training, each asked of one seed after the other.

A check says for each seed whether it turns the model away. It knows nothing of what is wrong.
"""

import numpy as np
import torch
from bugs_model import HEADS, RIGHT, WIDTH, Model, Use
from bugs_tasks import LENGTH, SYMBOLS, Batch, batch, losses
from bugs_training import CLIP, made, reported, spoiled, step
from torch import Tensor
from torch.nn import functional as F

SEEDS, CLOSE = range(5), 1e-4
Verdict = list[bool]  # whether each seed's model is turned away


def given(task: str, size: int = 6, seed: int = 3) -> Batch:
    return batch(task, len(SEEDS), size, np.random.default_rng(seed))


def differ(one: Tensor, other: Tensor) -> Verdict:
    return ((one - other).abs().flatten(1).amax(dim=1) > CLOSE).tolist()


def everywhere(told: bool) -> Verdict:
    return [told] * len(SEEDS)


@torch.no_grad()
def shape(model: Model, task: str) -> Verdict:
    some = given(task)
    wanted = (*some.targets.shape, model.embed.size(1))
    return everywhere(model(some.tokens, some.real, Use()).shape != wanted)


def loss_falls(model: Model, task: str, steps: int = 100) -> Verdict:
    """The mean of the last ten steps is below that of the first ten."""
    optimizer = torch.optim.Adam(model.parameters, 3e-3)
    curve = torch.stack([step(model, optimizer, given(task, 16, n)) for n in range(steps)])
    return (curve[-10:].mean(dim=0) >= curve[:10].mean(dim=0)).tolist()


def overfits_one_batch(model: Model, task: str, steps: int = 150) -> Verdict:
    """Four texts are learned by heart, until their loss is below 0.1 nats."""
    some, use = given(task, 4), Use()
    if task != "count":  # the first token has to say which of the four it is
        some.tokens[..., 0] = torch.arange(4)
    optimizer = torch.optim.Adam(model.parameters, 1e-2)
    for _ in range(steps):
        step(model, optimizer, some)
    with torch.no_grad():
        return (reported(model, some, use) > 0.1).tolist()


def gradient_reaches_all(model: Model, task: str) -> Verdict:
    reported(model, given(task, 32), Use(training=True)).sum().backward()
    reached = torch.stack([p.grad.flatten(1).abs().amax(dim=1) for p in model.parameters
                           if p.grad is not None])  # fmt: skip
    missing = len(reached) < len(model.parameters)
    return [missing or bool(one.min() == 0) for one in reached.T]


@torch.no_grad()
def prefix(model: Model, task: str) -> Verdict:
    if model.pooled:
        return everywhere(False)
    some, cut = given(task), LENGTH // 2
    whole = model(some.tokens, some.real, Use())[:, :, :cut]
    return differ(model(some.tokens[..., :cut], some.real[..., :cut], Use()), whole)


@torch.no_grad()
def batch_alone(model: Model, task: str) -> Verdict:
    """Each row alone, and without its padding."""
    some = given(task)
    together, turned = model(some.tokens, some.real, Use()), np.zeros(len(SEEDS), dtype=bool)
    for seed in SEEDS:
        for row, n in enumerate(some.real[seed].sum(dim=-1).tolist()):
            cut = (slice(None), slice(row, row + 1), slice(n))
            alone = model(
                some.tokens[cut], some.real[seed, row, :n].expand(len(SEEDS), 1, n), Use()
            )
            turned[seed] |= differ(alone, together[:, row : row + 1])[seed]
    return turned.tolist()


@torch.no_grad()
def mode(model: Model, task: str) -> Verdict:
    some = given(task)
    calls = [
        model(some.tokens, some.real, Use(training)) for training in (False, False, True, True)
    ]
    evaluated, trained = differ(*calls[:2]), differ(*calls[2:])
    return [random or not drops for random, drops in zip(evaluated, trained, strict=True)]


@torch.no_grad()
def cache(model: Model, task: str) -> Verdict:
    """The same with the positions of one call and with those that a cache would give."""
    some = given(task)
    at_once = model(some.tokens, some.real, Use())
    return differ(model(some.tokens, some.real, Use(by_token=True)), at_once)


def targets(model: Model, task: str) -> Verdict:
    """On texts of different numbers, each target is the one after its input."""
    if model.pooled:
        return everywhere(False)
    text = torch.arange(3 * (LENGTH + 1)).view(3, -1).expand(len(SEEDS), -1, -1)
    cut = spoiled(Batch(text[..., :-1], text[..., :-1] >= 0, text[..., 1:]), model.defect)
    return everywhere(not torch.equal(cut.targets, cut.tokens + 1))


def tied(model: Model, task: str) -> Verdict:
    """The logit of a symbol that is not in the text has a gradient at the symbol's embedding.

    Changing the embedding and watching the logit would accept a copy in the same memory.
    """
    if model.pooled:
        return everywhere(False)
    tokens, absent = given(task).tokens % (SYMBOLS - 1), SYMBOLS - 1
    real = torch.ones_like(tokens, dtype=torch.bool)
    logits = model(tokens, real, Use(alone=True))[..., absent]
    (gradient,) = torch.autograd.grad(logits.sum(), model.embed)
    return [not reached for reached in gradient[:, absent].any(dim=-1).tolist()]


def two_steps_by_hand(model: Model, task: str) -> Verdict:
    """Two steps of plain descent change weights by the clipped gradient and by nothing else."""
    optimizer, turned = torch.optim.SGD(model.parameters, 1.0), np.zeros(len(SEEDS), dtype=bool)
    for number in range(2):
        some, noise = given(task, 16, number), model.noise.get_state()
        each = losses(model, spoiled(some, model.defect), Use(training=True))
        gradients = torch.autograd.grad(each.sum(), model.parameters, materialize_grads=True)
        size = torch.stack([g.flatten(1).square().sum(1) for g in gradients]).sum(0).sqrt()
        shrink = (CLIP / size).clamp(max=1)
        wanted = [p.detach() - g * shrink.view(-1, *[1] * (g.dim() - 1))
                  for p, g in zip(model.parameters, gradients, strict=True)]  # fmt: skip
        model.noise.set_state(noise)
        step(model, optimizer, some)
        for parameter, right in zip(model.parameters, wanted, strict=True):
            turned |= np.array(differ(parameter.detach(), right))
    return turned.tolist()


@torch.no_grad()
def reference(model: Model, task: str) -> Verdict:
    """The same as a second implementation by PyTorch's functions, with the same weights."""
    some = given(task)
    found, wanted = model(some.tokens, some.real, Use()), []
    for seed in SEEDS:
        x = model.embed[seed][some.tokens[seed]] + model.place[seed, : some.tokens.size(-1)]
        mask = some.real[seed][:, None, None] if model.pooled else None
        for block in model.blocks:
            W_q, W_k, W_v, W_o, W_in, W_out = (weight[seed] for weight in block)
            normed = F.layer_norm(x, (WIDTH,))
            q, k, v = ((normed @ W).unflatten(-1, (HEADS, -1)).transpose(1, 2)
                       for W in (W_q, W_k, W_v))  # fmt: skip
            heads = F.scaled_dot_product_attention(q, k, v, mask, is_causal=not model.pooled)
            x = x + heads.transpose(1, 2).flatten(2) @ W_o
            x = x + F.gelu(F.layer_norm(x, (WIDTH,)) @ W_in) @ W_out
        x = F.layer_norm(x, (WIDTH,))
        if model.pooled:
            real = some.real[seed][..., None]
            x = (x * real).sum(1) / real.sum(1)
        wanted.append(x @ model.embed[seed].T)
    return differ(found, torch.stack(wanted))


CHECKS = {
    "the shape is right": shape,
    "the loss falls": loss_falls,
    "one batch is overfitted": overfits_one_batch,
    "a gradient reaches all": gradient_reaches_all,
    "a prefix alone": prefix,
    "a row alone": batch_alone,
    "each mode twice": mode,
    "token by token": cache,
    "targets of a counted text": targets,
    "an absent symbol": tied,
    "two steps by hand": two_steps_by_hand,
    "a second implementation": reference,
}


def turned_away(defect: str) -> dict[str, int]:
    """By how many of the seeds' models each check turns the defect away."""
    task = "count" if defect == "padding in the mean" else "chain"
    return {name: sum(check(made(task, defect, SEEDS), task)) for name, check in CHECKS.items()}


def on_right_models() -> int:
    """How often a check turns away a right model, on both kinds of task; it should be never."""
    return sum(sum(check(made(task, RIGHT, SEEDS), task)) for check in CHECKS.values()
               for task in ("chain", "count"))  # fmt: skip
