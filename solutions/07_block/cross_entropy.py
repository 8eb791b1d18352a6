"""Cases, oracle and variants of `cross_entropy`."""

from dataclasses import replace

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, Exercise, Finite, Group

exercise = Exercise(
    "cross_entropy",
    points=4,
    difficulty=3,
    minutes=25,
    returns=("the loss",),
    read="07_block.html#cross-entropy",
    forbids=("cross_entropy", "nll_loss", "linear_cross_entropy"),
    properties=(Finite(),),
    groups=(
        Group("half precision", 1, cases=(
            "half precision", "large losses in half precision", "bfloat16",
            "nothing counts, in half precision",
        )),
    ),
)  # fmt: skip


# So many terms allow what rounding leaves of logits of thousands in float32: subtracted from their
# logsumexp, as in the formula, they lose the digits that both have in common.
FORMULA = 10**4


def case(rng, name, shape, ignore_id, chance=0.3, spread=2.0, dtype=torch.float32, gradient=True):
    """shape: batch, length, vocabulary. Some targets are ignored; the first and the last are not.

    The first sequence loses another one, so that the sequences have different numbers that count.
    """
    batch, length, vocabulary = shape
    logits = (rng.normal(*shape) * spread).to(dtype)
    targets = rng.integers(0, vocabulary, batch, length)
    if 0 <= ignore_id < vocabulary:  # none of those that count is it by chance
        targets = torch.where(targets == ignore_id, (targets + 1) % vocabulary, targets)
    left_out = rng.bools(batch, length, chance=chance)
    left_out[0, 1] = left_out[0, -1] = chance > 0
    left_out[:, 0] = left_out[-1, -1] = False
    targets[left_out] = ignore_id
    return made(name, logits, targets, ignore_id, gradient)


def made(name, logits, targets, ignore_id, gradient=True):
    inputs = {"logits": logits, "targets": targets, "ignore_id": ignore_id}
    return Case(name, inputs, gradient=gradient)


def nothing_counts(rng, name, shape, ignore_id, dtype=torch.float32):
    one = case(rng, name, shape, ignore_id, dtype=dtype)
    one.inputs["targets"][:] = ignore_id
    return one


@exercise.cases
def cases(rng):
    logits = torch.tensor([[[0.0, 0], [1.0986, 0], [5, 5]]])
    yield made("the example of the text", logits, torch.tensor([[0, 0, 9]]), 9)
    yield case(rng, "all count", (2, 4, 5), -100, chance=0)
    yield case(rng, "padding beyond the vocabulary", (3, 5, 7), 11)
    yield case(rng, "padding in the vocabulary", (2, 6, 5), 0, 0.4)
    yield case(rng, "padding with a negative id", (3, 4, 6), -1)
    yield case(rng, "as many of everything", (4, 4, 4), -100)
    yield nothing_counts(rng, "nothing counts", (2, 3, 5), -100)
    padded = case(rng, "a sequence of nothing but padding", (3, 4, 5), -100, 0.0)
    padded.inputs["targets"][1] = -100
    yield padded
    single = case(rng, "one token counts", (2, 3, 4), -100)
    single.inputs["targets"].flatten()[1:] = -100
    single.inputs["targets"][0, 0] = single.inputs["logits"][0, 0].argmin()  # no digits cancel
    yield single
    thousands = case(rng, "logits of thousands", (2, 4, 6), -100, spread=2000.0)
    yield replace(thousands, terms=FORMULA)
    apart = torch.tensor([[[1000.0, 1000, 0], [-1000, -1000, -1000]]])
    far = made("logits far from zero", apart, torch.tensor([[1, 2]]), -100)
    yield replace(far, terms=FORMULA)
    half = torch.float16
    yield case(rng, "half precision", (2, 3, 5), -100, dtype=half)
    large = torch.tensor([[[30000.0, -30000], [-20000, 20000]], [[20000, 0], [0, 0]]]).to(half)
    yield made("large losses in half precision", large, torch.tensor([[1, 0], [1, 9]]), 9)


