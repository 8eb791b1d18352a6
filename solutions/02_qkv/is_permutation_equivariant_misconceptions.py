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
    "Your function says False where all is well, and True where it is not. Read its name as a "
    "question: is it equivariant?")
in_two_lines.mistake("asks_for_invariance", {"layer(x)[:, order]": "layer(x)"},
    "You ask whether the output stays the same: that is invariance. When the input is permuted, "
    "which output is to stand at which position?")
in_two_lines.mistake("permutes_twice", {", layer(x)[:, order]": "[:, order], layer(x)"},
    "You turn self-attention away: input and output are permuted in different ways. `order` and "
    "`order.argsort()` undo each other. Which of them makes `layer(x[:, order])` of `layer(x)`?")
in_two_lines.mistake("permutes_the_batch",
    {"drawn()": "torch.randn(9, 24, 6), [torch.randperm(9) for _ in range(9)]",
     "x[:, order]": "x[order]",
     "x)[:, order": "x)[order"},
    "You find nearly everything equivariant. If you index the first axis: that permutes the batch. "
    "Which axis holds the positions?")
right.mistake("tries_the_reversal_only", {"*drawn()": "drawn()[0], [torch.arange(24).flip(0)]"},
    "You miss what depends on the position and is the same from both ends. If you try the reversal "
    "only: a layer has to be equivariant to every permutation.")
right.mistake("tries_shifts_only",
    {"*drawn()": "drawn()[0], [torch.arange(24).roll(n) for n in range(24)]"},
    "You miss layers that treat neighbours alike wherever they stand, round a circle. If you try "
    "`roll` only: a shift leaves nearly all neighbours together. What does not?")
right.mistake("swaps_the_first_two",
    {"*drawn()": "drawn()[0], [torch.tensor([1, 0, *range(2, 24)])]"},
    "You miss layers that tell other positions apart than the first two. If you swap just these: "
    "try permutations that move every position.")
right.mistake("tries_short_sequences_only", {"drawn()": "drawn(length=12)"},
    "You miss layers that look at the position only from a late place onwards. If your sequences "
    "have fewer than 20 positions: try longer ones.")
right.mistake("tries_one_permutation", {"*drawn()": "torch.randn(3, 24, 8), [torch.randperm(24)]"},
    "You miss layers that one permutation drawn at random does not show: it may leave the position "
    "that matters in its place. Try at least ten.")
right.mistake("compares_the_mean",
    {"*drawn())": "*drawn(), lambda one, other: (one - other).abs().mean() < 1e-4)"},
    "You miss a faint difference in one number. If you take a mean over all numbers, the others "
    "hide it. If you allow a share of each number, as `rtol` does, a large one hides it. Which "
    "number of the difference decides?")
right.mistake("tolerates_too_much",
    {"*drawn())": "*drawn(), lambda one, other: (one - other).abs().max() < 0.05)"},
    "You miss faint traces of the position. The docstring says how large rounding is at most, and "
    "how large a change at least: where between them is your bound?")
right.mistake("allows_too_little", {"*drawn())": "*drawn(), torch.allclose)"},
    "You turn away what is equivariant up to rounding. `torch.equal` allows no difference, and "
    "`torch.allclose` hardly any at entries near 0 unless you pass `atol`.")
right.mistake("tries_one_sequence", {"drawn()": "drawn(batch=1)"},
    "You miss what the first sequence does not show. Try a batch of three, and compare all of it.")
right.mistake("tries_two_sequences", {"drawn()": "drawn(batch=2)"},
    "You miss what only the third sequence shows. Try a batch of three, and compare all of it.")
right.mistake("lets_differences_cancel",
    {"*drawn())": "*drawn(), lambda one, other: (one - other).mean().abs() < 1e-4)"},
    "You miss layers that exchange numbers between positions. If you take a sum or a mean of "
    "signed differences: what is it where one is 3 and another -3?")
in_two_lines.mistake("permutes_the_features",
    {"drawn()": "torch.randn(3, 24, 24), drawn()[1]",
     "x[:, order]": "x[..., order]",
     "x)[:, order": "x)[..., order"},
    "You permute the features: the last axis of x. Which axis holds the positions?")
right.mistake("tries_the_same_vector_everywhere",
    {"return": "x, orders = drawn()\n    return", "*drawn()": "torch.ones_like(x), orders"},
    "You miss layers that mix their positions. If all positions of your input are the same, no "
    "permutation changes it. Draw them at random.")
right.mistake("tries_positive_numbers_only",
    {"return": "x, orders = drawn()\n    return", "*drawn()": "x.abs(), orders"},
    "Layers are tried that treat negative numbers apart, and you miss them. Are there negative "
    "numbers in your input?")
right.mistake("forgets_the_absolute_value",
    {"*drawn())": "*drawn(), lambda one, other: bool((one - other).max() < 1e-4))"},
    "A difference counts for you only where it is positive. Which of the two outputs is larger, "
    "and what happens to the sign before the largest difference is taken?")
