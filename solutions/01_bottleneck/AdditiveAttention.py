"""Cases, oracle and known mistakes of `AdditiveAttention`."""

import math
import textwrap

import torch
from torch import nn

from autograder.properties import Finite, SumsTo
from autograder.spec import Case, Exercise, Implementation, Misconception

exercise = Exercise(
    "AdditiveAttention",
    points=5,
    difficulty=4,
    minutes=35,
    returns=("output", "weights"),
    read="01_bottleneck.html#in-code",
    builds_on=("additive_score", "attention_context"),
    properties=(
        Finite(),
        SumsTo(1, -1, "A row of weights sums to 1, or to 0 where no key may be attended to."),
    ),
)


def case(rng, name, batch, queries, keys, widths, dtype=torch.float32, **more):
    """Random inputs and weights; of each sequence some keys count and some do not.

    widths: d_q, d_k, d_v and d_hidden.
    """
    d_q, d_k, d_v, d_hidden = widths
    mask = rng.bools(batch, keys)
    mask[:, 1 % keys] = ~mask[:, 0] | (keys == 1)
    shapes = {"query": (queries, d_q), "key": (keys, d_k), "value": (keys, d_v)}
    inputs = {part: rng.normal(batch, *shape, dtype=dtype) for part, shape in shapes.items()}
    sizes = {"W_q": (d_hidden, d_q), "W_k": (d_hidden, d_k), "v": (1, d_hidden)}
    # small, so that no weight is nearly 1: its gradient would be little but rounding errors
    state = {f"{part}.weight": rng.normal(*size, dtype=dtype) / 2 for part, size in sizes.items()}
    construct = {"d_q": d_q, "d_k": d_k, "d_hidden": d_hidden}
    return Case(name, {**inputs, "mask": mask}, construct=construct, state=state, **more)


def far_apart(rng, name, masked, dtype=torch.float32):
    """Scores thousands apart, those of masked keys the highest or the lowest of all."""
    made = case(rng, name, 2, 3, 6, (4, 4, 5, 4), dtype)
    made.inputs["mask"][:] = torch.arange(6) < 4
    # every tanh is of a number beyond 20, so it is 1 or -1 exactly
    made.state["W_q.weight"][:] = torch.eye(4) * 40
    made.state["W_k.weight"][:] = torch.eye(4) * 20
    made.state["v.weight"][:] = torch.tensor([2000, 4000, 8000, 16000])
    made.inputs["query"][:] = rng.integers(0, 2, 2, 3, 4) * 2 - 1
    made.inputs["key"][:] = rng.integers(-1, 3, 2, 6, 4) * 2 - 1
    made.inputs["key"][:, 4:] = masked * 3
    made.inputs["key"][1, :3] = -3  # every tanh is -1: scores below many a fill
    made.inputs["mask"][1, 3:] = False
    return made


def hide(made, *sequences):
    """The case with no key left to attend to in some sequences of its batch."""
    made.inputs["mask"][list(sequences)] = False
    return made


@exercise.cases
def cases(rng):
    first = "every dimension different"
    yield case(rng, first, 2, 3, 5, (4, 6, 7, 8), gradient=True)
    made = case(rng, "as many sequences as queries", 3, 3, 4, (5, 2, 6, 7))
    made.inputs["mask"][:] = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0]]).bool()
    yield made
    yield hide(case(rng, "a sequence without keys", 3, 2, 4, (3, 5, 2, 6), gradient=True), 1)
    yield far_apart(rng, "large scores, masked ones larger", 1)
    yield case(rng, "half precision", 2, 4, 5, (3, 4, 2, 6), torch.float16)


