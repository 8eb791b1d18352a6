"""Known mistakes of `forgets`."""

import torch

from .forgets import all_at_once, exercise

GIVEN = "layer(keys[:n], values[:n], keys[:n])"
ASKED = f"answer = {GIVEN}"
OFF = "(answer - values[:n]).abs()"
TEST = "not bool((off <= tolerance).all())"
FROM = "range(1, len(keys) + 1)"

# fmt: off
all_at_once.mistake("asks_for_the_newest_only",
    {GIVEN: "layer(keys[:n], values[:n], keys[n - 1 : n])",
     "values[:n]).abs": "values[n - 1 : n]).abs"},
    "You ask for the newest pair only. A memory may return that one and have lost an earlier one.")
all_at_once.mistake("asks_for_the_oldest_only",
    {GIVEN: "layer(keys[:n], values[:n], keys[:1])", "values[:n]).abs": "values[:1]).abs"},
    "You ask for the oldest pair only. A memory may hold that one and lose a later one, or never "
    "take in the newest.")
all_at_once.mistake("asks_for_the_oldest_and_the_newest",
    {GIVEN: "layer(keys[:n], values[:n], keys[[0, n - 1]])",
     "values[:n]).abs": "values[[0, n - 1]]).abs"},
    "You ask for the oldest and the newest pair. Any pair between them may be lost, too.")
all_at_once.mistake("never_asks_for_the_newest",
    {GIVEN: "layer(keys[:n], values[:n], keys[: n - 1])",
     "values[:n]).abs": "values[: n - 1]).abs"},
    "You never ask for the newest pair. Some memories never take it in.")
all_at_once.mistake("takes_the_mean_error",
    {TEST: "bool(off.mean() > tolerance)"},
    "You compare the mean of the errors with the tolerance. One wrong entry disappears among many "
    "right ones. Each entry has to be within the tolerance.")
all_at_once.mistake("takes_the_mean_error_of_a_pair",
    {TEST: "bool((off.mean(-1) > tolerance).any())"},
    "You take the mean of the errors within a value. One entry may be wrong while the others are "
    "right. Each entry has to be within the tolerance.")
all_at_once.mistake("takes_the_root_mean_square",
    {TEST: "bool(off.square().mean().sqrt() > tolerance)"},
    "You take the root of the mean square of the errors. One wrong entry disappears among many "
    "right ones. Each entry has to be within the tolerance.")
all_at_once.mistake("adds_up_the_errors",
    {TEST: "bool(off.sum() > tolerance)"},
    "You add up the errors. Many small ones, each within the tolerance, are then too much. Compare "
    "the largest with the tolerance.")
all_at_once.mistake("takes_the_length_of_the_error",
    {TEST: "bool((off.norm(dim=-1) > tolerance).any())"},
    "You compare the length of a pair's error with the tolerance. Entries that are each within it "
    "can be longer than it together. Compare each entry.")
all_at_once.mistake("asks_whether_signed_errors_are_small", {OFF: "(answer - values[:n])"},
    "An answer that is far too small passes: its error is below 0, and so below the tolerance. "
    "Take the absolute value.")
all_at_once.mistake("forgets_the_absolute_value",
    {OFF: "(answer - values[:n])", TEST: "bool((off > tolerance).any())"},
    "You find only answers that are too large. One that is too small has a negative error: take "
    "the absolute value.")
all_at_once.mistake("finds_only_what_is_too_small",
    {OFF: "(values[:n] - answer)", TEST: "bool((off > tolerance).any())"},
    "You find only answers that are too small. One that is too large has a negative error: take "
    "the absolute value.")
all_at_once.mistake("compares_sums", {OFF: "(answer.sum(-1) - values[:n].sum(-1)).abs()"},
    "You compare the sum of an answer with that of the value. Errors up and down cancel there. "
    "Compare each entry.")
all_at_once.mistake("returns_how_many_are_held", {"return n\n": "return n - 1\n"},
    "Your number is one too small. It is how many pairs the memory can hold, or the place of the "
    "last pair counted from 0. How many pairs was the memory given when one was lost?")
all_at_once.mistake("returns_the_number_of_all_pairs", {"return None": "return len(keys)"},
    "Where no pair is lost you return the number of pairs. It means that one is lost after the "
    "last. Return None.")
