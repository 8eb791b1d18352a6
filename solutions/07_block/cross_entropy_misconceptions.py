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


@exercise.base
def right(logits, targets, ignore_id):
    lost, keep = losses(logits, targets, ignore_id)
    return mean(lost.sum(), keep.sum(), logits.dtype)


@exercise.base
def by_rows(logits, targets, ignore_id):
    keep = targets != ignore_id
    rows = in_float32(logits)[keep].log_softmax(dim=-1)
    picked = rows.gather(-1, targets[keep][:, None])[:, 0]
    return mean(-picked.sum(), keep.sum(), logits.dtype)


# fmt: off
right.mistake("padding_in_the_mean", {"mean(lost.sum(), keep.sum(),": "lost.mean().to("},
    "You divide by all positions, padding included, so the loss falls when sequences have more "
    "padding. What should a mean over the positions that count divide by?")
right.mistake("mean_of_the_means",
    {"lost.sum(), keep": "(lost.sum(dim=1) / keep.sum(dim=1).clamp(min=1)).sum(), keep.any(dim=1)"},
    "You take the mean of each sequence, and then the mean of those, so a token of a short "
    "sequence counts more than one of a long sequence. Each token that counts has the same weight.")
right.mistake("mean_of_the_means_of_all",
    {"mean(lost.sum(), keep.sum(), logits.dtype)":
        "(lost.sum(dim=1) / keep.sum(dim=1).clamp(min=1)).mean().to(logits.dtype)"},
    "You take the mean of each sequence, 0 for one of padding alone, and then the mean of those. "
    "Each token that counts has the same weight, whatever else is in its sequence.")
right.mistake("nan_where_nothing_counts",
    {"mean(lost.sum(), keep.sum(),": "(lost.sum() / keep.sum()).to("},
    "Where nothing counts you divide 0 by 0. The docstring says what the loss is then.")
right.mistake("a_new_zero_where_nothing_counts",
    {"logits.dtype)": "logits.dtype) if keep.any() else logits.new_zeros(())"},
    "Where nothing counts you return a new 0, and `loss.backward()` raises an exception. The "
    "docstring promises a gradient of 0. Which expression gives 0 and still depends on the logits?")
by_rows.mistake("exponentials_overflow",
    {".log_softmax(dim=-1)": "", "-picked.sum()": "(rows.exp().sum(dim=-1).log() - picked).sum()"},
    "exp(1000) does not fit float32. Which number may be subtracted from all logits of a position "
    "without changing the probabilities?")
by_rows.mistake("logarithm_of_the_softmax",
    {"log_softmax": "softmax", "-picked.sum()": "-picked.log().sum()"},
    "You take the logarithm of a softmax. Where the softmax is 0, that is minus infinity, "
    "although the loss is finite. Subtract logarithms instead, as `log_softmax` does.")
by_rows.mistake("adds_before_the_logarithm",
    {"log_softmax": "softmax", "-picked.sum()": "-(picked + 1e-9).log().sum()"},
    "You add a small number before the logarithm. This limits how large a loss can be, and such "
    "positions get no gradient. Subtract logarithms instead, as `log_softmax` does.")
by_rows.mistake("one_maximum_for_all",
    {"rows = in_float32(logits)[keep].log_softmax(dim=-1)":
        "rows = in_float32(logits)\n    rows = (rows - rows.max())[keep]",
     "-picked.sum()": "(rows.exp().sum(dim=-1).log() - picked).sum()"},
    "You subtract one maximum from the whole tensor. At positions far below it, all exponentials "
    "are 0. Each position has its own maximum.")
right.mistake("sum_for_mean", {"mean(lost.sum(), keep.sum(),": "lost.sum().to("},
    "You return the sum over the tokens. With twice as many tokens it is twice as large. The "
    "exercise asks for the mean.")
