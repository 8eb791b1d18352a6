"""Silencing heads of `heads_model` in three ways, which differ in what takes the head's place.

`zero`: nothing; `mean`: the head's mean output at this place, over the test sequences; `resample`:
its output for another test sequence. Zeros, and a sum that is never zero in training, may throw a
model off by themselves; what all three agree on is due to the head.
"""

from itertools import combinations
from statistics import fmean
from typing import Any

import torch
from heads_model import AttentionOnly
from heads_probe import loss_of_copies
from torch import Tensor

Head = tuple[int, int]  # layer, head
WAYS = ("zero", "mean", "resample")


def head_outputs(model: AttentionOnly, tokens: Tensor) -> Tensor:
    """What each head gives, before W_o: [layers, batch, heads, queries, d_v]."""
    kept: list[Tensor] = []
    hooks = [
        module.register_forward_pre_hook(lambda _, inputs: kept.append(inputs[0]))
        for name, module in model.named_modules()
        if name.endswith("W_o")
    ]
    model(tokens[:, :-1])
    for hook in hooks:
        hook.remove()
    return torch.stack(kept).unflatten(-1, (model.num_heads, -1)).transpose(2, 3)


def replacement(way: str, outputs: Tensor) -> Tensor | None:
    """What takes the place of a silent head's output, of the shape of `outputs`."""
    if way == "mean":
        return outputs.mean(dim=1, keepdim=True).expand_as(outputs)
    return outputs.roll(1, dims=1) if way == "resample" else None


def loss_without(
    model: AttentionOnly, tokens: Tensor, heads: list[Head], instead: Tensor | None
) -> float:
    """Loss in the second copy with these heads silenced."""
    gates = torch.ones(model.num_layers, model.num_heads)
    for layer, head in heads:
        gates[layer, head] = 0
    return loss_of_copies(model, tokens, gates, instead)[1].item()


def ablate(
    model: AttentionOnly, tokens: Tensor, jobs: dict[str, list[Head]], best: dict[str, Head]
) -> dict[str, Any]:
    """Loss in the second copy, by way, without the best head of a job, all heads of it, or as many
    heads of the same layer that are not just those (mean over all choices)."""
    outputs = head_outputs(model, tokens)
    result: dict[str, Any] = {"none": loss_without(model, tokens, [], None)}
    for way in WAYS:
        instead = replacement(way, outputs)
        result[way] = {}
        for name, group in jobs.items():
            mixed = [loss_without(model, tokens, one, instead) for one in others(model, group)]
            result[way] |= {
                f"best_{name}": loss_without(model, tokens, [best[name]], instead),
                f"all_{name}": loss_without(model, tokens, group, instead),
                f"mixed_{name}": fmean(mixed) if mixed else None,
            }
    return result


def others(model: AttentionOnly, group: list[Head]) -> list[list[Head]]:
    """All other choices of as many heads of the group's layer."""
    layer = [(group[0][0], head) for head in range(model.num_heads)] if group else []
    return [list(one) for one in combinations(layer, len(group)) if list(one) != group]
