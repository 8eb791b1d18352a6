"""Known mistakes of `cross_entropy`."""

import torch

from .cross_entropy import exercise


def in_float32(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def losses(logits, targets, ignore_id):
    """Of each position, 0 where it does not count; and which ones do."""
    keep = targets != ignore_id
    ids = targets.masked_fill(~keep, 0)[..., None]
    of_targets = in_float32(logits).log_softmax(dim=-1).gather(-1, ids)[..., 0]
    return -of_targets.masked_fill(~keep, 0.0), keep


def mean(total, count, dtype):
    return (total / count.clamp(min=1)).to(dtype)


@exercise.misconception(
    "You divide by all positions, padding included, so that the loss falls when sequences are "
    "padded more. By which number does a mean over the positions that count divide?"
)
def padding_in_the_mean(logits, targets, ignore_id):
    lost, _ = losses(logits, targets, ignore_id)
    return lost.mean().to(logits.dtype)


@exercise.misconception(
    "You take the mean of each sequence, and of those the mean: a token of a short sequence weighs "
    "more than one of a long sequence. Each token that counts has the same weight."
)
def mean_of_the_means(logits, targets, ignore_id):
    lost, keep = losses(logits, targets, ignore_id)
    some = keep.any(dim=1)
    means = lost.sum(dim=1) / keep.sum(dim=1).clamp(min=1)
    return mean(means.sum(), some.sum(), logits.dtype)


@exercise.misconception(
    "You take the mean of each sequence, 0 for one of padding alone, and of those the mean. Each "
    "token that counts has the same weight, whatever else is in its sequence."
)
def mean_of_the_means_of_all(logits, targets, ignore_id):
    lost, keep = losses(logits, targets, ignore_id)
    return (lost.sum(dim=1) / keep.sum(dim=1).clamp(min=1)).mean().to(logits.dtype)


@exercise.misconception(
    "Where nothing counts you divide 0 by 0. The docstring says what the loss is then."
)
def nan_where_nothing_counts(logits, targets, ignore_id):
    lost, keep = losses(logits, targets, ignore_id)
    return (lost.sum() / keep.sum()).to(logits.dtype)


@exercise.misconception(
    "Where nothing counts you return a new 0, and `loss.backward()` raises. The docstring promises "
    "a gradient of 0: what does a sum of no losses depend on?"
)
def a_new_zero_where_nothing_counts(logits, targets, ignore_id):
    lost, keep = losses(logits, targets, ignore_id)
    return mean(lost.sum(), keep.sum(), logits.dtype) if keep.any() else logits.new_zeros(())


@exercise.misconception(
    "exp(1000) does not fit float32. Which number can be taken from all logits of a position "
    "without changing the probabilities?"
)
def exponentials_overflow(logits, targets, ignore_id):
    keep = targets != ignore_id
    rows = in_float32(logits)[keep]
    picked = rows.gather(-1, targets[keep][:, None])[:, 0]
    return mean((rows.exp().sum(dim=-1).log() - picked).sum(), keep.sum(), logits.dtype)


@exercise.misconception(
    "You take the logarithm of a softmax. Where its result is 0 that is minus infinity, although "
    "the loss is finite. Subtract logarithms instead: `log_softmax` does."
)
def logarithm_of_the_softmax(logits, targets, ignore_id):
    keep = targets != ignore_id
    shares = in_float32(logits)[keep].softmax(dim=-1)
    picked = shares.gather(-1, targets[keep][:, None])[:, 0]
    return mean(-picked.log().sum(), keep.sum(), logits.dtype)


@exercise.misconception(
    "You add a small number before the logarithm. No loss can be above its logarithm then, and "
    "such positions get no gradient. Subtract logarithms instead: `log_softmax` does."
)
def adds_before_the_logarithm(logits, targets, ignore_id):
    keep = targets != ignore_id
    shares = in_float32(logits)[keep].softmax(dim=-1)
    picked = shares.gather(-1, targets[keep][:, None])[:, 0]
    return mean(-(picked + 1e-9).log().sum(), keep.sum(), logits.dtype)


@exercise.misconception(
    "You take one maximum from the whole tensor. Positions far below it have only exponentials of "
    "0 left. Each position has a maximum of its own."
)
def one_maximum_for_all(logits, targets, ignore_id):
    keep = targets != ignore_id
    rows = in_float32(logits)
    rows = (rows - rows.max())[keep]
    picked = rows.gather(-1, targets[keep][:, None])[:, 0]
    return mean((rows.exp().sum(dim=-1).log() - picked).sum(), keep.sum(), logits.dtype)


@exercise.misconception(
    "You return the sum over the tokens. With twice as many tokens it is twice as large: asked for "
    "is the mean."
)
def sum_for_mean(logits, targets, ignore_id):
    lost, _ = losses(logits, targets, ignore_id)
    return lost.sum().to(logits.dtype)


@exercise.misconception(
    "You divide by the number of sequences. Asked for is the mean over the tokens that count."
)
def mean_over_the_sequences(logits, targets, ignore_id):
    lost, _ = losses(logits, targets, ignore_id)
    return (lost.sum() / len(lost)).to(logits.dtype)


@exercise.misconception(
    "The sign is turned: a logarithm of a probability is negative, and the loss is positive."
)
def forgets_the_minus(logits, targets, ignore_id):
    lost, keep = losses(logits, targets, ignore_id)
    return mean(-lost.sum(), keep.sum(), logits.dtype)


@exercise.misconception(
    "Padding counts as the token 0: you replace its id and then take its loss with the others. "
    "Which positions belong in the sum?"
)
def padding_as_a_token(logits, targets, ignore_id):
    ids = targets.masked_fill(targets == ignore_id, 0)
    lost, _ = losses(logits, ids, ignore_id=-1)
    return lost.mean().to(logits.dtype)


@exercise.misconception(
    "An `ignore_id` that is also a token's id is not left out. Which integers may `ignore_id` be?"
)
def counts_an_id_of_the_vocabulary(logits, targets, ignore_id):
    beyond = targets >= logits.size(-1)
    lost, keep = losses(logits, targets.masked_fill(beyond | (targets < 0), -1), ignore_id=-1)
    return mean(lost.sum(), keep.sum(), logits.dtype)


@exercise.misconception(
    "You leave out -100, whatever `ignore_id` is. Which argument says which targets do not count?"
)
def always_ignores_minus_100(logits, targets, ignore_id):
    keep = targets != -100
    picked = in_float32(logits)[keep].log_softmax(dim=-1).gather(-1, targets[keep][:, None])
    return mean(-picked.sum(), keep.sum(), logits.dtype)


@exercise.misconception(
    "You shift: position t is compared with target t + 1. The targets are given as they are to be "
    "compared; whoever makes them has shifted them already."
)
def shifts_the_targets(logits, targets, ignore_id):
    lost, keep = losses(logits[:, :-1], targets[:, 1:], ignore_id)
    return mean(lost.sum(), keep.sum(), logits.dtype)


@exercise.misconception(
    "Your softmax runs over the positions. Of which axis do the probabilities sum to 1?"
)
def softmax_over_the_positions(logits, targets, ignore_id):
    keep = targets != ignore_id
    ids = targets.masked_fill(~keep, 0)[..., None]
    picked = in_float32(logits).log_softmax(dim=1).gather(-1, ids)[..., 0]
    return mean(-picked[keep].sum(), keep.sum(), logits.dtype)


@exercise.misconception(
    "Two softmaxes: `log_softmax` gets probabilities, which lie between 0 and 1, so that no loss "
    "becomes small. It expects the logits."
)
def softmax_before_log_softmax(logits, targets, ignore_id):
    lost, keep = losses(in_float32(logits).softmax(dim=-1), targets, ignore_id)
    return mean(lost.sum(), keep.sum(), logits.dtype)


@exercise.misconception(
    "You return the exponential of the loss, which is the perplexity. Asked for is the loss."
)
def perplexity(logits, targets, ignore_id):
    lost, keep = losses(logits, targets, ignore_id)
    return (lost.sum() / keep.sum().clamp(min=1)).exp().to(logits.dtype)


@exercise.misconception(
    "You take the logarithm to the base 2: bits. Asked for are nats, by the natural logarithm."
)
def in_bits(logits, targets, ignore_id):
    lost, keep = losses(logits, targets, ignore_id)
    return mean(lost.sum() / 0.6931471805599453, keep.sum(), logits.dtype)


@exercise.misconception(
    "You average the target's probability and take one logarithm of the mean. Each position has a "
    "logarithm of its own; the mean comes after it."
)
def logarithm_of_the_mean(logits, targets, ignore_id):
    lost, keep = losses(logits, targets, ignore_id)
    count = keep.sum().clamp(min=1)
    share = torch.logsumexp((-lost).masked_fill(~keep, -1e30).flatten(), 0) - count.log()
    return torch.where(keep.any(), -share, 0.0).to(logits.dtype)


@exercise.misconception(
    "In float16 the sum of your losses is infinite, although their mean fits. In which dtype can "
    "they be added up?"
)
def sums_in_half_precision(logits, targets, ignore_id):
    lost, keep = losses(logits, targets, ignore_id)
    return lost.to(logits.dtype).sum() / keep.sum().clamp(min=1)


@exercise.misconception(
    "You compute in float32, which is wise for half precision: return the caller's dtype."
)
def returns_float32(logits, targets, ignore_id):
    lost, keep = losses(logits, targets, ignore_id)
    return mean(lost.sum(), keep.sum(), torch.float32)


@exercise.misconception(
    "You write into the caller's targets. Replace the ids in a tensor of your own."
)
def changes_the_targets(logits, targets, ignore_id):
    lost, keep = losses(logits, targets, ignore_id)
    targets[~keep] = 0
    return mean(lost.sum(), keep.sum(), logits.dtype)