@exercise.secret_cases
def secret_cases(rng):
    length, vocabulary = rng.integer(5, 9), rng.integer(10, 14)
    yield case(rng, "other sizes", (3, length, 300), -rng.integer(2, 90))  # ids beyond one byte
    last = case(rng, "padding with the last id", (2, length, vocabulary), vocabulary - 1, 0.4)
    yield last
    yield case(rng, "float64", (2, length, 5), -100, dtype=torch.float64)
    yield case(rng, "bfloat16", (2, 50 * length, 5), 77, dtype=torch.bfloat16)
    yield case(rng, "a vocabulary of one", (2, length, 1), -100)
    yield case(rng, "one sequence", (1, length + 3, vocabulary), -100)
    yield case(rng, "a long sequence", (2, 120, 3), -100)
    name = "nothing counts, and the id is a token"
    yield nothing_counts(rng, name, (2, length, 4), 2)
    half = nothing_counts(rng, "nothing counts, in half precision", (2, 3, 5), -100, torch.float16)
    half.inputs["logits"] += 30000  # their sum does not fit
    yield half
    yield case(rng, "far apart", (2, length, 4), -100, spread=1e5, gradient=False)


exercise.promise(
    "finite numbers of float16", "half precision", "bfloat16", "float64", "a vocabulary of one"
)
exercise.promise("Their exponentials need not fit", "far apart", "large losses in half precision")
exercise.promise("They are not changed.", EVERY)
exercise.promise(
    "int64 ids from 0 to vocabulary", "all count", "as many of everything", "one sequence"
)
exercise.promise(
    "a target with this", "padding with a negative id", "padding with the last id", "other sizes"
)
exercise.promise(
    "the mean over all positions", "the example of the text", "padding in the vocabulary"
)
exercise.promise(
    "It and its gradient", "nothing counts", "logits of thousands", "logits far from zero"
)
exercise.promise(
    "The gradient is 0 at positions", "padding beyond the vocabulary", "nothing counts"
)


@exercise.oracle
def torchs_own(logits, targets, ignore_id):
    flat, ids = logits.flatten(0, 1), targets.flatten()
    total = F.cross_entropy(flat, ids, ignore_index=ignore_id, reduction="sum")
    return total / max(int((ids != ignore_id).sum()), 1)


@exercise.variant
def with_a_mask(logits, targets, ignore_id):
    counted = targets.ne(ignore_id)
    safe = torch.where(counted, targets, torch.zeros_like(targets))
    shares = torch.log_softmax(logits.to(torch.promote_types(logits.dtype, torch.float32)), -1)
    losses = -torch.gather(shares, 2, safe.unsqueeze(2)).squeeze(2) * counted
    return (losses.sum() / counted.sum().clamp(min=1)).to(logits.dtype)


@exercise.variant
def with_one_hot_targets(logits, targets, ignore_id):
    wide = logits if logits.dtype == torch.float64 else logits.float()
    ids = torch.arange(logits.size(-1), device=logits.device)
    hot = (targets[..., None] == ids) & (targets != ignore_id)[..., None]  # [batch, length, vocab]
    centred = wide - wide.amax(dim=-1, keepdim=True)
    nats = centred.exp().sum(dim=-1, keepdim=True).log() - centred
    count = torch.sum(targets != ignore_id)
    total = torch.where(hot, nats, torch.zeros_like(nats)).sum()
    return total.div(count + (count == 0)).to(logits.dtype)


@exercise.variant
def token_by_token(logits, targets, ignore_id):
    total, count = 0.0 * logits.double().sum(), 0
    for row, target in zip(logits.flatten(0, 1), targets.flatten().tolist(), strict=True):
        if target != ignore_id:
            z = row.double()
            total, count = total + torch.logsumexp(z, 0) - z[target], count + 1
    return (total / count if count else total).to(logits.dtype)


@exercise.variant
def with_index_put(logits, targets, ignore_id):
    rows, columns = torch.nonzero(targets != ignore_id, as_tuple=True)
    kind = torch.float64 if logits.dtype == torch.float64 else torch.float32
    kept = logits[rows, columns].to(kind)  # [tokens, vocabulary]
    at = torch.arange(kept.shape[0], device=kept.device), targets[rows, columns]
    top = kept.max(dim=1, keepdim=True)[0].detach()
    sums = torch.log(torch.exp(kept - top).sum(1))
    losses = sums - (kept - top)[at]
    return losses.sum().mul(1 / (len(rows) or 1)).to(logits.dtype)


@exercise.variant
def as_the_formula_stands(logits, targets, ignore_id):
    keep = targets != ignore_id
    z = logits[keep].to(torch.promote_types(logits.dtype, torch.float32))
    each = torch.logsumexp(z, -1) - z.gather(-1, targets[keep][:, None])[:, 0]
    return (each.sum() / max(1, each.numel())).to(logits.dtype)
