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
    "Your function returns False for relative scores, and True for others. Read its name as a "
    "question: is it relative?")
right.mistake("gives_each_position_a_vector",
    {"return": "s = score(torch.randn(length, 8), torch.randn(length, 8))\n    return",
     "all(alike": "alike",
     "1]) for s in tried(score, length))": "1])"},
    "You reject nearly everything. If each position has its own vector, scores differ along a "
    "diagonal because the vectors do. What has to be the same at all positions?")
right.mistake("asks_for_symmetry", {"alike": "alike(s, s.T) and alike"},
    "You reject all scores that depend on the direction. Relative scores may differ between a key "
    "before the query and one after it. Do not require a symmetric matrix.")
right.mistake("asks_for_one_number", {"s[1:, 1:], s[:-1, :-1]": "s, s[:1, :1].expand_as(s)"},
    "You ask whether all scores are the same. Relative scores may depend on the distance, but not "
    "on where query and key are.")
right.mistake("compares_along_rows", {"1:, 1:], s[:-1": ":, 1:], s[:"},
    "You compare neighbours in a row or a column. Which entry has the same distance as [i, j]: "
    "[i, j + 1], [i + 1, j] or [i + 1, j + 1]?")
right.mistake("looks_at_the_main_diagonal",
    {"s[1:, 1:], s[:-1, :-1]": "s.diagonal()[1:], s.diagonal()[:-1]"},
    "You look only at the main diagonal, where query and key are at the same position. The other "
    "distances have diagonals, too.")
right.mistake("looks_at_earlier_keys_only", {", s[:-1, :-1]": ".tril(), s[:-1, :-1].tril()"},
    "You do not look at keys after the query. If they are not hidden, their scores count, too.")
right.mistake("compares_the_first_two_rows", {"1:, 1:], s[:-1": "1, 1:], s[0"},
    "You miss scores that change after the first positions. If you compare only the first two "
    "rows, note that a score may be relative up to some position.")
right.mistake("tries_ten_positions", {"length))": "10))"},
    "You try fewer positions than there are. Some scores are relative up to a late position. What "
    "is `length` for?")
right.mistake("tries_half_of_the_positions", {"length))": "length // 2))"},
    "You miss scores that change only at later positions. If you try part of the positions, such "
    "as the first half or a fixed number, what is `length` for?")
right.mistake("tries_one_position_less", {"length))": "length - 1))"},
    "You leave out the last position, for the query or for the key. Does your text have `length` "
    "positions, and do you look at all scores?")
right.mistake("tries_64_positions", {"length))": "64))"},
    "You use more positions than there are, and the call raises an exception. How many are there?")
right.mistake("moves_by_half_the_length",
    {"return": "n = length // 2\n    return", "1:, 1": "n:, n", "1, :-1": "n, :-n"},
    "You shift pairs only by half the length. Scores with that period then look relative. What "
    "does a shift by one show?")
right.mistake("moves_by_two", {"s[1:, 1:], s[:-1, :-1]": "s[2:, 2:], s[:-2, :-2]"},
    "You shift pairs by two positions, so even positions are compared with even ones only. Shift "
    "them by one.")
right.mistake("rolls_round_a_circle", {"s[1:, 1:], s[:-1, :-1]": "s.roll((1, 1), (0, 1)), s"},
    "You reject rotary positions and ALiBi. If you `roll` rows or columns, the entries that come "
    "back at the other end have another distance than before.")
right.mistake("takes_one_vector_for_both",
    {"tried(score, length)":
        "[score(vector, vector) for vector in torch.randn(5, 1, 8).expand(5, length, 8)]"},
    "Query and key are the same vector in your test. Some scores depend on the position only "
    "where the two differ.")
right.mistake("takes_ones",
    {"return": "s = score(torch.ones(length, 8), torch.ones(length, 8) / 2)\n    return",
     "all(alike": "alike",
     "1]) for s in tried(score, length))": "1])"},
    "Your vectors are all ones, which cancel in some scores. Draw them at random.")
right.mistake("takes_zeros",
    {"return": "s = score(torch.zeros(length, 8), torch.zeros(length, 8))\n    return",
     "all(alike": "alike",
     "1]) for s in tried(score, length))": "1])"},
    "Your vectors are zeros, so a position that is multiplied by a vector has no effect. Draw "
    "them at random.")
right.mistake("is_blind_to_nan",
    {"all(alike(s[1:, 1:], s[:-1, :-1]) for s in tried(score, length))":
        "not any(bool(d > 1e-4) for d in [(s[1:, 1:] - s[:-1, :-1]).abs().max() for s in "
        "tried(score, length)])"},
    "You miss scores in which keys are hidden. Minus infinity minus minus infinity is NaN, a "
    "maximum with NaN is NaN, and no comparison with NaN is true.")
right.mistake("turns_away_hidden_keys",
    {"alike(s[1:, 1:], s[:-1, :-1]) for s in tried(score, length)":
        "bool(d < 1e-4) for d in [(s[1:, 1:] - s[:-1, :-1]).abs().max() for s in "
        "tried(score, length)]"},
    "You reject all scores that hide keys. Minus infinity minus minus infinity is NaN, which is "
    "below no bound, but two hidden scores are equal.")
right.mistake("leaves_out_hidden_keys",
    {"alike(s[1:, 1:], s[:-1, :-1]) for s in tried(score, length)":
        "bool((d[d.isfinite()] < 1e-4).all()) for d in [(s[1:, 1:] - s[:-1, :-1]).abs() for "
        "s in tried(score, length)]"},
    "You leave out each pair in which one score is minus infinity. Where only one of two "
    "neighbours is hidden, position matters: which keys are hidden is part of the scores.")
right.mistake("allows_no_rounding", {"alike": "torch.equal"},
    "You reject scores that are relative up to rounding. The docstring says how large rounding "
    "is. `torch.equal` allows none, and `torch.allclose` hardly any near 0 unless you pass `atol`.")
right.mistake("allows_too_much", {"1]) for": "1], 0.02) for"},
    "You miss faint traces of the position. The docstring says how large rounding is at most, and "
    "how large a real difference is at least.")
right.mistake("takes_the_mean_difference",
    {"alike(s[1:, 1:], s[:-1, :-1]) for s in tried(score, length)":
        "bool(d.mean() < 1e-4) for d in [(s[1:, 1:] - s[:-1, :-1]).nan_to_num(nan=0).abs() "
        "for s in tried(score, length)]"},
    "You miss a difference at a single pair. If you take a mean over all entries, which of them "
    "should decide? If you compare with a bound, the docstring says how large a difference is at "
    "least.")
right.mistake("compares_magnitudes", {"s[1:, 1:], s": "s.abs()[1:, 1:], s.abs()"},
    "You miss scores whose sign depends on where query and key are. If you compare magnitudes, a "
    "score and its negative look equal.")
right.mistake("leaves_out_the_diagonal",
    {"tried(score, length)": "[s - s.diag().diag() for s in tried(score, length)]"},
    "You miss scores that depend on the position where a query meets its own key. The main "
    "diagonal belongs to the scores, too.")
