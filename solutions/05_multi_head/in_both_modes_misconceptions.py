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
    "Nothing is dropped in training mode. A module stays in the mode that was set last. If you do "
    "call `train()`, does your `MultiHeadAttention` drop weights then?")
right.mistake("never_evaluates", {"nn.Identity()": "nn.Dropout(dropout)"},
    "Weights are dropped in evaluation mode, too. A new module is in training mode. Which call "
    "changes that? If you do make that call, does the dropout in your module know the mode?")
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
    "This is the output of a module with biases, which are random in a new module. If you load "
    "with `strict=False`, nothing complains about parameters that are not loaded. How do you "
    "build the module without biases?")
right.mistake("returns_the_pairs",
    {"return output(nn.Identity()), output(nn.Dropout(dropout))":
        "weights = scores.softmax(dim=-1)\n"
        "    return (output(nn.Identity()), weights), (output(nn.Dropout(dropout)), weights)"},
    "Each of the two results is a pair. A `MultiHeadAttention` returns two things. Which of them "
    "does the exercise ask for?")
right.mistake("swaps_the_modes",
    {"nn.Identity()": "nn.Dropout(dropout)", "nn.Dropout(dropout)": "nn.Identity()"},
    "The two outputs are in the wrong order. That of evaluation mode comes first.")
right.mistake("does_not_scale_up",
    {"nn.Dropout(dropout)": "lambda w: w * (torch.rand_like(w) >= dropout)"},
    "In training mode the output is too small: the remaining weights have to be scaled up, so "
    "that the mean stays the same. By which factor? `nn.Dropout` does this.")
right.mistake("divides_by_zero",
    {"nn.Dropout(dropout)": "lambda w: w * (torch.rand_like(w) >= dropout) / (1 - dropout)"},
    "With a dropout of 1 the output in training mode is NaN: 0 / 0. All weights are dropped then, "
    "so the result is 0. `nn.Dropout` handles this case.")
right.mistake("takes_it_for_the_chance_to_stay", {"Dropout(dropout)": "Dropout(1 - dropout)"},
    "You drop nothing where everything should be dropped, and everything where nothing should be. "
    "`dropout` is the probability of being dropped, not of being kept.")
right.mistake("loads_transposed_weights", {"query, key": "matrices = matrices.mT\n    query, key"},
    "The weights are transposed before they are loaded. A layer stores its weight as (out, in), "
    "and so do the four matrices you are given.")
right.mistake("drops_the_output",
    {"output(nn.Dropout(dropout))": "nn.functional.dropout(output(nn.Identity()), dropout)"},
    "You drop entries of the output, not weights. Dropping a weight makes an output a little "
    "smaller or larger, but does not by itself make it 0.")
right.mistake("takes_the_mean_for_a_draw",
    {"output(nn.Dropout(dropout))": "output(nn.Identity()) * (dropout < 1)"},
    "With a dropout between 0 and 1 the two outputs are the same, or nearly: nothing is dropped. "
    "You return the mean of all draws instead of one draw. Which weights are dropped changes from "
    "call to call.")
right.mistake("drops_half",
    {"nn.Dropout(dropout)": "nn.Dropout(dropout if dropout in (0, 1) else 0.5)"},
    "With a dropout between 0 and 1 you drop half of the weights, which is the default of "
    "`nn.Dropout()`. `dropout` says how many to drop.")
right.mistake("drops_the_scores", {"drop(scores.softmax(dim=-1))": "drop(scores).softmax(dim=-1)"},
    "You drop scores, not weights: a score of 0 still gets some weight after the softmax. Which "
    "step comes first in training mode?")
right.mistake("drops_twice",
    {"nn.Dropout(dropout)": "nn.Sequential(nn.Dropout(dropout), nn.Dropout(dropout))"},
    "You drop twice, so fewer weights are left than there should be. Does the function that you "
    "call drop weights, too?")
right.mistake("drops_keys_for_all_queries",
    {"nn.Dropout(dropout)":
        "lambda w: w * nn.functional.dropout(torch.ones_like(w[..., :1, :]), dropout)"},
    "You drop keys, and each for all queries at once. Which weights are dropped should be drawn "
    "anew for each query.")
right.mistake("draws_once_for_all_heads",
    {"nn.Dropout(dropout)":
        "lambda w: w * nn.functional.dropout(torch.ones_like(w[:, :1]), dropout)"},
    "All heads drop the same weights. Each head draws its own: the dropout mask has the shape of "
    "the weights, heads included.")