@exercise.secret_cases
def secret_cases(rng):
    batch, queries, keys = rng.integer(4, 6), rng.integer(6, 8), rng.integer(8, 12)
    made = case(rng, "no key is masked", batch, queries, keys, (5, 3, 4, 9), gradient=True)
    made.inputs["mask"][:] = True
    yield made
    yield case(rng, "one sequence, one query", 1, 1, keys, (3, 4, 5, 6), gradient=True)
    yield case(rng, "one key", batch, queries, 1, (4, 3, 2, 5))
    nothing = case(rng, "nothing may be attended to", 2, queries, keys, (2, 4, 3, 5), gradient=True)
    yield hide(nothing, 0, 1)
    yield far_apart(rng, "large scores, masked ones lower", -1)
    yield far_apart(rng, "large scores in half precision", 1, torch.float16)
    yield hide(case(rng, "every axis the same", 4, 4, 4, (4, 4, 4, 4), gradient=True), 2)


@exercise.oracle
class OnlyTheKeysThatCount(nn.Module):
    """No mask at all: sequence by sequence, the keys that do not count are left out."""

    def __init__(self, d_q, d_k, d_hidden):
        super().__init__()
        self.W_q = nn.Linear(d_q, d_hidden, bias=False)
        self.W_k = nn.Linear(d_k, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, key, value, mask):
        rows = []
        for asked, offered, counts in zip(query, key, mask, strict=True):
            hidden = torch.tanh(self.W_q(asked)[:, None] + self.W_k(offered[counts]))
            shares = self.v(hidden)[..., 0].softmax(dim=1)
            places = torch.eye(len(counts), dtype=shares.dtype)[counts]
            rows.append(shares @ places)
        weights = torch.stack(rows)
        return torch.einsum("bqk,bkv->bqv", weights, value), weights


