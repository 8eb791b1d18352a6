"""Known mistakes of `is_relative`."""

import torch
from jaxtyping import Float
from torch import Tensor

from .is_relative import exercise


def tried(score, length: int) -> list[Float[Tensor, "length length"]]:
    """The scores of one query and one key at all positions, for five of each."""
    vectors = torch.randn(5, 2, 1, 8).expand(5, 2, length, 8)
    return [score(query, key) for query, key in vectors]


def alike(one: Float[Tensor, "..."], other: Float[Tensor, "..."], slack: float = 1e-4) -> bool:
    """Up to rounding; two minus infinities are alike."""
    return torch.allclose(one, other, rtol=0, atol=slack)


@exercise.base
def right(score, length):
    return all(alike(s[1:, 1:], s[:-1, :-1]) for s in tried(score, length))


# fmt: off
right.mistake("says_the_opposite", {"all": "not all"},
    "Your function says False where all is well, and True where it is not. Read its name as a "
    "question: is it relative?")
right.mistake("gives_each_position_a_vector",
    {"return": "s = score(torch.randn(length, 8), torch.randn(length, 8))\n    return",
     "all(alike": "alike",
     "1]) for s in tried(score, length))": "1])"},
    "You turn away nearly everything. If each position has a vector of its own, scores differ "
    "along a diagonal because the vectors do. What has to be the same at all positions?")
right.mistake("asks_for_symmetry", {"alike": "alike(s, s.T) and alike"},
    "You turn away everything with a direction. Relative scores may differ between a key that "
    "comes before and one that comes after: do not ask for a symmetric matrix.")
right.mistake("asks_for_one_number", {"s[1:, 1:], s[:-1, :-1]": "s, s[:1, :1].expand_as(s)"},
    "You ask whether all scores are the same. Relative ones may depend on the distance, only not "
    "on where the two stand.")
right.mistake("compares_along_rows", {"1:, 1:], s[:-1": ":, 1:], s[:"},
    "You compare neighbours in a row or a column. Which entry has the same distance as [i, j]: [i, "
    "j + 1], [i + 1, j] or [i + 1, j + 1]?")
right.mistake("looks_at_the_main_diagonal",
    {"s[1:, 1:], s[:-1, :-1]": "s.diagonal()[1:], s.diagonal()[:-1]"},
    "You look at the main diagonal only, where query and key stand together. The other distances "
    "have diagonals, too.")
right.mistake("looks_at_earlier_keys_only", {", s[:-1, :-1]": ".tril(), s[:-1, :-1].tril()"},
    "You do not look at keys after the query. Where nothing hides them, their scores count, too.")
right.mistake("compares_the_first_two_rows", {"1:, 1:], s[:-1": "1, 1:], s[0"},
    "You miss what is special behind the first positions. If you compare the first two rows only: "
    "a score may be relative up to some position.")
right.mistake("tries_ten_positions", {"length))": "10))"},
    "You try fewer positions than there are. Some scores are relative up to a late position: what "
    "is `length` for?")
right.mistake("tries_half_of_the_positions", {"length))": "length // 2))"},
    "You miss what only later positions show. If you try a part of them, such as the first half or "
    "a fixed number: what is `length` for?")
right.mistake("tries_one_position_less", {"length))": "length - 1))"},
    "You leave out the last position, as query or as key. Does your text have `length` positions, "
    "and do you look at all scores?")
right.mistake("tries_64_positions", {"length))": "64))"},
    "You ask for more positions than there are, and the call raises. How many are there?")
right.mistake("moves_by_half_the_length",
    {"return": "n = length // 2\n    return", "1:, 1": "n:, n", "1, :-1": "n, :-n"},
    "You move pairs by half the length only. Scores that repeat themselves after as many positions "
    "look relative then. What does a move by one show?")
right.mistake("moves_by_two", {"s[1:, 1:], s[:-1, :-1]": "s[2:, 2:], s[:-2, :-2]"},
    "You move pairs by two positions, so that even positions are compared with even ones only. "
    "Move them by one.")
