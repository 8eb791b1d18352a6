"""Cases, oracle and variants of `RepairedAttention`."""

import math

import torch
from torch import nn

from autograder.author import EVERY, Case, Exercise, Finite, SumsTo

exercise = Exercise(
    "RepairedAttention",
    points=3,
    difficulty=3,
    minutes=20,
    returns=("output", "weights"),
    read="05_multi_head.html#find-the-bug",
    properties=(
        Finite(),
        SumsTo(1, -1, "A row of weights should sum to 1, or to 0 where no key may be attended to."),
    ),
)


def case(rng, name, sizes, widths, shape=None, dtype=torch.float32, **more):
    """Random inputs and weights. sizes: batch, length. widths: d_model, d_k. shape: of the mask."""
    d_model, d_k = widths
    x = rng.normal(*sizes, d_model, dtype=dtype)
    mask = None if shape is None else rng.bools(*shape)
    if mask is not None:
        mask[..., 1] = ~mask[..., 0]  # the first key or the second may be attended to
    state = {}
    for part, width in {"q": d_k or d_model, "k": d_k or d_model, "v": d_model}.items():
        state[f"W_{part}.weight"] = rng.normal(width, d_model, dtype=dtype) / d_model**0.5
        state[f"W_{part}.bias"] = rng.normal(width, dtype=dtype)
    construct = {"d_model": d_model} | ({} if d_k is None else {"d_k": d_k})
    return Case(name, {"x": x, "mask": mask}, construct=construct, state=state, **more)


def far_apart(rng, name, score, among):
    """Scores of about `score` among the tokens that the mask allows, or those that it does not.

    The first entry of a token says which it is, the second makes small differences.
    """
    made = case(rng, name, (2, 5), (6, 4), (2, 5, 5))
    visible = torch.tensor([True, True, False, True, False])
    made.inputs["mask"][:] = visible
    made.inputs["x"].zero_()[..., 0] = (visible if among == "allowed" else ~visible).float()
    made.inputs["x"][..., 1] = torch.tensor([0.0, 1, 3, 2, -1])
    for part in "qk":
        made.state[f"W_{part}.weight"].zero_()[:2, :2] = torch.eye(2)
        made.state[f"W_{part}.bias"].zero_()
    made.state["W_q.weight"][0, 0] = 2 * score  # d_k is 4, so its root cancels the 2
    return made


def without_a_key(made, sequence):
    """The case where the first query of a sequence may attend to nothing."""
    made.inputs["mask"][sequence, 0] = False
    return made


def example():
    """That of the text."""
    state = {"W_q.weight": torch.eye(2)[:1], "W_k.weight": torch.eye(2)[:1]}
    state |= {"W_v.weight": torch.eye(2), "W_v.bias": torch.zeros(2)}
    state |= {f"W_{part}.bias": torch.zeros(1) for part in "qk"}
    inputs = {"x": torch.tensor([[[1.0, 0], [0, 8]]]), "mask": None}
    return Case("the example of the text", inputs, construct={"d_model": 2, "d_k": 1}, state=state)


@exercise.cases
def cases(rng):
    yield case(rng, "d_k smaller than d_model", (2, 4), (6, 3), gradient=True)
    yield case(rng, "d_k equal to d_model", (2, 5), (4, 4), (2, 5, 5), gradient=True)
    yield case(rng, "d_k larger than d_model", (3, 4), (5, 7), (4, 4))
    yield case(rng, "no d_k is given", (2, 3), (5, None))
    empty = case(rng, "a query without a key", (2, 4), (6, 5), (2, 4, 4), gradient=True)
    yield without_a_key(empty, 1)
    half = case(rng, "half precision", (2, 4), (6, 3), (2, 4, 4), torch.float16)
    yield without_a_key(half, 0)
    yield far_apart(rng, "large scores and masked ones that are larger", 2.0**100, "masked")
    yield far_apart(rng, "large negative scores", -(2.0**100), "allowed")
    yield example()


@exercise.secret_cases
def secret_cases(rng):
    batch, length = rng.integer(3, 5), rng.integer(6, 9)
    yield case(rng, "a mask for the keys alone", (batch, length), (5, 2), (batch, 1, length))
    nothing = case(
        rng, "no key for any query", (2, length), (7, 4), (length, length), gradient=True
    )
    nothing.inputs["mask"][:] = False
    yield nothing
    yield case(rng, "one token", (1, 1), (3, 8))
    yield case(rng, "d_k of 1", (batch, length), (4, 1), (length,), gradient=True)
    yield case(rng, "float64", (2, length), (6, 11), (2, 1, length), torch.float64)
    brain = case(rng, "bfloat16", (2, length), (8, 4), (2, length, length), torch.bfloat16)
    yield without_a_key(brain, 1)
    yield case(rng, "many tokens", (1, 19), (10, 6), (19, 19))