right.mistake("mean_over_the_sequences",
    {"mean(lost.sum(), keep.sum(),": "(lost.sum() / len(lost)).to("},
    "You divide by the number of sequences. The exercise asks for the mean over the tokens that "
    "count.")
right.mistake("forgets_the_minus", {"lost.": "-lost."},
    "The sign is wrong: the logarithm of a probability is negative, but the loss is positive.")
right.mistake("padding_as_a_token",
    {"losses(logits, targets, ignore_id)":
        "losses(logits, targets.masked_fill(targets == ignore_id, 0), ignore_id=-1)",
     "mean(lost.sum(), keep.sum(),": "lost.mean().to("},
    "Padding counts as token 0: you replace its id and then include its loss. Which positions "
    "belong in the sum?")
right.mistake("counts_an_id_of_the_vocabulary",
    {"losses(logits, targets, ignore_id)":
        "losses(logits, targets.masked_fill((targets >= logits.size(-1)) | (targets < 0), "
        "-1), ignore_id=-1)"},
    "An `ignore_id` that is also a token's id is not left out. Which integers may `ignore_id` be?")
by_rows.mistake("always_ignores_minus_100",
    {"ignore_id\n    rows": "-100\n    picked", "1)\n    picked = rows": "1)", "[:, 0]": ""},
    "You leave out -100, whatever `ignore_id` is. Which argument says which targets do not count?")
right.mistake("shifts_the_targets",
    {"losses(logits, targets": "losses(logits[:, :-1], targets[:, 1:]"},
    "You shift: position t is compared with target t + 1. The targets have been shifted already, "
    "so compare them as they are.")


@exercise.misconception(
    "Your softmax runs over the positions. Along which axis should the probabilities sum to 1?"
)
def softmax_over_the_positions(logits, targets, ignore_id):
    keep = targets != ignore_id
    ids = targets.masked_fill(~keep, 0)[..., None]
    picked = in_float32(logits).log_softmax(dim=1).gather(-1, ids)[..., 0]
    return mean(-picked[keep].sum(), keep.sum(), logits.dtype)


right.mistake("softmax_before_log_softmax",
    {"losses(logits": "losses(in_float32(logits).softmax(dim=-1)"},
    "There are two softmaxes: `log_softmax` gets probabilities, which lie between 0 and 1, so no "
    "loss can become small. It expects the logits.")
right.mistake("perplexity",
    {"mean(lost.sum(), keep.sum(), logits.dtype)":
        "(lost.sum() / keep.sum().clamp(min=1)).exp().to(logits.dtype)"},
    "You return the exponential of the loss, which is the perplexity. The exercise asks for the "
    "loss.")
right.mistake("in_bits", {"lost.sum()": "lost.sum() / 0.6931471805599453"},
    "You take the logarithm to base 2, which gives bits. The exercise asks for nats, from the "
    "natural logarithm.")
right.mistake("logarithm_of_the_mean",
    {"mean(lost.sum(), keep.sum(),":
        "torch.where(keep.any(), -(torch.logsumexp((-lost).masked_fill(~keep, "
        "-1e30).flatten(), 0) - keep.sum().clamp(min=1).log()), 0.0).to("},
    "You average the targets' probabilities and take one logarithm of the mean. Each position has "
    "its own logarithm, and the mean comes after it.")
right.mistake("sums_in_half_precision",
    {"mean(lost.sum(), keep.sum(), logits.dtype)":
        "lost.to(logits.dtype).sum() / keep.sum().clamp(min=1)"},
    "In float16 the sum of your losses is infinite, although their mean fits. In which dtype can "
    "you add them up?")
right.mistake("returns_float32", {"logits.dtype": "torch.float32"},
    "You compute in float32, which is a good idea for half precision, but you have to return the "
    "caller's dtype.")
right.mistake("changes_the_targets", {"return": "targets[~keep] = 0\n    return"},
    "You write into the caller's targets. Replace the ids in a copy.")