right.mistake("rolls_round_a_circle", {"s[1:, 1:], s[:-1, :-1]": "s.roll((1, 1), (0, 1)), s"},
    "You turn away rotary positions and ALiBi. If you `roll` rows or columns: what comes in again "
    "at the other end stands at another distance than before.")
right.mistake("takes_one_vector_for_both",
    {"tried(score, length)":
        "[score(vector, vector) for vector in torch.randn(5, 1, 8).expand(5, length, 8)]"},
    "Query and key are the same vector in your test. Some scores know the position only where the "
    "two differ.")
right.mistake("takes_ones",
    {"return": "s = score(torch.ones(length, 8), torch.ones(length, 8) / 2)\n    return",
     "all(alike": "alike",
     "1]) for s in tried(score, length))": "1])"},
    "Your vectors are all ones, and the numbers in them cancel in some scores. Draw them "
    "at random.")
right.mistake("takes_zeros",
    {"return": "s = score(torch.zeros(length, 8), torch.zeros(length, 8))\n    return",
     "all(alike": "alike",
     "1]) for s in tried(score, length))": "1])"},
    "Your vectors are zeros. Then nothing is left of a position that is multiplied with a vector: "
    "draw them at random.")
right.mistake("is_blind_to_nan",
    {"all(alike(s[1:, 1:], s[:-1, :-1]) for s in tried(score, length))":
        "not any(bool(d > 1e-4) for d in [(s[1:, 1:] - s[:-1, :-1]).abs().max() for s in "
        "tried(score, length)])"},
    "You miss whatever hides keys. Minus infinity less minus infinity is NaN, a maximum with NaN "
    "is NaN, and no comparison with NaN is true.")
right.mistake("turns_away_hidden_keys",
    {"alike(s[1:, 1:], s[:-1, :-1]) for s in tried(score, length)":
        "bool(d < 1e-4) for d in [(s[1:, 1:] - s[:-1, :-1]).abs().max() for s in "
        "tried(score, length)]"},
    "You turn away whatever hides keys. Minus infinity less minus infinity is NaN, which is below "
    "no bound; but two hidden scores are alike.")
right.mistake("leaves_out_hidden_keys",
    {"alike(s[1:, 1:], s[:-1, :-1]) for s in tried(score, length)":
        "bool((d[d.isfinite()] < 1e-4).all()) for d in [(s[1:, 1:] - s[:-1, :-1]).abs() for "
        "s in tried(score, length)]"},
    "You leave out each pair of which one score is minus infinity. Where only one of two "
    "neighbours is hidden, position matters: which keys are in reach is part of a score.")
right.mistake("allows_no_rounding", {"alike": "torch.equal"},
    "You turn away what is relative up to rounding. The docstring says how large that is. "
    "`torch.equal` allows none, and `torch.allclose` hardly any near 0 unless you pass `atol`.")
right.mistake("allows_too_much", {"1]) for": "1], 0.02) for"},
    "You miss faint traces of the position. The docstring says how large rounding is at most, and "
    "how large a difference at least.")
right.mistake("takes_the_mean_difference",
    {"alike(s[1:, 1:], s[:-1, :-1]) for s in tried(score, length)":
        "bool(d.mean() < 1e-4) for d in [(s[1:, 1:] - s[:-1, :-1]).nan_to_num(nan=0).abs() "
        "for s in tried(score, length)]"},
    "You miss a difference at a single pair. If you take a mean over all entries: which of them "
    "decides? If you compare with a bound: the docstring says how large a difference is at least.")
right.mistake("compares_magnitudes", {"s[1:, 1:], s": "s.abs()[1:, 1:], s.abs()"},
    "You miss scores whose sign depends on where the two stand. If you compare magnitudes: a score "
    "and its negative are not the same.")
right.mistake("leaves_out_the_diagonal",
    {"tried(score, length)": "[s - s.diag().diag() for s in tried(score, length)]"},
    "You miss scores that depend on the position where a query meets its own key. The diagonal in "
    "the middle belongs to the scores, too.")
