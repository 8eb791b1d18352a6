"""Known mistakes of `is_permutation_equivariant`."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from .is_permutation_equivariant import exercise


def drawn(
    batch=3, length=24
) -> tuple[Float[Tensor, "batch length 6"], list[Int[Tensor, " length"]]]:
    """An input, and permutations of its positions."""
    return torch.randn(batch, length, 6), [torch.randperm(length) for _ in range(9)]


def close(
    one: Float[Tensor, "batch length width"], other: Float[Tensor, "batch length width"]
) -> bool:
    return bool((one - other).abs().max() < 1e-4)


def holds(
    layer, x: Float[Tensor, "batch length width"], orders: list[Int[Tensor, " length"]], same=close
) -> bool:
    """Whether the output is permuted as the input is, by all of the orders."""
    return all(same(layer(x[:, order]), layer(x)[:, order]) for order in orders)


@exercise.base
def right(layer):
    return holds(layer, *drawn())


@exercise.base
def in_two_lines(layer):
    x, orders = drawn()
    return all(close(layer(x[:, order]), layer(x)[:, order]) for order in orders)


# fmt: off
right.mistake("answers_the_opposite", {"holds": "not holds"},
    "Your function returns False for layers that are equivariant, and True for those that are "
    "not. Read its name as a question: is it equivariant?")
in_two_lines.mistake("asks_for_invariance", {"layer(x)[:, order]": "layer(x)"},
    "You ask whether the output stays the same, which is invariance. When the input is permuted, "
    "which output should appear at which position?")
in_two_lines.mistake("permutes_twice", {", layer(x)[:, order]": "[:, order], layer(x)"},
    "You reject self-attention: input and output are permuted in different ways. `order` and "
    "`order.argsort()` undo each other. Which of them turns `layer(x)` into `layer(x[:, order])`?")
in_two_lines.mistake("permutes_the_batch",
    {"drawn()": "torch.randn(9, 24, 6), [torch.randperm(9) for _ in range(9)]",
     "x[:, order]": "x[order]",
     "x)[:, order": "x)[order"},
    "You call nearly every layer equivariant. If you index the first axis, you permute the batch. "
    "Which axis holds the positions?")
right.mistake("tries_the_reversal_only", {"*drawn()": "drawn()[0], [torch.arange(24).flip(0)]"},
    "You miss layers that depend on the position in the same way from both ends. If you try only "
    "the reversal, remember that a layer has to be equivariant to every permutation.")
right.mistake("tries_shifts_only",
    {"*drawn()": "drawn()[0], [torch.arange(24).roll(n) for n in range(24)]"},
    "You miss layers that treat neighbours on a circle alike, wherever they are. If you try "
    "`roll` only, nearly all neighbours stay together. Which permutation separates them?")
right.mistake("swaps_the_first_two",
    {"*drawn()": "drawn()[0], [torch.tensor([1, 0, *range(2, 24)])]"},
    "You miss layers that treat positions other than the first two differently. If you swap only "
    "the first two, try permutations that move every position instead.")
right.mistake("tries_short_sequences_only", {"drawn()": "drawn(length=12)"},
    "You miss layers that depend on the position only from a late position onwards. If your "
    "sequences have fewer than 20 positions, try longer ones.")
right.mistake("tries_one_permutation", {"*drawn()": "torch.randn(3, 24, 8), [torch.randperm(24)]"},
    "You miss layers that a single random permutation does not reveal: it may leave the position "
    "that matters in its place. Try at least ten.")
right.mistake("compares_the_mean",
    {"*drawn())": "*drawn(), lambda one, other: (one - other).abs().mean() < 1e-4)"},
    "You miss a faint difference in one number. If you take a mean over all numbers, the others "
    "hide it. If you allow a fraction of each number, as `rtol` does, a large number hides it. "
    "Which number of the difference should decide?")
right.mistake("tolerates_too_much",
    {"*drawn())": "*drawn(), lambda one, other: (one - other).abs().max() < 0.05)"},
    "You miss faint traces of the position. The docstring says how large rounding can be, and how "
    "small a real change can be. Where between the two is your bound?")
right.mistake("allows_too_little", {"*drawn())": "*drawn(), torch.allclose)"},
    "You reject layers that are equivariant up to rounding. `torch.equal` allows no difference, "
    "and `torch.allclose` allows hardly any at entries near 0 unless you pass `atol`.")
right.mistake("tries_one_sequence", {"drawn()": "drawn(batch=1)"},
    "You miss differences that the first sequence does not show. Try a batch of three, and "
    "compare all of it.")
right.mistake("tries_two_sequences", {"drawn()": "drawn(batch=2)"},
    "You miss differences that only the third sequence shows. Try a batch of three, and compare "
    "all of it.")
right.mistake("lets_differences_cancel",
    {"*drawn())": "*drawn(), lambda one, other: (one - other).mean().abs() < 1e-4)"},
    "You miss layers that exchange numbers between positions. If you take a sum or a mean of "
    "signed differences, what is the result when one is 3 and another is -3?")
in_two_lines.mistake("permutes_the_features",
    {"drawn()": "torch.randn(3, 24, 24), drawn()[1]",
     "x[:, order]": "x[..., order]",
     "x)[:, order": "x)[..., order"},
    "You permute the features, which are the last axis of x. Which axis holds the positions?")
right.mistake("tries_the_same_vector_everywhere",
    {"return": "x, orders = drawn()\n    return", "*drawn()": "torch.ones_like(x), orders"},
    "You miss layers that mix their positions. If all positions of your input are the same, no "
    "permutation changes it. Draw them at random.")
right.mistake("tries_positive_numbers_only",
    {"return": "x, orders = drawn()\n    return", "*drawn()": "x.abs(), orders"},
    "You miss layers that treat negative numbers differently. Are there negative numbers in your "
    "input?")
right.mistake("forgets_the_absolute_value",
    {"*drawn())": "*drawn(), lambda one, other: bool((one - other).max() < 1e-4))"},
    "You count a difference only where it is positive. Which of the two outputs is larger, and "
    "what should happen to the sign before you take the largest difference?")