all_at_once.mistake("returns_one_more_than_all_pairs", {"return None": "return len(keys) + 1"},
    "Where no pair is lost you return one more than the number of pairs. Nothing was tried there. "
    "Return None.")
all_at_once.mistake("returns_0_for_none", {"return None": "return 0"},
    "Where no pair is lost you return 0. Return None.")
all_at_once.mistake("returns_minus_1_for_none", {"return None": "return -1"},
    "Where no pair is lost you return -1. Return None.")
all_at_once.mistake("begins_with_two_pairs", {FROM: "range(2, len(keys) + 1)"},
    "You begin with two pairs. A memory may not return a single one.")
all_at_once.mistake("stops_before_all_pairs", {FROM: "range(1, len(keys))"},
    "You never give the memory all pairs. `range` leaves out its end, and the number of pairs is "
    "one of those to try.")
all_at_once.mistake("lets_nan_pass", {TEST: "bool((off > tolerance).any())"},
    "NaN passes: `error > tolerance` is False for it, and `nan_to_num` hides it. Ask whether all "
    "errors are within the tolerance.")
all_at_once.mistake("gives_all_pairs_at_once", {GIVEN: "layer(keys, values, keys[:n])"},
    "You always give the memory all pairs. It is asked what is left after n pairs, so give it the "
    "first n.")
all_at_once.mistake("asks_with_one_vector",
    {GIVEN: "torch.stack([layer(keys[:n], values[:n], key) for key in keys[:n]])"},
    "You ask with a single vector. Queries have the shape (m, d_k): `keys[i : i + 1]` is a table "
    "of one query, and `keys[i]` is none.")
all_at_once.mistake("gives_one_pair_at_a_time",
    {GIVEN: "torch.cat([layer(keys[i : i + 1], values[i : i + 1], keys[i : i + 1]) "
        "for i in range(n)])"},
    "You give the memory one pair at a time. It begins anew with each call, so give it all of the "
    "first n pairs.")
all_at_once.mistake("asks_for_all_keys",
    {GIVEN: "layer(keys[:n], values[:n], keys)", "values[:n]).abs": "values).abs"},
    "You ask for pairs that the memory was not given yet, and call them lost. Ask for the first n.")
all_at_once.mistake("asks_whether_any_is_held",
    {TEST: "not bool((off <= tolerance).all(-1).any())"},
    "You wait until no pair comes back. The first number at which a single one is lost is wanted.")
all_at_once.mistake("waits_until_every_entry_is_lost",
    {TEST: "not bool((off <= tolerance).any(-1).all())"},
    "You call a pair lost if all entries of its value are wrong. One wrong entry is enough.")
all_at_once.mistake("takes_a_relative_error",
    {OFF: "(answer - values[:n]).abs() / values[:n].abs()"},
    "You allow more for large values than for small ones: you divide by the value, or use `rtol`. "
    "The tolerance is how far an entry may be off, whatever its size.")
all_at_once.mistake("adds_a_relative_tolerance",
    {TEST: "not torch.allclose(answer, values[:n], atol=tolerance)"},
    "Besides `atol`, `torch.allclose` allows a share of the value, `rtol`, which is not 0 unless "
    "you say so. The tolerance is how far an entry may be off, whatever its size.")
all_at_once.mistake("asks_for_equality", {"off <= tolerance": "off == 0"},
    "You ask for the exact value. An answer may be off by up to the tolerance.")
all_at_once.mistake("ignores_the_tolerance", {"off <= tolerance": "off <= 1e-3"},
    "You use a tolerance of your own. How far an answer may be off is an argument.")
all_at_once.mistake("finds_the_first_that_holds", {TEST: "bool((off <= tolerance).all())"},
    "You return the first number at which all pairs come back. The first is wanted at which one "
    "does not.")
all_at_once.mistake("returns_a_tensor", {"return n\n": "return torch.tensor(n)\n"},
    "You return a tensor. The number of pairs is a Python int: take `int(…)` or `.item()`.")
all_at_once.mistake("looks_at_the_first_entry", {OFF: "(answer - values[:n]).abs()[:, :1]"},
    "You compare the first entry of each value only. Any entry may be wrong.")


