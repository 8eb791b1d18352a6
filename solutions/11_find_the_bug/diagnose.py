"""Specimens, oracle and variants of `diagnose`."""

import math
from typing import Any

import torch
import torch.nn.functional as F

from autograder.author import EVERY, UNTRIED, Exercise

from .layer_kinds import members
from .layers import UNMERGED, head_by_head, library, products, rounded

exercise = Exercise(
    "diagnose",
    points=6,
    difficulty=4,
    minutes=40,
    returns=("the diagnosis",),
    read="11_find_the_bug.html#differential-diagnosis",
)


@exercise.cases
def cases(rng):
    yield products("layer 1")
    yield library("layer 2")
    yield products("layer 3", end=rounded(rng.integer(40, 90) / 7))
    yield products("layer 4", root="1")
    yield library("layer 5", factor=" * d_k ** 0.5")
    yield products("layer 6", root="d_model")
    yield head_by_head("layer 7", scale="x.size(2) ** -0.5")
    yield products("layer 8", axis="dim=-2", mask="scores = scores.masked_fill(~mask, -1e9)",
                   after="weights = weights * mask")  # fmt: skip
    yield products("layer 9", mask="mask = mask | True")
    yield library("layer 10", how="attn_mask=None")
    yield products("layer 11", mask="mask = mask.T")
    yield library("layer 12", how="attn_mask=j >= i")
    yield products("layer 13", mask="mask = mask | mask.roll(-1, 0); mask[-1] = True")
    yield library("layer 14", how="attn_mask=j < i + 2")
    yield products("layer 15", after="weights = scores.softmax(dim=-1) * mask")
    yield products("layer 16", merged=UNMERGED)
    yield library("layer 17", merged="heads.contiguous().view(x.shape)")
    yield products("layer 18", matrices="W_q, W_k, W_k")
    yield library("layer 19", value="W_k")
    share = rng.integer(10, 40) / 100
    yield products("layer 20", after=f"weights = F.dropout(weights, {share})")
    yield library("layer 21", how=f"is_causal=True, dropout_p={share}")
    yield head_by_head("layer 22")


@exercise.secret_cases
def secret_cases(rng):
    yield from members(rng, 23)


exercise.promise("called as layer(x, W_q, W_k, W_v, W_o, num_heads)", UNTRIED)
exercise.promise("It accepts any batch", UNTRIED)
exercise.promise("It has no biases and no weights", UNTRIED)
exercise.promise('In every case but "dropout"', "layer 20", "layer 21")
exercise.promise("one of the names of the table", EVERY)
exercise.promise("With standard normal", "layer 3")


def outputs(x, matrices, num_heads):
    """What each kind of layer gives, head by head in float64."""
    length, d_model = x.shape[1:]
    W_q, W_k, W_v, W_o = matrices
    early = torch.ones(length, length).tril() > 0
    ahead, d_k = torch.ones(length, length).tril(1) > 0, d_model // num_heads

    def weights(scores, mask, dim=-1):
        powers = torch.where(mask, scores.exp(), torch.zeros_like(scores))
        return powers / powers.sum(dim, keepdim=True)

    def run(weigh, value=W_v, root=d_k, merged=True):
        parts = []
        for at in range(0, d_model, d_k):
            q, k, v = ((x @ W)[:, :, at : at + d_k] for W in (W_q, W_k, value))
            parts.append(weigh(torch.einsum("bqd,bkd->bqk", q, k) / root**0.5) @ v)
        joined = torch.cat(parts, -1) if merged else torch.stack(parts, 1).reshape(x.shape)
        return joined @ W_o

    everything = torch.ones_like(early)
    return {
        "nothing": run(lambda s: weights(s, early)),
        "no root": run(lambda s: weights(s, early), root=1),
        "root of the width": run(lambda s: weights(s, early), root=d_model),
        "softmax over the queries": run(lambda s: weights(s, early, 1)),
        "no mask": run(lambda s: weights(s, everything)),
        "mask inverted": run(lambda s: weights(s, early.T)),
        "one key ahead": run(lambda s: weights(s, ahead)),
        "masked after the softmax": run(lambda s: weights(s, everything) * early),
        "heads not merged": run(lambda s: weights(s, early), merged=False),
        "keys as values": run(lambda s: weights(s, early), value=W_k),
    }


@exercise.oracle
def nearest(layer):
    """The kind whose output is the same; dropout is none of them."""
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(2, 7, 12, generator=generator, dtype=torch.float64)
    matrices = torch.randn(4, 12, 12, generator=generator, dtype=torch.float64) / 3
    found = layer(x, *matrices, 3)
    for name, wanted in outputs(x, matrices, 3).items():
        if float((found - wanted).abs().max()) < 1e-4:
            return name
    return "dropout"


