"""Known mistakes of `hard_lookup`."""

import torch  # noqa: F401
import torch.nn.functional as F

from .hard_lookup import exercise


@exercise.base
def right(query, key, value):
    return value[(query @ key.T).argmax(dim=-1)]


# fmt: off
right.mistake("takes_the_lowest", {"argmax": "argmin"},
    "You return the value of the key with the lowest score.")
right.mistake("searches_over_the_queries", {"dim=-1": "dim=0"},
    "You look for the best query of each key. Row i of the result belongs to query i: which axis "
    "of the scores holds the keys?")
right.mistake("searches_everywhere", {"dim=-1": ""},
    "Without an axis, `argmax` looks at all scores at once and counts through them, beyond the "
    "number of keys. Each query has its own best key.")
right.mistake("takes_the_last_of_equals", {"argmax(dim=-1)": "argsort(dim=-1, stable=True)[:, -1]"},
    "Where keys share the best score you take the last of them. Asked for is the first.")


@exercise.misconception(
    "Where keys share the best score you return a mixture of their values. A hard lookup returns "
    "one value as it is: that of the first."
)
def averages_equals(query, key, value):
    scores = query @ key.T
    best = (scores == scores.amax(dim=-1, keepdim=True)).to(value.dtype)
    return best / best.sum(dim=-1, keepdim=True) @ value


right.mistake("sharpens_a_softmax",
    {"value[(query @ key.T).argmax(dim=-1)]":
        "torch.softmax(1000 * (query @ key.T), dim=-1) @ value"},
    "A softmax of very large scores is nearly a hard lookup. But keys that share the best score "
    "share the weight, and asked for is the value of the first; and gradients reach the scores.")
right.mistake("detaches_the_values", {"return value": "return value.detach()"},
    "The rows are right, but they are cut off from `value`, so nothing that makes the values could "
    "learn. What do `detach`, `no_grad`, `.data` and `torch.tensor` do?")
right.mistake("adds_equals",
    {"return value[(query @ key.T).argmax(dim=-1)]":
        "scores = query @ key.T\n"
        "    return (scores == scores.amax(dim=-1, keepdim=True)).to(value.dtype) @ value"},
    "Where keys share the best score you add their values up. A hard lookup returns one value as "
    "it is: that of the first.")
right.mistake("returns_the_key", {"return value": "return key"},
    "You return the best key itself. The key is what is compared; what is stored under it?")
right.mistake("returns_the_index", {"value[(": "(", "dim=-1)]": "dim=-1)"},
    "You return which key is best, as a number. One step is left: what is stored under that key?")
right.mistake("returns_the_score",
    {"value[(query @ key.T).argmax(dim=-1)]": "(query @ key.T).amax(dim=-1)"},
    "You return the best score. Asked for is the value of the key that has it.")
right.mistake("takes_the_nearest_key",
    {"@ key.T": "[:, None] - key", "argmax": "square().sum(dim=-1).argmin"},
    "You take the nearest key. A dot product also grows with the length of the key, so the two do "
    "not always agree.")
right.mistake("takes_the_cosine", {"key.T": "F.normalize(key, dim=-1).T"},
    "You compare directions only: the cosine. The score here is the dot product, in which a longer "
    "key counts for more.")
right.mistake("takes_the_largest_size", {"argmax": "abs().argmax"},
    "You compare the sizes of the scores and not the scores. Is -5 a better score than 3?")
right.mistake("squeezes_the_positions", {"dim=-1)": "dim=-1).squeeze()"},
    "`squeeze()` removes every axis of length 1, also that of a single query. The result is "
    "(queries, d_v).")
right.mistake("keeps_the_axis", {"dim=-1": "dim=-1, keepdim=True"},
    "The values are right, but an axis of length 1 is left. The result is (queries, d_v).")
right.mistake("starts_at_zero",
    {"return value[(query @ key.T":
        "scores = query @ key.T\n    return value[torch.where(scores > 0, scores, 0"},
    "Where no score is positive you return the first value. If you keep the best score so far: "
    "what does it start with, and is each score larger than that?")


@exercise.misconception(
    "A gradient reaches queries or keys, as in a softmax. A hard lookup passes none to them: a "
    "small change of a score leaves the choice as it is. Which part of your result depends on the "
    "scores themselves?"
)
def passes_the_gradient_of_a_softmax(query, key, value):
    scores = query @ key.T
    soft = scores.softmax(dim=-1)
    hard = F.one_hot(scores.argmax(dim=-1), key.size(0)).to(value.dtype)
    return (hard - soft.detach() + soft) @ value


right.mistake("has_tensors_as_dictionary_keys",
    {"value[(query @ key.T).argmax(dim=-1)]":
        "torch.stack([dict(zip(key, value, strict=True))[key[(key @ one).argmax()]] for one "
        "in query])"},
    "The call raised KeyError. If you keep the values in a dictionary under tensors: a tensor is "
    "found there as the same object only, not by its numbers. What else tells where a value is?")
right.mistake("overwrites_the_value_of_an_equal_key",
    {"value[":
        "value[(key.size(0) - 1 - (key[:, None] == key).all(dim=-1).flip(1).int().argmax(dim=1))[",
     "dim=-1)]": "dim=-1)]]"},
    "Where the best key is there twice you return the value of the second. If you keep the values "
    "in a dictionary: what happens to an entry when its key comes again?")
right.mistake("gathers_one_feature",
    {"value[": "value.gather(0,", "dim=-1)]": "dim=-1, keepdim=True))"},
    "One number a query is left. `gather` returns the shape of its index, so an index of one "
    "column takes one feature; a whole row is asked for.")
