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
    "You look for the best query of each key. Row i of the result belongs to query i. Which axis "
    "of the scores holds the keys?")
right.mistake("searches_everywhere", {"dim=-1": ""},
    "Without an axis, `argmax` searches all scores at once, and its index can be larger than the "
    "number of keys. Each query has its own best key.")
right.mistake("takes_the_last_of_equals", {"argmax(dim=-1)": "argsort(dim=-1, stable=True)[:, -1]"},
    "Where several keys share the best score, you take the last of them. The exercise asks for "
    "the first.")


@exercise.misconception(
    "Where several keys share the best score, you return a mixture of their values. A hard lookup "
    "returns one value unchanged: that of the first."
)
def averages_equals(query, key, value):
    scores = query @ key.T
    best = (scores == scores.amax(dim=-1, keepdim=True)).to(value.dtype)
    return best / best.sum(dim=-1, keepdim=True) @ value


right.mistake("sharpens_a_softmax",
    {"value[(query @ key.T).argmax(dim=-1)]":
        "torch.softmax(1000 * (query @ key.T), dim=-1) @ value"},
    "A softmax of very large scores is nearly a hard lookup. But keys with the same best score "
    "share the weight, while the exercise asks for the value of the first, and gradients reach "
    "the scores.")
right.mistake("detaches_the_values", {"return value": "return value.detach()"},
    "The rows are right, but they are cut off from `value`, so a layer that produces the values "
    "could not learn. What do `detach`, `no_grad`, `.data` and `torch.tensor` do?")
right.mistake("adds_equals",
    {"return value[(query @ key.T).argmax(dim=-1)]":
        "scores = query @ key.T\n"
        "    return (scores == scores.amax(dim=-1, keepdim=True)).to(value.dtype) @ value"},
    "Where several keys share the best score, you add up their values. A hard lookup returns one "
    "value unchanged: that of the first.")
right.mistake("returns_the_key", {"return value": "return key"},
    "You return the best key itself. The key is only used for comparing. What is stored under it?")
right.mistake("returns_the_index", {"value[(": "(", "dim=-1)]": "dim=-1)"},
    "You return the number of the best key. One step is left: what is stored under that key?")
right.mistake("returns_the_score",
    {"value[(query @ key.T).argmax(dim=-1)]": "(query @ key.T).amax(dim=-1)"},
    "You return the best score. The exercise asks for the value of the key that has it.")
right.mistake("takes_the_nearest_key",
    {"@ key.T": "[:, None] - key", "argmax": "square().sum(dim=-1).argmin"},
    "You take the nearest key. A dot product also grows with the length of the key, so the two do "
    "not always agree.")
right.mistake("takes_the_cosine", {"key.T": "F.normalize(key, dim=-1).T"},
    "You compare directions only, as the cosine does. The score here is the dot product, in which "
    "a longer key counts for more.")
right.mistake("takes_the_largest_size", {"argmax": "abs().argmax"},
    "You compare the absolute values of the scores. Is -5 a better score than 3?")
right.mistake("squeezes_the_positions", {"dim=-1)": "dim=-1).squeeze()"},
    "`squeeze()` removes every axis of length 1, including that of a single query. The result is "
    "(queries, d_v).")
right.mistake("keeps_the_axis", {"dim=-1": "dim=-1, keepdim=True"},
    "The values are right, but an axis of length 1 is left over. The result is (queries, d_v).")
right.mistake("starts_at_zero",
    {"return value[(query @ key.T":
        "scores = query @ key.T\n    return value[torch.where(scores > 0, scores, 0"},
    "Where no score is positive, you return the first value. If you keep the best score so far, "
    "what is its initial value, and is every score larger than that?")


@exercise.misconception(
    "A gradient reaches queries or keys, as with a softmax. A hard lookup passes none to them, "
    "because a small change of a score does not change the choice. Which part of your result "
    "depends on the scores themselves?"
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
    "The call raised KeyError. If you use tensors as keys of a dictionary, a tensor is found "
    "there only as the same object, not by its numbers. What else tells you where a value is?")
right.mistake("overwrites_the_value_of_an_equal_key",
    {"value[":
        "value[(key.size(0) - 1 - (key[:, None] == key).all(dim=-1).flip(1).int().argmax(dim=1))[",
     "dim=-1)]": "dim=-1)]]"},
    "Where the best key occurs twice, you return the value of the second. If you keep the values "
    "in a dictionary, what happens to an entry when its key comes again?")
right.mistake("gathers_one_feature",
    {"value[": "value.gather(0,", "dim=-1)]": "dim=-1, keepdim=True))"},
    "Only one number per query is left. The result of `gather` has the shape of its index, so an "
    "index with one column takes one feature. The exercise asks for a whole row.")