@exercise.variant
def by_questions(layer):
    """One question after the other, with inputs made for it."""

    def ask(x, heads=1, **other):
        unit = torch.eye(x.size(2))
        return layer(x, *(other.get(name, unit) for name in ("q", "k", "v", "o")), heads)

    def same(one, other):
        return torch.allclose(one, other, rtol=0, atol=1e-3)

    x, nothing = torch.randn(3, 6, 8), torch.zeros(8, 8)
    count = torch.arange(1, 7)[:, None]
    means, backwards = x.cumsum(1) / count, (x.flip(1).cumsum(1) / count).flip(1)
    plain = ask(x, q=nothing)  # all scores are 0
    answers = {
        "dropout": any(not same(ask(x, 2), ask(x, 2)) for _ in range(3)),
        "keys as values": not same(ask(x, v=nothing), torch.zeros_like(x)),
        "no mask": same(plain, x.mean(1, keepdim=True).expand_as(x)),
        "masked after the softmax": same(plain, x.cumsum(1) / 6),
        "mask inverted": same(plain, backwards),
        "one key ahead": same(plain[:, :-1], means[:, 1:]),
        "softmax over the queries": not same(plain, means),
        "heads not merged": not same(ask(x, 2, q=nothing), means),
    }
    for name, yes in answers.items():
        if yes:
            return name
    pair = torch.zeros(1, 2, 8)
    pair[0, 1, 0] = 1.5
    share = ask(pair, 4)[0, 1, 0] / 1.5  # of the second token itself
    score = float((share / (1 - share)).log()) / 2.25
    found = {"no root": 1.0, "nothing": 2**-0.5, "root of the width": 8**-0.5}
    return min(found, key=lambda name: abs(found[name] - score))


@exercise.variant
def by_comparison(layer):
    """Its output beside that of ten layers of one's own."""
    x = torch.randn(2, 9, 12)
    q, k, v, o = torch.randn(4, 12, 12) / 3

    def own(num_heads=4, values=v, allowed=None, scale=None, late=False, axis=-1, merge=True):
        i, j = torch.arange(9)[:, None], torch.arange(9)
        seen = j <= i if allowed is None else allowed(i, j)
        Q, K, V = ((x @ W).view(2, 9, num_heads, -1).transpose(1, 2) for W in (q, k, values))
        scores = Q @ K.mT * (3**-0.5 if scale is None else scale)
        if late:
            shares = scores.softmax(-1).tril()
        else:
            shares = scores.masked_fill(~seen, -1e9).softmax(axis) * seen
        heads = shares @ V
        return (heads.transpose(1, 2) if merge else heads).reshape(2, 9, 12) @ o

    found = layer(x, q, k, v, o, 4)
    known: dict[str, dict[str, Any]] = {
        "nothing": {},
        "no root": {"scale": 1.0},
        "root of the width": {"scale": 12**-0.5},
        "softmax over the queries": {"axis": -2},
        "no mask": {"allowed": lambda i, j: j + i >= 0},
        "mask inverted": {"allowed": lambda i, j: i <= j},
        "one key ahead": {"allowed": lambda i, j: j < i + 2},
        "masked after the softmax": {"late": True},
        "heads not merged": {"merge": False},
        "keys as values": {"values": k},
    }
    for name, how in known.items():
        if torch.allclose(own(**how), found, rtol=0, atol=1e-3):
            return name
    return "dropout"


@exercise.variant
def by_torch(layer):
    """First random or not, then the nearest of what torch's own attention gives."""
    x, heads = torch.randn(4, 8, 8), 2
    weights = [torch.randn(8, 8) / 2 for _ in range(4)]
    first, second = (layer(x, *weights, heads) for _ in range(2))
    if (first - second).abs().max() > 1e-3:
        return "dropout"
    q, k, v = ((x @ W).unflatten(-1, (heads, 4)).transpose(1, 2) for W in weights[:3])
    attend, causal = F.scaled_dot_product_attention, torch.ones(8, 8).bool().tril()
    mixed = (q @ k.mT / 2).masked_fill(~causal, -1e9).softmax(2).tril() @ v
    late = (q @ k.mT / 2).softmax(3).tril() @ v
    known = {
        "nothing": attend(q, k, v, causal), "no root": attend(q, k, v, causal, scale=1.0),
        "root of the width": attend(q, k, v, causal, scale=1 / math.sqrt(8)),
        "softmax over the queries": mixed, "no mask": attend(q, k, v),
        "mask inverted": attend(q, k, v, causal.T), "masked after the softmax": late,
        "one key ahead": attend(q, k, v, torch.ones(8, 8).bool().tril(1)),
        "keys as values": attend(q, k, k, causal),
    }  # fmt: skip
    gaps = {name: (o.transpose(1, 2).flatten(2) @ weights[3] - first).abs().max().item()
            for name, o in known.items()}  # fmt: skip
    best = min(gaps, key=lambda name: gaps[name])
    return best if gaps[best] < 1e-3 else "heads not merged"
