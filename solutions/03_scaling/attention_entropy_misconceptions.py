"""Known mistakes of `attention_entropy`."""

import torch

from .attention_entropy import exercise


@exercise.misconception(
    "0 times the logarithm of 0 is NaN in floating point. What should a weight of 0 add, and which "
    "number could take its place inside the logarithm?"
)
def ignores_zeros(weights):
    return -(weights * weights.log()).sum(-1)


@exercise.misconception("An entropy is not negative. Which sign has the logarithm of a weight?")
def forgets_the_sign(weights):
    safe = weights.masked_fill(weights == 0, 1)
    return (safe * safe.log()).sum(-1)


@exercise.misconception("You return bits. Which logarithm belongs to nats?")
def counts_bits(weights):
    safe = weights.masked_fill(weights == 0, 1)
    return -(safe * safe.log2()).sum(-1)


@exercise.misconception(
    "You divide by the logarithm of the number of keys: a share of the highest entropy, not nats."
)
def divides_by_the_highest(weights):
    safe = weights.masked_fill(weights == 0, 1)
    return -(safe * safe.log()).sum(-1) / torch.tensor(float(weights.size(-1))).log()


@exercise.misconception("You sum over the queries. Along which axis do the weights sum to 1?")
def sums_over_the_queries(weights):
    safe = weights.masked_fill(weights == 0, 1)
    return -(safe * safe.log()).sum(-2 if weights.dim() > 1 else -1)


@exercise.misconception("You average over the keys. An entropy is a sum over them.")
def averages_over_the_keys(weights):
    safe = weights.masked_fill(weights == 0, 1)
    return -(safe * safe.log()).mean(-1)


@exercise.misconception("You return one number for all. Each query has an entropy of its own.")
def averages_over_everything(weights):
    safe = weights.masked_fill(weights == 0, 1)
    return -(safe * safe.log()).sum(-1).mean()


@exercise.misconception(
    "The value is right, its gradient is NaN: the backward pass goes through both branches, and 0 "
    "times infinite is NaN. What `where`, `nan_to_num` or `xlogy` do comes too late for it. Make "
    "the argument of the logarithm safe."
)
def chooses_after_the_logarithm(weights):
    return -torch.where(weights > 0, weights * weights.log(), 0.0).sum(-1)


@exercise.misconception(
    "Only the logarithm is kept away from 0. Its factor still changes with the weight, so the "
    "gradient of a weight of 0 is large, and asked for is 0. (The check multiplies each entropy by "
    "a factor of its own, and with it the gradients that you see.)"
)
def clamps_the_logarithm_only(weights):
    floor = torch.finfo(weights.dtype).tiny
    return -(weights * weights.clamp(min=floor).log()).sum(-1)


@exercise.misconception(
    "Only the logarithm is kept above 1e-8. Its factor still changes with the weight, so the "
    "gradient of a weight of 0 is about 18, and asked for is 0. (The check multiplies each entropy "
    "by a factor of its own, and with it the gradients that you see.)"
)
def keeps_the_logarithm_above_a_small_number(weights):
    return -(weights * weights.clamp_min(1e-8).log()).sum(-1)


@exercise.misconception(
    "The value is right, its gradient is infinite at a weight of 0, which is true of -w ln w. "
    "Asked for is 0: what must a weight of 0 not reach?"
)
def uses_entr(weights):
    return torch.special.entr(weights).sum(-1)


@exercise.misconception(
    "You add a small number inside the logarithm. The gradient of a weight of 0 is then minus the "
    "logarithm of that number, about 20, and asked for is 0. In half precision the number is 0. "
    "(The check multiplies each entropy by a factor of its own, and with it the gradients that you "
    "see.)"
)
def adds_a_small_number(weights):
    return -(weights * (weights + 1e-9).log()).sum(-1)


@exercise.misconception(
    "You add 1e-12 inside the logarithm. The gradient of a weight of 0 is then about 27, and asked "
    "for is 0. In half precision the number is 0. (The check multiplies each entropy by a factor "
    "of its own, and with it the gradients that you see.)"
)
def adds_a_smaller_number(weights):
    return -(weights * (weights + 1e-12).log()).sum(-1)


@exercise.misconception(
    "You add 1e-8 inside the logarithm. The gradient of a weight of 0 is then about 18, and asked "
    "for is 0. In half precision the number is 0. (The check multiplies each entropy by a factor "
    "of its own, and with it the gradients that you see.)"
)
def adds_a_larger_number(weights):
    return -(weights * (weights + 1e-8).log()).sum(-1)


@exercise.misconception(
    "You keep the weights above 1e-6, which is too high: a weight of 0 then adds 0.00001, and real "
    "weights below it are changed. Which condition picks out a weight of exactly 0?"
)
def clamps_at_a_millionth(weights):
    safe = weights.to(torch.promote_types(weights.dtype, torch.float32)).clamp_min(1e-6)
    return -(safe * safe.log()).sum(-1).to(weights.dtype)


@exercise.misconception(
    "You divide the weights by their sum once more. The sum is 1 already, but its derivative is "
    "not 0, and the gradient becomes another."
)
def divides_by_the_sum_again(weights):
    shares = weights / weights.sum(-1, keepdim=True)
    safe = shares.masked_fill(shares == 0, 1.0)
    return -(safe * safe.log()).sum(-1)


@exercise.misconception(
    "`Categorical` divides the weights by their sum once more and keeps them away from 0: the "
    "entropy is right, its gradient is another. Write the sum yourself."
)
def asks_categorical(weights):
    return torch.distributions.Categorical(probs=weights, validate_args=False).entropy()


@exercise.misconception(
    "Indexing with a condition, as in `weights[weights > 0]`, returns one long row of what is left "
    "of all rows, so you have one number. Each query has an entropy of its own."
)
def drops_the_zeros_of_all_rows(weights):
    left = weights[weights > 0]
    return -(left * left.log()).sum(-1)


@exercise.misconception(
    "float32 is right, half precision is not: 1e-8 is below the smallest number of float16 and is "
    "rounded to 0, so nothing is kept away from 0. Which condition picks out a weight of 0 in "
    "every dtype?"
)
def clamps_at_a_small_number(weights):
    safe = weights.clamp_min(1e-8)
    return -(safe * safe.log()).sum(-1)


@exercise.misconception(
    "You treat small weights as if they were 0: their gradient is 0, and it is asked for down to a "
    "weight of 1e-8. Only a weight of exactly 0 has a gradient of 0. (The check multiplies each "
    "entropy by a factor of its own, and with it the gradients that you see.)"
)
def drops_small_weights(weights):
    safe = weights.masked_fill(weights < 1e-6, 1.0)
    return -(safe * safe.log()).sum(-1)


@exercise.misconception(
    "You take the entropy of a softmax of the weights. They are the result of a softmax already, "
    "and a second one makes the rows more even."
)
def applies_a_softmax_first(weights):
    shares = weights.softmax(-1)
    return -(shares * shares.log()).sum(-1)