# fmt: on
def halved(layer, keys, values, tolerance, held, lost):
    """The end of a search between a number of pairs that is held and one that is lost."""
    while lost - held > 1:
        n = (held + lost) // 2
        off = (layer(keys[:n], values[:n], keys[:n]) - values[:n]).abs()
        held, lost = (n, lost) if bool((off <= tolerance).all()) else (held, n)
    return lost


@exercise.misconception(
    "You halve the range. That needs a memory that never recovers: if it returns all of the first "
    "n pairs, it does so for every smaller n. Here it may lose one of 3 pairs and return all of 4. "
    "Try each number."
)
def halves_the_range(layer, keys, values, tolerance):
    lost = halved(layer, keys, values, tolerance, 0, len(keys) + 1)
    return lost if lost <= len(keys) else None


@exercise.misconception(
    "You try all pairs first, and halve the range if one is lost. A memory may lose a pair and "
    "return it again when it is given more, so nothing follows for smaller numbers. Try each."
)
def halves_the_range_if_all_are_too_many(layer, keys, values, tolerance):
    off = (layer(keys, values, keys) - values).abs()
    if bool((off <= tolerance).all()):
        return None
    return halved(layer, keys, values, tolerance, 0, len(keys))


@exercise.misconception(
    "You count down from the end and stop at the first number that is held. A smaller number may "
    "lose a pair again. Count up from 1."
)
def counts_down(layer, keys, values, tolerance):
    n = len(keys)
    while n > 0 and not bool(
        ((layer(keys[:n], values[:n], keys[:n]) - values[:n]).abs() <= tolerance).all()
    ):
        n -= 1
    return n + 1 if n < len(keys) else None


@exercise.misconception(
    "Where a key comes again, you compare with its newest value. The older pair had another one, "
    "and the memory no longer returns it: that pair is lost."
)
def compares_with_the_newest_value(layer, keys, values, tolerance):
    for n in range(1, len(keys) + 1):
        alike = (keys[:n, None] == keys[None, :n]).all(dim=-1)
        newest = (alike * torch.arange(n, device=keys.device)).amax(dim=-1)
        off = (layer(keys[:n], values[:n], keys[:n]) - values[newest]).abs()
        if not bool((off <= tolerance).all()):
            return n
    return None


@exercise.misconception(
    "You return the last number at which a pair is lost. The smallest is wanted: return as soon as "
    "you find one."
)
def returns_the_last_number(layer, keys, values, tolerance):
    found = None
    for n in range(1, len(keys) + 1):
        off = (layer(keys[:n], values[:n], keys[:n]) - values[:n]).abs()
        if not bool((off <= tolerance).all()):
            found = n
    return found


@exercise.misconception(
    "You give the memory all pairs and return the place of one that is lost. The answer is how "
    "many pairs the memory was given, not which of them it lost. Give it 1 pair, then 2, and so on."
)
def returns_which_pair_is_lost(layer, keys, values, tolerance):
    off = (layer(keys, values, keys) - values).abs()
    for i in range(len(keys)):
        if bool((off[i] > tolerance).any()):
            return i
    return None


@exercise.misconception(
    "You return the place of a lost pair, counted from 0 or from 1. The answer is how many pairs "
    "the memory was given when it first lost one."
)
def returns_which_pair_is_lost_first(layer, keys, values, tolerance):
    for n in range(1, len(keys) + 1):
        off = (layer(keys[:n], values[:n], keys[:n]) - values[:n]).abs()
        for i in range(n):
            if bool((off[i] > tolerance).any()):
                return i + 1
    return None


@exercise.misconception(
    "You give the memory all pairs and count those that come back. A memory may lose one early and "
    "hold others. Give it 1 pair, then 2, and so on, and stop when one is lost."
)
def counts_what_is_left_in_the_end(layer, keys, values, tolerance):
    off = (layer(keys, values, keys) - values).abs()
    lost = int((off > tolerance).any(-1).sum())
    return len(keys) - lost + 1 if lost else None


@exercise.misconception(
    "You only try all pairs together. A pair may be lost after fewer. Try each number from 1 on."
)
def tries_all_pairs_only(layer, keys, values, tolerance):
    off = (layer(keys, values, keys) - values).abs()
    return None if bool((off <= tolerance).all()) else len(keys)
