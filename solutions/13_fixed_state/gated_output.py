"""Cases, oracle and variants of `gated_output`."""

import math

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, Exercise, Finite, Model

exercise = Exercise(
    "gated_output",
    points=3,
    difficulty=2,
    minutes=15,
    returns=("the output", "W_g afterwards", "W_o afterwards"),
    read="13_fixed_state.html#a-gate-on-the-output",
    properties=(Finite(),),
)

LINEAR = """
class Linear(nn.Linear):
    pass
"""


def linear(rng, wide, narrow, bias, size=1.0):
    """An nn.Linear from `wide` to `narrow`. size: of all its numbers."""
    state = {"weight": size * rng.normal(narrow, wide) / math.sqrt(wide)}
    if bias:
        state["bias"] = size * rng.normal(narrow)
    construct = {"in_features": wide, "out_features": narrow, "bias": bias}
    return Model(LINEAR, state, construct)


def case(rng, name, sizes, d_model, per_number, bias=(True, True), size=1.0,
         dtype=torch.float32, gradient=False):  # fmt: skip
    """sizes: batch, heads, length, d_v. bias: of W_g, of W_o. size: of the numbers in W_g."""
    batch, heads, length, d_v = sizes
    gates = heads * d_v if per_number else heads
    inputs = {
        "x": rng.normal(batch, length, d_model, dtype=dtype),
        "output": rng.normal(batch, heads, length, d_v, dtype=dtype),
        "W_g": linear(rng, d_model, gates, bias[0], size).to(dtype),
        "W_o": linear(rng, heads * d_v, d_model, bias[1]).to(dtype),
    }
    return Case(name, inputs, gradient=gradient)


def example(gates):
    """One token and two heads. gates: the rows of W_g."""
    weights = torch.tensor(gates), torch.tensor([[1.0, 1, 1, 1], [0, 0, 0, 1]])
    W_g, W_o = (
        Model(
            LINEAR,
            {"weight": weight},
            {"in_features": weight.size(1), "out_features": weight.size(0), "bias": False},
        )
        for weight in weights
    )
    output = torch.tensor([[[[4.0, 8]], [[4, 12]]]])
    x = torch.tensor([[[0.0, math.log(3)]]])
    return {"x": x, "output": output, "W_g": W_g, "W_o": W_o}


@exercise.cases
def cases(rng):
    yield Case("the example of the text", example([[1.0, 0], [0, 1]]))
    yield Case("the example, a gate for each number", example([[1.0, 0], [0, 1], [1, 0], [0, 1]]))
    yield case(rng, "a gate for each head", (2, 3, 5, 4), 7, False, gradient=True)
    yield case(rng, "a gate for each number", (2, 3, 5, 4), 7, True, gradient=True)
    yield case(rng, "a model as wide as its heads", (3, 2, 4, 5), 10, False)
    yield case(rng, "as wide, and a gate for each number", (3, 2, 4, 5), 10, True)
    yield case(rng, "no biases", (2, 4, 3, 2), 6, True, bias=(False, False))
    yield case(rng, "far from 0", (2, 3, 5, 4), 8, False, size=300.0, gradient=True)
    yield case(rng, "half precision", (2, 4, 6, 3), 5, True, dtype=torch.float16)


@exercise.secret_cases
def secret_cases(rng):
    batch, heads, length = rng.integer(2, 4), rng.integer(4, 6), rng.integer(6, 9)
    yield case(rng, "other sizes", (batch, heads, length, 3), 11, False, gradient=True)
    yield case(rng, "a bias in W_g alone", (batch, heads, length, 3), 9, True, (True, False))
    yield case(rng, "a bias in W_o alone", (batch, heads, length, 2), 9, False, (False, True))
    yield case(rng, "heads of width 1", (2, heads, 3, 1), 7, True)
    yield case(rng, "one head with one gate", (3, 1, 4, 5), 6, False)
    yield case(rng, "one head with a gate for each number", (3, 1, 4, 5), 6, True)
    yield case(rng, "one token", (1, 3, 1, 4), 12, True)
    yield case(rng, "as many of everything", (4, 4, 4, 4), 4, False)
    yield case(rng, "as many of everything, a gate for each number", (3, 3, 3, 3), 9, True)
    yield case(rng, "far from 0, a gate for each number", (2, 3, 4, 2), 6, True, size=500.0)
    yield case(rng, "float64", (2, 2, 5, 3), 6, False, dtype=torch.float64)
    yield case(rng, "bfloat16", (2, 3, 4, 2), 5, False, dtype=torch.bfloat16)


