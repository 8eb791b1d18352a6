"""Known mistakes of `in_both_modes`."""

import torch  # noqa: F401
from torch import nn

from .in_both_modes import exercise


@exercise.base
def right(x, matrices, num_heads, dropout):
    query, key, value = ((x @ part.mT).unflatten(2, (num_heads, -1)).transpose(1, 2)
                         for part in matrices[:3])  # fmt: skip
    scores = query @ key.mT / query.size(-1) ** 0.5  # [batch, num_heads, queries, keys]

    def output(drop):
        weights = drop(scores.softmax(dim=-1))
        return (weights @ value).transpose(1, 2).flatten(2) @ matrices[3].mT

    return output(nn.Identity()), output(nn.Dropout(dropout))


# fmt: off
right.mistake("never_trains", {"nn.Dropout(dropout)": "nn.Identity()"},
    "Nothing is dropped in training mode. A module is in the mode that it was last put into; if "
    "you do call `train()`: does your `MultiHeadAttention` drop weights then?")
right.mistake("never_evaluates", {"nn.Identity()": "nn.Dropout(dropout)"},
    "Weights are dropped in evaluation mode, too. A new module is in training mode: which call "
    "changes that? If you do call it: does the dropout in your module know the mode?")
right.mistake("leaves_the_biases_in",
    {"query, key":
        "layers = [nn.Linear(x.size(2), x.size(2)) for _ in range(4)]\n"
        "    biases = [layer.bias.detach().to(x) for layer in layers]\n"
        "    query, key",
     "part.mT": "part.mT + bias",
     "part in matrices[:3]": "part, bias in zip(matrices[:3], biases[:3], strict=True)",
     "matrices[3].mT": "matrices[3].mT + biases[3]",
     "return output(nn.Identity()), output(nn.Dropout(dropout))":
        "return [output(nn.Identity()), output(nn.Dropout(dropout))]"},
    "These are the numbers of a module with biases, which are random in a new one. If you load "
    "with `strict=False`, nothing complains about what is not loaded. How is the module built "
    "without?")
right.mistake("returns_the_pairs",
    {"return output(nn.Identity()), output(nn.Dropout(dropout))":
        "weights = scores.softmax(dim=-1)\n"
        "    return (output(nn.Identity()), weights), (output(nn.Dropout(dropout)), weights)"},
    "Each of the two is a pair. A `MultiHeadAttention` returns two things: which of them is asked "
    "for?")
right.mistake("swaps_the_modes",
    {"nn.Identity()": "nn.Dropout(dropout)", "nn.Dropout(dropout)": "nn.Identity()"},
    "The two outputs are the wrong way round. First comes that of evaluation mode.")
right.mistake("does_not_scale_up",
    {"nn.Dropout(dropout)": "lambda w: w * (torch.rand_like(w) >= dropout)"},
    "In training mode the output is too small: what is kept has to be scaled up, so that the mean "
    "stays. By which factor? `nn.Dropout` does it.")
right.mistake("divides_by_zero",
    {"nn.Dropout(dropout)": "lambda w: w * (torch.rand_like(w) >= dropout) / (1 - dropout)"},
    "With a dropout of 1 the output in training mode is NaN: 0 / 0. Nothing is kept then, so it is "
    "0. `nn.Dropout` takes care of it.")
right.mistake("takes_it_for_the_chance_to_stay", {"Dropout(dropout)": "Dropout(1 - dropout)"},
    "You drop where nothing is to be dropped and keep all where all is to go. `dropout` is the "
    "chance of being dropped, not of being kept.")
right.mistake("loads_transposed_weights", {"query, key": "matrices = matrices.mT\n    query, key"},
    "The weights are loaded the wrong way round. A layer keeps its weight as (out, in), and the "
    "four that are given are just so.")
right.mistake("drops_the_output",
    {"output(nn.Dropout(dropout))": "nn.functional.dropout(output(nn.Identity()), dropout)"},
    "Entries of the output are dropped, not weights: a weight that is dropped makes an output a "
    "little smaller or larger, and never 0 by itself.")
right.mistake("takes_the_mean_for_a_draw",
    {"output(nn.Dropout(dropout))": "output(nn.Identity()) * (dropout < 1)"},
    "With a dropout between 0 and 1 the two outputs are the same, or nearly: nothing is dropped. "
    "The mean of all draws is no draw. Which weights are dropped changes from call to call.")
right.mistake("drops_half",
    {"nn.Dropout(dropout)": "nn.Dropout(dropout if dropout in (0, 1) else 0.5)"},
    "With a dropout between 0 and 1 you drop half of the weights: that is the default of "
    "`nn.Dropout()`. How many are dropped is up to `dropout`.")
right.mistake("drops_the_scores", {"drop(scores.softmax(dim=-1))": "drop(scores).softmax(dim=-1)"},
    "Scores are dropped, not weights: a score of 0 still has its share after the softmax. What "
    "comes first in training mode?")
right.mistake("drops_twice",
    {"nn.Dropout(dropout)": "nn.Sequential(nn.Dropout(dropout), nn.Dropout(dropout))"},
    "You drop twice, so that fewer weights are left than are due: once is enough. Does the "
    "function that you call drop weights, too?")
right.mistake("drops_keys_for_all_queries",
    {"nn.Dropout(dropout)":
        "lambda w: w * nn.functional.dropout(torch.ones_like(w[..., :1, :]), dropout)"},
    "You drop keys, and each for all queries at once. Each query draws anew which of its weights "
    "are dropped.")
right.mistake("draws_once_for_all_heads",
    {"nn.Dropout(dropout)":
        "lambda w: w * nn.functional.dropout(torch.ones_like(w[:, :1]), dropout)"},
    "All heads drop the same weights. Each head draws its own: the mask of what is dropped has the "
    "shape of the weights, heads included.")
