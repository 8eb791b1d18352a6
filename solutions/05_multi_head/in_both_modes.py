"""Cases, oracle and variants of `in_both_modes`.

The engine observes modules in evaluation mode. This exercise has the learner's own function put
the module into training mode, and shows by the output which weights were dropped.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from autograder.author import EVERY, UNTRIED, Case, Drawn, Exercise, Finite

exercise = Exercise(
    "in_both_modes",
    points=2,
    difficulty=2,
    minutes=15,
    returns=("the output in evaluation mode", "the output in training mode"),
    read="05_multi_head.html#heads-dropout",
    builds_on=("split_heads", "merge_heads", "MultiHeadAttention"),
    properties=(
        Finite(),
        Drawn(1, "In training mode each weight is dropped by itself, with the chance `dropout`."),
    ),
)

# An earlier exercise: the notebook has it.
MultiHeadAttention: Callable[..., Any]


def case(rng, name, sizes, num_heads, dropout, dtype=torch.float32):
    """sizes: batch, length, d_model."""
    x, d_model = rng.normal(*sizes, dtype=dtype), sizes[-1]
    matrices = rng.normal(4, d_model, d_model, dtype=dtype) / d_model**0.5
    return Case(name, {"x": x, "matrices": matrices, "num_heads": num_heads, "dropout": dropout})


def counted(rng, name, dropout, length=32):
    """All weights are alike, and an output is made of two of them.

    Within a head, the value of each of the first keys is 1 in a feature of its own, and that of
    each of the others is 2, so that an output is 0, 1, 2 or 3 times a weight that is kept.
    """
    made = case(rng, name, (4, length, length), 2, dropout, torch.float16)
    half = length // 2
    made.inputs["x"][:] = torch.eye(half).repeat(2, 2)
    made.inputs["x"][:, half:] *= 2
    made.inputs["matrices"][0] = 0
    made.inputs["matrices"][2:] = torch.eye(length)
    return made


@exercise.cases
def cases(rng):
    yield case(rng, "nothing is dropped", (2, 6, 6), 3, 0.0)
    yield case(rng, "everything is dropped in half precision", (2, 4, 8), 2, 1.0, torch.float16)
    yield counted(rng, "a quarter is dropped", 8 / 32)


@exercise.secret_cases
def secret_cases(rng):
    batch, length = rng.integer(3, 6), rng.integer(6, 9)
    yield case(rng, "nothing is dropped of one head", (batch, length, 5), 1, 0.0)
    yield case(rng, "everything is dropped of many heads", (batch, length, 12), 6, 1.0)
    yield case(rng, "nothing is dropped in float64", (1, length, 6), 2, 0.0, torch.float64)
    yield counted(rng, "more is dropped", rng.integer(11, 14) / 32)


exercise.promise("the input, in any floating", "nothing is dropped in float64")
exercise.promise("It is not changed.", EVERY)
exercise.promise("the parameters `weight`", "nothing is dropped")
exercise.promise("In the dtype and on the device", EVERY)
exercise.promise("number of heads; it divides", "nothing is dropped of one head")
exercise.promise("probability that an attention", "nothing is dropped", "more is dropped")
exercise.promise(
    "The output in evaluation", "a quarter is dropped", "everything is dropped in half precision"
)
exercise.promise("They need not carry", UNTRIED)


@exercise.oracle
def expected_outputs(x, matrices, num_heads, dropout):
    """Between 0 and 1, in training: each pair of weights kept or not, as often as is due.

    In some order: which of them are kept is drawn, and how often is what can be compared.
    """
    query, key, value = ((x @ part.mT).unflatten(2, (num_heads, -1)) for part in matrices[:3])
    scores = torch.einsum("bqhk,bnhk->bhqn", query, key) / query.size(-1) ** 0.5
    heads = torch.einsum("bhqn,bnhk->bqhk", scores.softmax(dim=-1), value)
    output = heads.flatten(2) @ matrices[3].mT
    if dropout in (0, 1):
        return output, output * (1 - dropout)
    kept = (torch.arange(x.size(1)) >= dropout * x.size(1)).to(x)
    pairs = (kept[:, None] + 2 * kept) / x.size(1) / (1 - dropout)
    order = torch.randperm(x.numel(), generator=torch.Generator().manual_seed(0))
    return output, pairs.expand_as(x).flatten()[order].view_as(x)


@exercise.variant
def loaded_by_state_dict(x, matrices, num_heads, dropout):
    module = MultiHeadAttention(x.size(-1), num_heads, dropout=dropout, bias=False).to(x)
    names = ("W_q", "W_k", "W_v", "W_o")
    module.load_state_dict({f"{name}.weight": w for name, w in zip(names, matrices, strict=True)})
    evaluated = module.eval()(x, x, x)[0]
    return evaluated, module.train()(x, x, x)[0]


@exercise.variant
def copied_into_the_parameters(x, matrices, num_heads, dropout):
    attention = MultiHeadAttention(x.shape[-1], num_heads, dropout, False)
    attention.to(device=x.device, dtype=x.dtype)
    with torch.no_grad():
        for layer, weight in zip("qkvo", matrices.unbind(), strict=True):
            getattr(attention, f"W_{layer}").weight.copy_(weight)
    outputs = []
    for training in (False, True):
        attention.train(training)
        output, _ = attention(x, x, x, None)
        outputs.append(output)
    return outputs


@exercise.variant
def two_modules(x, matrices, num_heads, dropout):
    def build():
        made = MultiHeadAttention(matrices.size(1), num_heads, dropout, bias=False)
        for name, weight in zip(("W_q", "W_k", "W_v", "W_o"), matrices, strict=True):
            getattr(made, name).weight = nn.Parameter(weight.clone())
        return made

    with torch.no_grad():
        return build().eval()(x, x, x)[0], build().train()(x, x, x)[0]