class Layers(nn.Module):
    """What the wrong modules have in common: their weights are right."""

    def __init__(self, d_q, d_k, d_hidden):
        super().__init__()
        self.W_q = nn.Linear(d_q, d_hidden, bias=False)
        self.W_k = nn.Linear(d_k, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def score(self, query, key):
        hidden = torch.tanh(self.W_q(query)[:, :, None] + self.W_k(key)[:, None])
        return self.v(hidden).squeeze(-1)  # (batch, queries, keys)


class WrongForward(Misconception):
    """The layers above and a wrong `forward`, in one class as a learner would write it."""

    def source_as(self, name):
        forward = Implementation("forward", self.target.forward).source_as("forward")
        return Implementation("", Layers).source_as(name) + "\n" + textwrap.indent(forward, "    ")


def wrong(hint):
    def register(forward):
        target = type(forward.__name__, (Layers,), {"forward": forward})
        exercise.misconceptions.append(WrongForward(forward.__name__, target, hint))

    return register


@exercise.misconception(
    "Read which line raised. If the message names the state_dict, compare names and shapes of your "
    "parameters with the list: `nn.Linear` has a bias unless told otherwise. If it names sizes of "
    "tensors, write down the shapes that meet in that line: axes line up from the last one."
)
class HasBiases(nn.Module):
    def __init__(self, d_q, d_k, d_hidden):
        super().__init__()
        self.W_q, self.W_k = nn.Linear(d_q, d_hidden), nn.Linear(d_k, d_hidden)
        self.v = nn.Linear(d_hidden, 1)

    def forward(self, query, key, value, mask):
        return query, key


@wrong("The mask changes nothing. Which keys does it leave to the softmax?")
def ignores_the_mask(self, query, key, value, mask):
    weights = self.score(query, key).softmax(dim=-1)
    return weights @ value, weights


@wrong("You attend to exactly what the mask forbids. In this course True means: may attend.")
def attends_to_what_is_forbidden(self, query, key, value, mask):
    scores = self.score(query, key).masked_fill(mask[:, None], float("-inf"))
    weights = scores.softmax(dim=-1).masked_fill(mask[:, None], 0)
    return weights @ value, weights


@wrong(
    "A mask of shape (batch, keys) lines up with (queries, keys): query i got the mask of sequence "
    "i. Which axis is missing, and where?"
)
def lines_the_batch_up_with_the_queries(self, query, key, value, mask):
    weights = self.score(query, key).masked_fill(~mask, -math.inf).softmax(-1) * mask
    return weights @ value, weights


@wrong("Your softmax runs over the queries. Each query shares out its own weights among the keys.")
def normalises_over_the_queries(self, query, key, value, mask):
    scores = self.score(query, key).masked_fill(~mask[:, None], -math.inf)
    weights = scores.softmax(dim=1).masked_fill(~mask[:, None], 0)
    return weights @ value, weights


@wrong(
    "A row of nothing but -inf becomes NaN in the softmax. Where no key may be attended to, output "
    "and weights are zeros."
)
def leaves_empty_rows_nan(self, query, key, value, mask):
    scores = self.score(query, key).masked_fill(~mask[:, None], float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


@wrong(
    "You remove the NaN only after the values were multiplied by it. The result looks right, but "
    "their gradient is NaN: mend the weights before they are used."
)
def removes_nan_too_late(self, query, key, value, mask):
    weights = self.score(query, key).masked_fill(~mask[:, None], -math.inf).softmax(dim=-1)
    return (weights @ value).nan_to_num(0), weights.nan_to_num(0)


@wrong(
    "Where every key is masked you return an average of what nobody may attend to. If you fill "
    "with a large negative number: all scores of such a row are then equal, and half precision "
    "cannot hold -1e9."
)
def fills_with_minus_1e9(self, query, key, value, mask):
    weights = self.score(query, key).masked_fill(~mask[:, None], -1e9).softmax(dim=-1)
    return weights @ value, weights


@wrong("All is right but half precision, which ends at 65504. Which fill fits every dtype?")
def fills_with_minus_1e9_and_clears(self, query, key, value, mask):
    scores = self.score(query, key).masked_fill(~mask[:, None], -1e9)
    weights = scores.softmax(dim=-1) * mask[:, None]
    return weights @ value, weights


@wrong(
    "Your fill is a finite number, and real scores here lie below it. Which number is below every "
    "score?"
)
def fills_with_minus_1e4_and_clears(self, query, key, value, mask):
    scores = self.score(query, key).masked_fill(~mask[:, None], -1e4)
    weights = scores.softmax(dim=-1) * mask[:, None]
    return weights @ value, weights


@wrong(
    "The mask got its new axis at the end, so it lines up with the queries. The scores are (batch, "
    "queries, keys): which axis of the mask is the last?"
)
def lines_the_mask_up_with_the_queries(self, query, key, value, mask):
    scores = self.score(query, key).masked_fill(~mask[:, :, None], -math.inf)
    weights = scores.softmax(dim=-1).nan_to_num(0)
    return weights @ value, weights


@wrong(
    "You divide the scores by the root of d_k, as a dot product asks for. Look at the formula of "
    "the additive score again: what is it divided by?"
)
def scales_by_the_root_of_d_k(self, query, key, value, mask):
    scores = self.score(query, key) / key.size(-1) ** 0.5
    scores = scores.masked_fill(~mask[:, None], -math.inf)
    weights = scores.softmax(dim=-1).masked_fill(~mask[:, None], 0)
    return weights @ value, weights


@wrong(
    "You divide the scores by the root of d_hidden. Look at the formula of the additive score "
    "again: what is it divided by?"
)
def scales_by_the_root_of_d_hidden(self, query, key, value, mask):
    scores = self.score(query, key) / self.v.in_features**0.5
    scores = scores.masked_fill(~mask[:, None], -math.inf)
    weights = scores.softmax(dim=-1).masked_fill(~mask[:, None], 0)
    return weights @ value, weights


@wrong("A score of 0 still has a share. Which score has the exponential 0?")
def fills_with_zero(self, query, key, value, mask):
    weights = self.score(query, key).masked_fill(~mask[:, None], 0).softmax(dim=-1)
    return weights @ value, weights


@wrong(
    "You mask after the softmax, when the masked keys have taken their share: the rest does not "
    "sum to 1. Hide them before the weights are shared out."
)
def masks_after_the_softmax(self, query, key, value, mask):
    weights = self.score(query, key).softmax(dim=-1) * mask[:, None]
    return weights @ value, weights


@wrong(
    "You mask after the softmax and divide by what is left of the row. When a masked score is far "
    "above the others nothing is left. Hide the keys before the softmax."
)
def renormalises_after_the_softmax(self, query, key, value, mask):
    weights = self.score(query, key).softmax(dim=-1) * mask[:, None]
    weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)
    return weights @ value, weights


@wrong("There is no tanh between the projections and v. Compare with your `additive_score`.")
def forgets_the_tanh(self, query, key, value, mask):
    scores = self.v(self.W_q(query)[:, :, None] + self.W_k(key)[:, None]).squeeze(-1)
    weights = scores.masked_fill(~mask[:, None], -math.inf).softmax(dim=-1)
    weights = weights.masked_fill(~mask[:, None], 0)
    return weights @ value, weights


@wrong("The two results are right but the wrong way round. First comes the output.")
def swaps_the_two(self, query, key, value, mask):
    scores = self.score(query, key).masked_fill(~mask[:, None], -math.inf)
    weights = scores.softmax(dim=-1).masked_fill(~mask[:, None], 0)
    return weights, weights @ value


@exercise.variant
class BuiltFromTheParts(nn.Module):
    def __init__(self, d_q, d_k, d_hidden):
        super().__init__()
        self.W_q = nn.Linear(d_q, d_hidden, bias=False)
        self.W_k = nn.Linear(d_k, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, key, value, mask):
        v = self.v.weight.squeeze(0)
        scores = additive_score(query, key, self.W_q.weight, self.W_k.weight, v)
        allowed = mask.unsqueeze(1)
        weights = torch.softmax(scores.masked_fill(~allowed, float("-inf")), dim=-1)
        weights = torch.where(allowed, weights, torch.zeros_like(weights))
        return attention_context(weights, value), weights


@exercise.variant
class FilledWithTheSmallestNumber(nn.Module):
    def __init__(self, d_q, d_k, d_hidden):
        super().__init__()
        for name, width in (("W_q", d_q), ("W_k", d_k)):
            self.add_module(name, nn.Linear(width, d_hidden, bias=False))
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, key, value, mask):
        hidden = torch.tanh(self.W_q(query).unsqueeze(2) + self.W_k(key).unsqueeze(1))
        scores = torch.einsum("bqkh,h->bqk", hidden, self.v.weight[0])
        scores = torch.where(mask[:, None, :], scores, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1) * mask[:, None, :].to(scores.dtype)
        return torch.bmm(weights, value), weights


@exercise.variant
class ParametersWithoutLinear(nn.Module):
    def __init__(self, d_q, d_k, d_hidden):
        super().__init__()
        self.W_q, self.W_k, self.v = nn.Module(), nn.Module(), nn.Module()
        self.W_q.weight = nn.Parameter(torch.randn(d_hidden, d_q))
        self.W_k.weight = nn.Parameter(torch.randn(d_hidden, d_k))
        self.v.weight = nn.Parameter(torch.randn(1, d_hidden))

    def forward(self, query, key, value, mask):
        left, right = query @ self.W_q.weight.T, key @ self.W_k.weight.T
        scores = (torch.tanh(left[:, :, None] + right[:, None]) * self.v.weight).sum(dim=-1)
        scores = scores.masked_fill(~mask[:, None], -torch.inf)
        highest = scores.amax(dim=-1, keepdim=True).nan_to_num(neginf=0.0)
        shares = torch.exp(scores - highest)
        weights = shares / shares.sum(-1, keepdim=True).clamp(min=0.5)
        return weights @ value, weights
