"""Cases, oracle and variants of `cross_attention`."""

import math

import torch
import torch.nn.functional as F

from autograder.author import EVERY, UNTRIED, Case, Exercise, Finite, SumsTo

exercise = Exercise(
    "cross_attention",
    points=1,
    difficulty=1,
    minutes=5,
    returns=("output", "weights"),
    read="06_cross_attention.html#the-formula",
    properties=(
        Finite(),
        SumsTo(
            1, -1, "A row of weights should sum to 1, or to 0 where nothing may be attended to."
        ),
    ),
)


def draw(rng, sizes, widths, shape=None, dtype=torch.float32):
    """sizes: batch, queries, keys. widths: d_model, d_memory, d_k, d_v. shape: of the mask."""
    batch, queries, keys = sizes
    d_model, d_memory, d_k, d_v = widths
    mask = rng.bools(*(shape or sizes))
    last = mask.size(-1)
    mask[..., 1 % last] = ~mask[..., 0] | (last == 1)  # no row is empty
    shapes = {"W_q": (d_model, d_k), "W_k": (d_memory, d_k), "W_v": (d_memory, d_v)}
    matrices = {
        name: rng.normal(*size, dtype=dtype) / size[0] ** 0.5 for name, size in shapes.items()
    }
    x = rng.normal(batch, queries, d_model, dtype=dtype)
    memory = rng.normal(batch, keys, d_memory, dtype=dtype)
    return {"x": x, "memory": memory, **matrices, "mask": mask}


def example(*visible):
    """The example of the text, once for each of the given rows of the mask."""
    batch = len(visible)
    x, memory = torch.full((batch, 1, 1), 2.0), torch.tensor([[1.0], [0.0]]).repeat(batch, 1, 1)
    matrices = {name: torch.ones(1, 1) for name in ("W_q", "W_k", "W_v")}
    return {"x": x, "memory": memory, **matrices, "mask": torch.tensor(visible)[:, None]}


def far_apart(rng, allowed, masked, dtype=torch.float32, apart=1.0):
    """Scores near `allowed` and `masked`, exact in any order of sums; equal where `apart` is 0.

    Of the masked scores one is the largest by far: to a query that attends to it, no other gives a
    gradient that would be all rounding.
    """
    inputs = draw(rng, (2, 3, 5), (4, 4, 4, 6), dtype=dtype)
    visible = torch.tensor([True, True, False, True, False])
    inputs["W_q"][:], inputs["W_k"][:] = torch.eye(4), torch.eye(4)
    inputs["x"].zero_()[..., :2] = 2  # the root of d_k, which cancels it
    hidden = masked * torch.tensor([0, 0, 1, 0, 1.5])
    inputs["memory"].zero_()[..., 0] = torch.where(visible, allowed, hidden)
    inputs["memory"][..., 1] = apart * torch.tensor([0.0, 1, 3, 2, -1])
    inputs["mask"][:] = visible
    return inputs


@exercise.cases
def cases(rng):
    yield Case("the text's example", example((True, True), (False, True)))
    yield Case("all lengths and widths differ", draw(rng, (2, 3, 5), (6, 7, 4, 8)), gradient=True)
    inputs = draw(rng, (3, 4, 6), (5, 3, 2, 7), (3, 1, 6))
    yield Case("a mask of the memory's padding", inputs, gradient=True)
    inputs = draw(rng, (4, 4, 4), (3, 3, 3, 3), (4, 4))
    yield Case("two axes and as many of everything", inputs, gradient=True)
    inputs = draw(rng, (3, 2, 4), (5, 6, 3, 4), (3, 1, 4))
    inputs["mask"][1] = False
    yield Case("a memory of nothing but padding", inputs, gradient=True)
    inputs = far_apart(rng, 0.0, 10000.0)
    yield Case("large scores and larger masked ones", inputs, gradient=True)
    yield Case("large negative scores", far_apart(rng, -(2.0**100), 0.0, apart=2.0**80))
    yield Case("half precision", draw(rng, (2, 3, 5), (4, 6, 8, 3), dtype=torch.float16))


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(3, 6), rng.integer(7, 10)
    inputs = draw(rng, (2, keys, queries), (4, 5, 6, 3), dtype=torch.float64)
    yield Case("more queries than keys in float64", inputs, gradient=True)
    yield Case("a memory of one", draw(rng, (3, queries, 1), (4, 6, 5, 2)))
    inputs = draw(rng, (1, 1, keys), (3, 5, 4, 6), (1, 1, keys))
    yield Case("one sequence and one query", inputs, gradient=True)
    inputs = draw(rng, (2, queries, keys), (6, 4, 5, 7), (1, keys), torch.bfloat16)
    yield Case("one row for all in bfloat16", inputs)
    inputs = draw(rng, (3, queries, keys), (6, 4, 5, 7))
    inputs["mask"][1, 0] = inputs["mask"][2, 2] = False
    yield Case("single queries without a key", inputs, gradient=True)
    inputs = draw(rng, (2, queries, keys), (6, 4, 5, 7), (1, 1))
    inputs["mask"][:] = False
    yield Case("nobody may attend", inputs, gradient=True)
    yield Case("large scores in half precision", far_apart(rng, 0.0, 5000.0, torch.float16))
    inputs = far_apart(rng, 5000.0, 0.0, torch.float16, apart=0.0)
    yield Case("equal large scores in half precision", inputs)