exercise.promise("the input of the layer", "a gate for each head", "other sizes")
exercise.promise("of the heads, before they are merged", "a gate for each head", "other sizes")
exercise.promise(
    "gives one gate for each head, or one", "a gate for each head", "a gate for each number"
)
exercise.promise("Its width says which of the two", "heads of width 1", "one head with one gate")
exercise.promise("Entries of W_g(x) may be far", "far from 0", "far from 0, a gate for each number")
exercise.promise("heads * d_v need not be", "a gate for each head", "a model as wide as its heads")
exercise.promise(
    "Both layers may have a bias", "no biases", "a bias in W_g alone", "a bias in W_o alone"
)
exercise.promise("All four arguments are of one floating", "half precision", "bfloat16", "float64")
exercise.promise("None of them is changed.", EVERY)
exercise.promise("in the dtype and on the device", "half precision", "bfloat16", "float64")
exercise.promise(
    "Gradients flow to x", "a gate for each head", "a gate for each number", "far from 0"
)


@exercise.oracle
def head_by_head(x, output, W_g, W_o):
    """The hyperbolic tangent in place of the sigmoid, and a matrix of W_o for each head."""
    heads, d_v = output.size(1), output.size(-1)
    each = W_g.weight.size(0) // heads
    total = torch.zeros_like(x)
    for head in range(heads):
        rows = slice(head * each, (head + 1) * each)
        z = torch.einsum("bnm,gm->bng", x, W_g.weight[rows])
        z = z if W_g.bias is None else z + W_g.bias[rows]
        gated = (1 + (z / 2).tanh()) / 2 * output[:, head]
        columns = W_o.weight[:, head * d_v : (head + 1) * d_v]
        total = total + torch.einsum("bnv,mv->bnm", gated, columns)
    return total if W_o.bias is None else total + W_o.bias


@exercise.variant
def with_two_ways(x, output, W_g, W_o):
    batch, heads, length, d_v = output.shape
    gates = W_g(x).sigmoid()
    if gates.shape[-1] == heads:
        gates = gates.transpose(1, 2).unsqueeze(-1)
    else:
        gates = gates.view(batch, length, heads, d_v).permute(0, 2, 1, 3)
    return W_o((output * gates).permute(0, 2, 1, 3).reshape(batch, length, heads * d_v))


@exercise.variant
def repeats_the_gates(x, output, W_g, W_o):
    merged = output.transpose(1, 2).flatten(2)
    gates = F.sigmoid(F.linear(x, W_g.weight, W_g.bias))
    if W_g.out_features == output.size(1):
        gates = gates.repeat_interleave(output.size(-1), dim=-1)
    return F.linear(gates * merged, W_o.weight, W_o.bias)


@exercise.variant
def by_concatenation(x, output, W_g, W_o):
    gates = torch.sigmoid(W_g(x)).chunk(output.shape[1], dim=-1)
    heads = output.unbind(dim=1)
    return W_o(torch.cat([gate * head for gate, head in zip(gates, heads, strict=True)], dim=-1))


@exercise.variant
def by_einsum(x, output, W_g, W_o):
    gates = F.logsigmoid(W_g(x)).exp()
    gates = gates.reshape(*x.shape[:2], output.size(1), -1).expand(-1, -1, -1, output.size(-1))
    return W_o(torch.einsum("bhnv,bnhv->bnhv", output, gates).flatten(start_dim=2))


@exercise.variant
def token_by_token(x, output, W_g, W_o):
    rows = []
    for at in range(x.size(1)):
        gate = torch.sigmoid(W_g(x[:, at])).unflatten(-1, (output.size(1), -1))
        rows.append(W_o((output[:, :, at] * gate).flatten(1)))
    return torch.stack(rows, dim=1)
