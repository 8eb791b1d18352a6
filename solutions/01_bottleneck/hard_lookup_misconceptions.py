"""Known mistakes of `hard_lookup`."""

import torch
import torch.nn.functional as F

from .hard_lookup import exercise


@exercise.misconception("You return the value of the key with the lowest score.")
def takes_the_lowest(query, key, value):
    return value[(query @ key.T).argmin(dim=-1)]


@exercise.misconception(
    "You look for the best query of each key. Row i of the result belongs to query i: which axis "
    "of the scores holds the keys?"
)
def searches_over_the_queries(query, key, value):
    return value[(query @ key.T).argmax(dim=0)]


@exercise.misconception(
    "Without an axis, `argmax` looks at all scores at once and counts through them, beyond the "
    "number of keys. Each query has its own best key."
)
def searches_everywhere(query, key, value):
    return value[(query @ key.T).argmax()]


@exercise.misconception(
    "Where keys share the best score you take the last of them. Asked for is the first."
)
def takes_the_last_of_equals(query, key, value):
    return value[(query @ key.T).argsort(dim=-1, stable=True)[:, -1]]


@exercise.misconception(
    "Where keys share the best score you return a mixture of their values. A hard lookup returns "
    "one value as it is: that of the first."
)
def averages_equals(query, key, value):
    scores = query @ key.T
    best = (scores == scores.amax(dim=-1, keepdim=True)).to(value.dtype)
    return best / best.sum(dim=-1, keepdim=True) @ value


@exercise.misconception(
    "A softmax of very large scores is nearly a hard lookup. But keys that share the best score "
    "share the weight, and asked for is the value of the first; and gradients reach the scores."
)
def sharpens_a_softmax(query, key, value):
    return torch.softmax(1000 * (query @ key.T), dim=-1) @ value


@exercise.misconception(
    "The rows are right, but they are cut off from `value`, so nothing that makes the values could "
    "learn. What do `detach`, `no_grad`, `.data` and `torch.tensor` do?"
)
def detaches_the_values(query, key, value):
    return value.detach()[(query @ key.T).argmax(dim=-1)]


@exercise.misconception(
    "Where keys share the best score you add their values up. A hard lookup returns one value as "
    "it is: that of the first."
)
def adds_equals(query, key, value):
    scores = query @ key.T
    return (scores == scores.amax(dim=-1, keepdim=True)).to(value.dtype) @ value


@exercise.misconception(
    "You return the best key itself. The key is what is compared; what is stored under it?"
)
def returns_the_key(query, key, value):
    return key[(query @ key.T).argmax(dim=-1)]


@exercise.misconception(
    "You return which key is best, as a number. One step is left: what is stored under that key?"
)
def returns_the_index(query, key, value):
    return (query @ key.T).argmax(dim=-1)


@exercise.misconception("You return the best score. Asked for is the value of the key that has it.")
def returns_the_score(query, key, value):
    return (query @ key.T).amax(dim=-1)


@exercise.misconception(
    "You take the nearest key. A dot product also grows with the length of the key, so the two do "
    "not always agree."
)
def takes_the_nearest_key(query, key, value):
    return value[(query[:, None] - key).square().sum(dim=-1).argmin(dim=-1)]


@exercise.misconception(
    "You compare directions only: the cosine. The score here is the dot product, in which a longer "
    "key counts for more."
)
def takes_the_cosine(query, key, value):
    return value[(query @ F.normalize(key, dim=-1).T).argmax(dim=-1)]


@exercise.misconception(
    "You compare the sizes of the scores and not the scores. Is -5 a better score than 3?"
)
def takes_the_largest_size(query, key, value):
    return value[(query @ key.T).abs().argmax(dim=-1)]


@exercise.misconception(
    "`squeeze()` removes every axis of length 1, also that of a single query. The result is "
    "(queries, d_v)."
)
def squeezes_the_positions(query, key, value):
    return value[(query @ key.T).argmax(dim=-1).squeeze()]


@exercise.misconception(
    "The values are right, but an axis of length 1 is left. The result is (queries, d_v)."
)
def keeps_the_axis(query, key, value):
    return value[(query @ key.T).argmax(dim=-1, keepdim=True)]


@exercise.misconception(
    "Where no score is positive you return the first value. If you keep the best score so far: "
    "what does it start with, and is each score larger than that?"
)
def starts_at_zero(query, key, value):
    scores = query @ key.T
    return value[torch.where(scores > 0, scores, 0).argmax(dim=-1)]


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


@exercise.misconception(
    "The call raised KeyError. If you keep the values in a dictionary under tensors: a tensor is "
    "found there as the same object only, not by its numbers. What else tells where a value is?"
)
def has_tensors_as_dictionary_keys(query, key, value):
    stored = dict(zip(key, value, strict=True))
    return torch.stack([stored[key[(key @ one).argmax()]] for one in query])


@exercise.misconception(
    "Where the best key is there twice you return the value of the second. If you keep the values "
    "in a dictionary: what happens to an entry when its key comes again?"
)
def overwrites_the_value_of_an_equal_key(query, key, value):
    equal = (key[:, None] == key).all(dim=-1)  # (keys, keys)
    last = key.size(0) - 1 - equal.flip(1).int().argmax(dim=1)
    return value[last[(query @ key.T).argmax(dim=-1)]]


@exercise.misconception(
    "One number a query is left. `gather` returns the shape of its index, so an index of one "
    "column takes one feature; a whole row is asked for."
)
def gathers_one_feature(query, key, value):
    return value.gather(0, (query @ key.T).argmax(dim=-1, keepdim=True))
