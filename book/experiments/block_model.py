"""Stacks of blocks with or without skip, norm and MLP; many small ones train side by side.

All tensors of a stack have `models` as first axis. The task is a Markov chain of order two, whose
entropy is the floor of the loss: the next symbol depends on the last two of them together.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from heads_model import waves
from markov import Chain, random_chain
from torch import Tensor
from torch.nn import functional as F

SYMBOLS, LENGTH, D_MODEL, HEADS = 4, 8, 16, 2
EPS = 1e-5
Params = dict[str, Tensor]


@dataclass(frozen=True)
class Kind:
    """What a stack of blocks is made of. norm: "pre", "post" or "none"."""

    depth: int
    d_model: int = D_MODEL
    skip: bool = True
    norm: str = "pre"
    mlp: bool = True
    rms: bool = False  # RMS norm instead of layer norm
    gated: bool = False  # a gated MLP, of about as many parameters
    small: bool = False  # what a sublayer adds starts smaller, the deeper the stack


def the_chain() -> Chain:
    return random_chain(SYMBOLS, concentration=0.2, seed=1)


def new_models(kind: Kind, seeds: Sequence[int]) -> Params:
    """One stack for each seed; matrices as Xavier initialisation has them, norms at 1 and 0."""
    each = [_new_model(kind, torch.Generator().manual_seed(seed)) for seed in seeds]
    return {name: torch.stack([model[name] for model in each]) for name in each[0]}


def _new_model(kind: Kind, rng: torch.Generator) -> Params:
    def matrix(rows: int, columns: int) -> Tensor:
        return torch.randn(rows, columns, generator=rng) * math.sqrt(2 / (rows + columns))

    d_model, d_hidden = kind.d_model, 4 * kind.d_model
    d_hidden = round(d_hidden * 2 / 3) if kind.gated else d_hidden
    made = {"embed": torch.randn(SYMBOLS, d_model, generator=rng)}
    last = 1 / math.sqrt(2 * kind.depth) if kind.small else 1.0
    for at in range(kind.depth):
        made |= {f"{name}_{at}": matrix(d_model, d_model) for name in ("W_q", "W_k", "W_v")}
        made[f"W_o_{at}"] = last * matrix(d_model, d_model)
        if kind.mlp:
            made[f"W_1_{at}"] = matrix(d_model, d_hidden)
            if kind.gated:
                made[f"W_gate_{at}"] = matrix(d_model, d_hidden)
            made[f"W_2_{at}"] = last * matrix(d_hidden, d_model)
    for norm in _norms(kind):
        made[f"{norm}_weight"] = torch.ones(1, d_model)
        if not kind.rms:
            made[f"{norm}_bias"] = torch.zeros(1, d_model)
    return made | {"readout": matrix(d_model, SYMBOLS)}


def _norms(kind: Kind) -> list[str]:
    if kind.norm == "none":
        return []
    each = [f"{part}_{at}" for at in range(kind.depth) for part in sublayers(kind)]
    return [*each, "last"] if kind.norm == "pre" else each


def sublayers(kind: Kind) -> tuple[str, ...]:
    return ("attention", "mlp") if kind.mlp else ("attention",)


def states(
    models: Params, kind: Kind, tokens: Tensor, instead: Params | None = None
) -> list[Tensor]:
    """The embedded tokens and what leaves each sublayer, [models, batch, length, d_model] each.

    `instead` has, by the name of a sublayer such as `mlp_0`, what it returns whatever it is given.
    """
    embedded = models["embed"].index_select(1, tokens.flatten()).unflatten(1, tokens.shape)
    kept = [embedded + waves(tokens.size(1), kind.d_model)]
    for at in range(kind.depth):
        for part in sublayers(kind):
            name, x = f"{part}_{at}", kept[-1]
            given = (instead or {}).get(name)
            found = _sublayer(models, kind, name, x) if given is None else given
            found = x + found if kind.skip else found
            kept.append(normalised(models, kind, name, found) if kind.norm == "post" else found)
    return kept


def _sublayer(models: Params, kind: Kind, name: str, x: Tensor) -> Tensor:
    part, _, at = name.partition("_")
    x = normalised(models, kind, name, x) if kind.norm == "pre" else x
    return attention(models, at, x) if part == "attention" else mlp(models, at, x)


def normalised(models: Params, kind: Kind, name: str, x: Tensor) -> Tensor:
    """Layer norm with each model's own weight and bias, or RMS norm, which has no bias."""
    weight = models[f"{name}_weight"][:, None]
    if kind.rms:
        return F.rms_norm(x, x.shape[-1:], eps=EPS) * weight
    return F.layer_norm(x, x.shape[-1:], eps=EPS) * weight + models[f"{name}_bias"][:, None]


def attention(models: Params, at: str, x: Tensor) -> Tensor:
    """Causal, with several heads. x: [models, batch, length, d_model]"""
    query, key, value = (_split(_times(x, models[f"W_{of}_{at}"])) for of in "qkv")
    output = F.scaled_dot_product_attention(query, key, value, is_causal=True)
    merged = output.transpose(1, 2).flatten(-2).unflatten(0, x.shape[:2])
    return _times(merged, models[f"W_o_{at}"])


def mlp(models: Params, at: str, x: Tensor) -> Tensor:
    hidden, gate = _times(x, models[f"W_1_{at}"]), models.get(f"W_gate_{at}")
    hidden = F.relu(hidden) if gate is None else hidden * F.silu(_times(x, gate))
    return _times(hidden, models[f"W_2_{at}"])


def _times(x: Tensor, matrices: Tensor) -> Tensor:
    """[models, batch, length, in] by each model's matrix [in, out]."""
    return (x.flatten(1, 2) @ matrices).unflatten(1, x.shape[1:3])


def _split(x: Tensor) -> Tensor:
    """[models, batch, length, d_model] to [models * batch, heads, length, d_k]."""
    return x.flatten(0, 1).unflatten(-1, (HEADS, -1)).transpose(1, 2)


def losses(models: Params, kind: Kind, tokens: Tensor, instead: Params | None = None) -> Tensor:
    """Cross-entropy of the next symbol in nats, of each model. tokens: [batch, length + 1]"""
    x = states(models, kind, tokens[:, :-1], instead)[-1]
    x = normalised(models, kind, "last", x) if kind.norm == "pre" else x
    logits = _times(x, models["readout"])  # [models, batch, length, symbols]
    targets = tokens[:, 1:].expand(logits.shape[:-1])
    each = F.cross_entropy(logits.flatten(0, -2), targets.flatten(), reduction="none")
    return each.unflatten(0, (len(logits), -1)).mean(dim=-1)
