"""Known mistakes of `in_both_modes`."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from .in_both_modes import exercise


def attended(
    x: Float[Tensor, "batch length d_model"],
    matrices: Float[Tensor, "4 d_model d_model"],
    num_heads,
    drop,
) -> Float[Tensor, "batch length d_model"]:
    """Self-attention with `drop` on the weights; what the wrong functions have in common."""
    query, key, value = ((x @ part.mT).unflatten(2, (num_heads, -1)).transpose(1, 2)
                         for part in matrices[:3])  # fmt: skip
    scores = query @ key.mT / query.size(-1) ** 0.5  # [batch, num_heads, queries, keys]
    weights = drop(scores.softmax(dim=-1))
    return (weights @ value).transpose(1, 2).flatten(2) @ matrices[3].mT


@exercise.misconception(
    "Nothing is dropped in training mode. A module is in the mode that it was last put into; if "
    "you do call `train()`: does your `MultiHeadAttention` drop weights then?"
)
def never_trains(x, matrices, num_heads, dropout):
    output = attended(x, matrices, num_heads, lambda weights: weights)
    return output, output


@exercise.misconception(
    "Weights are dropped in evaluation mode, too. A new module is in training mode: which call "
    "changes that? If you do call it: does the dropout in your module know the mode?"
)
def never_evaluates(x, matrices, num_heads, dropout):
    drop = nn.Dropout(dropout)
    return attended(x, matrices, num_heads, drop), attended(x, matrices, num_heads, drop)


@exercise.misconception(
    "These are the numbers of a module with biases, which are random in a new one. If you load "
    "with `strict=False`, nothing complains about what is not loaded. How is the module built "
    "without?"
)
def leaves_the_biases_in(x, matrices, num_heads, dropout):
    layers = [nn.Linear(x.size(2), x.size(2)) for _ in range(4)]
    biases = [layer.bias.detach().to(x) for layer in layers]
    query, key, value = ((x @ part.mT + bias).unflatten(2, (num_heads, -1)).transpose(1, 2)
                         for part, bias in zip(matrices[:3], biases[:3], strict=True))  # fmt: skip
    weights = (query @ key.mT / query.size(-1) ** 0.5).softmax(dim=-1)
    outputs = []
    for chance in (0.0, dropout):
        heads = nn.functional.dropout(weights, chance) @ value
        outputs.append(heads.transpose(1, 2).flatten(2) @ matrices[3].mT + biases[3])
    return outputs


@exercise.misconception(
    "Each of the two is a pair. A `MultiHeadAttention` returns two things: which of them is asked "
    "for?"
)
def returns_the_pairs(x, matrices, num_heads, dropout):
    query, key = ((x @ part.mT).unflatten(2, (num_heads, -1)).transpose(1, 2)
                  for part in matrices[:2])  # fmt: skip
    weights = (query @ key.mT / query.size(-1) ** 0.5).softmax(dim=-1)
    output = attended(x, matrices, num_heads, nn.Identity())
    return (output, weights), (attended(x, matrices, num_heads, nn.Dropout(dropout)), weights)


@exercise.misconception(
    "The two outputs are the wrong way round. First comes that of evaluation mode."
)
def swaps_the_modes(x, matrices, num_heads, dropout):
    dropped = attended(x, matrices, num_heads, nn.Dropout(dropout))
    return dropped, attended(x, matrices, num_heads, nn.Identity())


@exercise.misconception(
    "In training mode the output is too small: what is kept has to be scaled up, so that the mean "
    "stays. By which factor? `nn.Dropout` does it."
)
def does_not_scale_up(x, matrices, num_heads, dropout):
    output = attended(x, matrices, num_heads, nn.Identity())
    kept = attended(x, matrices, num_heads, lambda w: w * (torch.rand_like(w) >= dropout))
    return output, kept


@exercise.misconception(
    "With a dropout of 1 the output in training mode is NaN: 0 / 0. Nothing is kept then, so it is "
    "0. `nn.Dropout` takes care of it."
)
def divides_by_zero(x, matrices, num_heads, dropout):
    output = attended(x, matrices, num_heads, nn.Identity())
    kept = attended(
        x, matrices, num_heads, lambda w: w * (torch.rand_like(w) >= dropout) / (1 - dropout)
    )
    return output, kept


@exercise.misconception(
    "You drop where nothing is to be dropped and keep all where all is to go. `dropout` is the "
    "chance of being dropped, not of being kept."
)
def takes_it_for_the_chance_to_stay(x, matrices, num_heads, dropout):
    dropped = attended(x, matrices, num_heads, nn.Dropout(1 - dropout))
    return attended(x, matrices, num_heads, nn.Identity()), dropped


@exercise.misconception(
    "The weights are loaded the wrong way round. A layer keeps its weight as (out, in), and the "
    "four that are given are just so."
)
def loads_transposed_weights(x, matrices, num_heads, dropout):
    turned = matrices.mT
    output = attended(x, turned, num_heads, nn.Identity())
    return output, attended(x, turned, num_heads, nn.Dropout(dropout))


@exercise.misconception(
    "Entries of the output are dropped, not weights: a weight that is dropped makes an "
    "output a little smaller or larger, and never 0 by itself."
)
def drops_the_output(x, matrices, num_heads, dropout):
    output = attended(x, matrices, num_heads, nn.Identity())
    return output, nn.functional.dropout(output, dropout)


@exercise.misconception(
    "With a dropout between 0 and 1 the two outputs are the same, or nearly: nothing is dropped. "
    "The mean of all draws is no draw. Which weights are dropped changes from call to call."
)
def takes_the_mean_for_a_draw(x, matrices, num_heads, dropout):
    output = attended(x, matrices, num_heads, nn.Identity())
    return output, output * (dropout < 1)


@exercise.misconception(
    "With a dropout between 0 and 1 you drop half of the weights: that is the default of "
    "`nn.Dropout()`. How many are dropped is up to `dropout`."
)
def drops_half(x, matrices, num_heads, dropout):
    drop = nn.Dropout(dropout if dropout in (0, 1) else 0.5)
    return attended(x, matrices, num_heads, nn.Identity()), attended(x, matrices, num_heads, drop)


@exercise.misconception(
    "Scores are dropped, not weights: a score of 0 still has its share after the softmax. What "
    "comes first in training mode?"
)
def drops_the_scores(x, matrices, num_heads, dropout):
    query, key, value = ((x @ part.mT).unflatten(2, (num_heads, -1)).transpose(1, 2)
                         for part in matrices[:3])  # fmt: skip
    scores = query @ key.mT / query.size(-1) ** 0.5
    weights = nn.functional.dropout(scores, dropout).softmax(dim=-1)
    output = attended(x, matrices, num_heads, nn.Identity())
    return output, (weights @ value).transpose(1, 2).flatten(2) @ matrices[3].mT


@exercise.misconception(
    "You drop twice, so that fewer weights are left than are due: once is enough. Does the "
    "function that you call drop weights, too?"
)
def drops_twice(x, matrices, num_heads, dropout):
    drop = nn.Sequential(nn.Dropout(dropout), nn.Dropout(dropout))
    return attended(x, matrices, num_heads, nn.Identity()), attended(x, matrices, num_heads, drop)


@exercise.misconception(
    "You drop keys, and each for all queries at once. Each query draws anew which of its weights "
    "are dropped."
)
def drops_keys_for_all_queries(x, matrices, num_heads, dropout):
    def drop(weights):
        return weights * nn.functional.dropout(torch.ones_like(weights[..., :1, :]), dropout)

    return attended(x, matrices, num_heads, nn.Identity()), attended(x, matrices, num_heads, drop)


@exercise.misconception(
    "All heads drop the same weights. Each head draws its own: the mask of what is dropped has the "
    "shape of the weights, heads included."
)
def draws_once_for_all_heads(x, matrices, num_heads, dropout):
    def drop(weights):
        return weights * nn.functional.dropout(torch.ones_like(weights[:, :1]), dropout)

    return attended(x, matrices, num_heads, nn.Identity()), attended(x, matrices, num_heads, drop)