exercise.promise("the sequence that asks.", UNTRIED)
exercise.promise("the sequence that answers", "all lengths and widths differ", "a memory of one")
exercise.promise("projections, applied from the right.", "all lengths and widths differ")
exercise.promise("All floating inputs", "half precision", "more queries than keys in float64")
exercise.promise(
    "No score, scaled or not, exceeds", "large scores in half precision", "large negative scores"
)
exercise.promise("No input is changed.", EVERY)
exercise.promise("True = may attend; (queries, keys)", "two axes and as many of everything")
exercise.promise("output and weights", "half precision", "one row for all in bfloat16")
exercise.promise(
    "Each row of weights", "equal large scores in half precision", "a memory of nothing but padding"
)
exercise.promise("Gradients reach every floating", "large scores and larger masked ones")


@exercise.oracle
def torch_own(x, memory, W_q, W_k, W_v, mask):
    """Attention over one-hot values returns the weights themselves."""
    query, key, value = (F.linear(a, W.T) for a, W in ((x, W_q), (memory, W_k), (memory, W_v)))
    one_hot = torch.eye(key.size(1), dtype=key.dtype).repeat(key.size(0), 1, 1)
    weights = F.scaled_dot_product_attention(query, key, one_hot, attn_mask=mask)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask), weights


@exercise.variant
def with_einsum(x, memory, W_q, W_k, W_v, mask):
    q, k = torch.einsum("bqm,mk->bqk", x, W_q), torch.einsum("bnm,mk->bnk", memory, W_k)
    scores = torch.einsum("bqd,bkd->bqk", q, k) * q.shape[-1] ** -0.5
    scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, -1) * mask.to(x.dtype)
    return torch.einsum("bqk,bkm,mv->bqv", weights, memory, W_v), weights


@exercise.variant
def with_layers_of_torch(x, memory, W_q, W_k, W_v, mask):
    query, key, value = F.linear(x, W_q.T), F.linear(memory, W_k.T), F.linear(memory, W_v.T)
    nobody = ~mask.any(dim=-1, keepdim=True)
    bias = torch.zeros_like(mask, dtype=x.dtype).masked_fill(~(mask | nobody), float("-inf"))
    scores = query.matmul(key.transpose(1, 2)).div(math.sqrt(key.size(-1)))
    weights = F.softmax(scores + bias, dim=-1).masked_fill(nobody, 0.0)
    return torch.bmm(weights, value), weights


@exercise.variant
def sequence_by_sequence(x, memory, W_q, W_k, W_v, mask):
    mask = mask.expand(x.size(0), x.size(1), memory.size(1))
    outputs, shares = [], []
    for one, other, allowed in zip(x, memory, mask, strict=True):
        scores = (one @ W_q / W_q.size(-1) ** 0.5) @ (other @ W_k).T
        row = torch.softmax(scores.masked_fill(~allowed, -torch.inf), dim=-1)
        row = torch.where(allowed, row, torch.zeros_like(row))
        outputs.append(row @ other @ W_v)
        shares.append(row)
    return torch.stack(outputs), torch.stack(shares)
