"""Known mistakes of `attention_entropy`."""

import torch  # noqa: F401

from .attention_entropy import exercise


@exercise.base
def right(weights):
    safe = weights.masked_fill(weights == 0, 1)
    return -(safe * safe.log()).sum(-1)


# fmt: off
right.mistake("ignores_zeros", {"safe = weights.masked_fill(weights == 0, 1)": "safe = weights"},
    "0 times the logarithm of 0 is NaN in floating point. What should a weight of 0 contribute, "
    "and which number could take its place inside the logarithm?")
right.mistake("forgets_the_sign", {"return -": "return"},
    "An entropy is not negative. Which sign does the logarithm of a weight have?")
right.mistake("counts_bits", {"log": "log2"},
    "Your result is in bits. Which logarithm gives nats?")
right.mistake("divides_by_the_highest",
    {"sum(-1)": "sum(-1) / torch.tensor(float(weights.size(-1))).log()"},
    "You divide by the logarithm of the number of keys. That gives a fraction of the highest "
    "possible entropy, not nats.")
right.mistake("sums_over_the_queries", {"sum(-1)": "sum(-2 if weights.dim() > 1 else -1)"},
    "You sum over the queries. Along which axis do the weights sum to 1?")
right.mistake("averages_over_the_keys", {"sum": "mean"},
    "You average over the keys. An entropy is a sum over them.")
right.mistake("averages_over_everything", {"sum(-1)": "sum(-1).mean()"},
    "You return one number for everything. Each query has its own entropy.")
right.mistake("chooses_after_the_logarithm",
    {"safe = weights.masked_fill(weights == 0, 1)\n    return -(safe * safe.log())":
        "return -torch.where(weights > 0, weights * weights.log(), 0.0)"},
    "The value is right, but its gradient is NaN: the backward pass goes through both branches, "
    "and 0 times infinity is NaN. A `where`, `nan_to_num` or `xlogy` after the logarithm comes "
    "too late. Make the argument of the logarithm safe.")
right.mistake("clamps_the_logarithm_only",
    {"safe = weights.masked_fill(weights == 0, 1)":
        "safe = weights.clamp(min=torch.finfo(weights.dtype).tiny)",
     "(safe * safe.log())": "(weights * safe.log())"},
    "Only the logarithm is kept away from 0. Its factor still changes with the weight, so the "
    "gradient of a weight of 0 is large, but it should be 0. (The check multiplies each entropy "
    "by its own factor, and so the gradients that you see.)")
right.mistake("keeps_the_logarithm_above_a_small_number",
    {"weights.masked_fill(weights == 0, 1)": "weights.clamp_min(1e-8)", "(safe *": "(weights *"},
    "Only the logarithm is kept above 1e-8. Its factor still changes with the weight, so the "
    "gradient of a weight of 0 is about 18, but it should be 0. (The check multiplies each "
    "entropy by its own factor, and so the gradients that you see.)")
right.mistake("uses_entr",
    {"safe = weights.masked_fill(weights == 0, 1)\n    return -(safe * safe.log())":
        "return torch.special.entr(weights)"},
    "The value is right, but its gradient is infinite at a weight of 0, as is that of -w ln w. "
    "The exercise asks for 0 there. Which step must a weight of 0 not reach?")
right.mistake("adds_a_small_number",
    {"weights.masked_fill(weights == 0, 1)": "weights + 1e-9", "(safe *": "(weights *"},
    "You add a small number inside the logarithm. The gradient of a weight of 0 is then about 20, "
    "minus the logarithm of that number, but it should be 0. In half precision the number is 0. "
    "(The check multiplies each entropy by its own factor, and so the gradients that you see.)")
right.mistake("adds_a_smaller_number",
    {"weights.masked_fill(weights == 0, 1)": "weights + 1e-12", "(safe *": "(weights *"},
    "You add 1e-12 inside the logarithm. The gradient of a weight of 0 is then about 27, but it "
    "should be 0. In half precision the number is 0. (The check multiplies each entropy by its "
    "own factor, and so the gradients that you see.)")
right.mistake("adds_a_larger_number",
    {"weights.masked_fill(weights == 0, 1)": "weights + 1e-8", "(safe *": "(weights *"},
    "You add 1e-8 inside the logarithm. The gradient of a weight of 0 is then about 18, but it "
    "should be 0. In half precision the number is 0. (The check multiplies each entropy by its "
    "own factor, and so the gradients that you see.)")
right.mistake("clamps_at_a_millionth",
    {"masked_fill(weights == 0, 1)":
        "to(torch.promote_types(weights.dtype, torch.float32)).clamp_min(1e-6)",
     "sum(-1)": "sum(-1).to(weights.dtype)"},
    "You keep the weights above 1e-6, which is too high: a weight of 0 then adds 0.00001, and "
    "real weights below it are changed. Which condition selects a weight of exactly 0?")
right.mistake("divides_by_the_sum_again",
    {"safe =": "weights = weights / weights.sum(-1, keepdim=True)\n    safe ="},
    "You divide the weights by their sum once more. The sum is 1 already, but its derivative is "
    "not 0, so the gradient changes.")
right.mistake("asks_categorical",
    {"safe = weights.masked_fill(weights == 0, 1)\n    return -(safe * safe.log()).sum(-1)":
        "return torch.distributions.Categorical(probs=weights, validate_args=False).entropy()"},
    "`Categorical` divides the weights by their sum once more and keeps them away from 0, so the "
    "entropy is right but its gradient is not. Write the sum yourself.")
right.mistake("drops_the_zeros_of_all_rows",
    {"weights.masked_fill(weights == 0, 1)": "weights[weights > 0]"},
    "Indexing with a condition, as in `weights[weights > 0]`, puts what is left of all rows into "
    "one long row, so you get one number. Each query has its own entropy.")
right.mistake("clamps_at_a_small_number", {"masked_fill(weights == 0, 1)": "clamp_min(1e-8)"},
    "float32 is right, but half precision is not: 1e-8 is below the smallest number of float16 "
    "and is rounded to 0, so it keeps nothing away from 0. Which condition selects a weight of 0 "
    "in every dtype?")
right.mistake("drops_small_weights", {"weights == 0, 1": "weights < 1e-6, 1.0"},
    "You treat small weights as if they were 0, so their gradient is 0. It should be right down "
    "to a weight of 1e-8; only a weight of exactly 0 has the gradient 0. (The check multiplies "
    "each entropy by its own factor, and so the gradients that you see.)")
right.mistake("applies_a_softmax_first",
    {"weights.masked_fill(weights == 0, 1)": "weights.softmax(-1)"},
    "You take the entropy of a softmax of the weights. They are the result of a softmax already, "
    "and a second one makes the rows more even.")