exercise.promise("width of the tokens", "d_k smaller than d_model", "d_k larger than d_model")
exercise.promise("width of queries and keys", "d_k equal to d_model", "no d_k is given")
exercise.promise("`W_q` and `W_k` map", "d_k smaller than d_model", "d_k larger than d_model")
exercise.promise("Each has a bias.", EVERY)
exercise.promise("tokens, of the layers'", "half precision", "bfloat16", "float64")
exercise.promise("No score, scaled or not, exceeds", "large scores and masked ones that are larger")
exercise.promise("It is not changed.", EVERY)
exercise.promise(
    "True = may attend; it has one to three axes", "a mask for the keys alone", "d_k of 1"
)
exercise.promise("It may be False everywhere.", "no key for any query")
exercise.promise(
    "None: every key may be attended to.", "d_k smaller than d_model", "no d_k is given"
)
exercise.promise("output, and the weights.", EVERY)
exercise.promise(
    "A row of weights sums", "a query without a key", "no key for any query", "half precision"
)
exercise.promise("Gradients flow to the tokens", "a query without a key", "no key for any query")


@exercise.oracle
class ExponentialsQueryByQuery(nn.Module):
    """One query after the other, with exponentials in place of a fill."""

    def __init__(self, d_model, d_k=None):
        super().__init__()
        for part, width in {"q": d_k or d_model, "k": d_k or d_model, "v": d_model}.items():
            self.add_module(f"W_{part}", nn.Linear(d_model, width))

    def forward(self, x, mask=None):
        query, key, value = (getattr(self, f"W_{part}")(x) for part in "qkv")
        every = torch.ones(x.size(0), x.size(1), x.size(1), dtype=torch.bool, device=x.device)
        allowed = every if mask is None else every & mask
        places = range(x.size(1))
        rows = [self.row(query[:, place], key, allowed[:, place]) for place in places]
        weights = torch.stack(rows, dim=1)
        return torch.einsum("bqk,bkd->bqd", weights, value), weights

    def row(self, query, key, allowed):
        scores = torch.einsum("bd,bkd->bk", query, key) / query.size(-1) ** 0.5
        top = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min).amax(-1, keepdim=True)
        shares = (scores - top).masked_fill(~allowed, -torch.inf).exp()
        return shares / shares.sum(dim=-1, keepdim=True).clamp(min=0.5)


@exercise.variant
class ClearsAfterTheSoftmax(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        d_k = d_model if d_k is None else d_k
        self.W_q, self.W_k = nn.Linear(d_model, d_k), nn.Linear(d_model, d_k)
        self.W_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        query, key, value = self.W_q(x), self.W_k(x), self.W_v(x)
        scores = query @ key.transpose(-2, -1) / math.sqrt(key.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return weights @ value, weights


@exercise.variant
class SparesEmptyRows(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        widths = [d_k or d_model] * 2 + [d_model]
        self.W_q, self.W_k, self.W_v = (nn.Linear(d_model, width) for width in widths)

    def forward(self, x, mask=None):
        scores = torch.einsum(
            "bqd,bkd->bqk", self.W_q(x) * self.W_q.out_features**-0.5, self.W_k(x)
        )
        if mask is None:
            weights = scores.softmax(-1)
        else:
            nobody = mask.logical_not().all(dim=-1, keepdim=True)
            hidden = mask.logical_not() & ~nobody
            weights = scores.masked_fill(hidden, -math.inf).softmax(-1).masked_fill(nobody, 0)
        return torch.bmm(weights, self.W_v(x)), weights


@exercise.variant
class FillsWithTheLowestNumber(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        self.W_v = nn.Linear(d_model, out_features=d_model)
        if d_k is None:
            d_k = d_model
        self.W_k = nn.Linear(d_model, out_features=d_k)
        self.W_q = nn.Linear(d_model, out_features=d_k)

    def forward(self, x, mask=None):
        scores = self.W_q(x) @ self.W_k(x).mT / self.W_k.out_features**0.5
        if mask is None:
            mask = torch.ones_like(scores, dtype=torch.bool)
        lowest = torch.finfo(scores.dtype).min
        weights = torch.softmax(torch.where(mask, scores, lowest), dim=-1) * mask
        return torch.matmul(weights, self.W_v(x)), weights
