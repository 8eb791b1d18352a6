"""Known mistakes of `from_torch`."""

import torch
from jaxtyping import Float
from torch import Tensor

from .from_torch import exercise


def weight_of(theirs, name, place) -> Float[Tensor, "d_model width"]:
    """That of one projection, packed or not."""
    if "in_proj_weight" in theirs:
        return theirs["in_proj_weight"].chunk(3)[place]
    return theirs[f"{name}_proj_weight"]


def bias_of(theirs, name, place) -> list[tuple[str, Float[Tensor, " d_model"]]]:
    """The pair of one projection, if there is one."""
    if "in_proj_bias" not in theirs:
        return []
    return [(f"W_{name}.bias", theirs["in_proj_bias"].chunk(3)[place])]


def of_the_output(theirs) -> list[tuple[str, Float[Tensor, "..."]]]:
    """The pairs of the output's projection: the weight, and the bias if there is one."""
    kinds = [kind for kind in ("weight", "bias") if f"out_proj.{kind}" in theirs]
    return [(f"W_o.{kind}", theirs[f"out_proj.{kind}"]) for kind in kinds]


@exercise.base
def right(items):
    theirs, ours = dict(items), []
    for place, name in enumerate("qkv"):
        ours += [(f"W_{name}.weight", weight_of(theirs, name, place))]
        ours += bias_of(theirs, name, place)
    return ours + of_the_output(theirs)


# fmt: off
right.mistake("takes_the_keys_first",
    {'place, name in enumerate("qkv")': 'name, place in ("q", 1), ("k", 0), ("v", 2)'},
    "The rows of the packed matrix are in another order than you think. Which of the three comes "
    "first, and which second?")


@exercise.misconception(
    "You transpose the weights. Does `nn.Linear` keep its weight as (in, out) or as (out, in), and "
    "how does `nn.MultiheadAttention`?"
)
def transposes_the_weights(items):
    theirs, ours = dict(items), []
    for place, name in enumerate("qkv"):
        ours += [(f"W_{name}.weight", weight_of(theirs, name, place).T)]
        ours += bias_of(theirs, name, place)
    (name, weight), *bias = of_the_output(theirs)
    return [*ours, (name, weight.T), *bias]


@exercise.misconception(
    "Packed with biases works, the other layers raise. Not every layer has `in_proj_weight`, and "
    "not every layer has biases: ask before you look one up."
)
def expects_packed_weights_with_biases(items):
    theirs, ours = dict(items), []
    weights, biases = theirs["in_proj_weight"].chunk(3), theirs["in_proj_bias"].chunk(3)
    for name, weight, bias in zip("qkv", weights, biases, strict=True):
        ours += [(f"W_{name}.weight", weight), (f"W_{name}.bias", bias)]
    outer = ("weight", "bias")
    return [*ours, *((f"W_o.{kind}", theirs[f"out_proj.{kind}"]) for kind in outer)]


@exercise.misconception(
    "Layers without biases raise. Which names does the state dict of such a layer have?"
)
def expects_biases(items):
    theirs, ours = dict(items), []
    for place, name in enumerate("qkv"):
        ours += [(f"W_{name}.weight", weight_of(theirs, name, place))]
        ours += [(f"W_{name}.bias", theirs["in_proj_bias"].chunk(3)[place])]
    return [*ours, ("W_o.weight", theirs["out_proj.weight"]), ("W_o.bias", theirs["out_proj.bias"])]


right.mistake("expects_packed_weights",
    {"weight_of(theirs, name, place)": 'theirs["in_proj_weight"].chunk(3)[place]'},
    "Layers with separate projections raise. With other widths of keys or values there is no "
    "`in_proj_weight`: which three names stand for it?")


@exercise.misconception(
    "The biases are missing. Where does `nn.MultiheadAttention` keep those of query, key and "
    "value, and where that of the output?"
)
def forgets_the_biases(items):
    theirs = dict(items)
    ours = [(f"W_{name}.weight", weight_of(theirs, name, at)) for at, name in enumerate("qkv")]
    return [*ours, ("W_o.weight", theirs["out_proj.weight"])]


@exercise.misconception(
    "Where a layer has no biases you make some up. Our module without biases has no place to load "
    "them into: leave them out."
)
def makes_up_zeros_for_biases(items):
    theirs, ours = dict(items), []
    width = len(theirs["out_proj.weight"])
    biases = theirs.get("in_proj_bias", torch.zeros(3 * width)).chunk(3)
    for place, name in enumerate("qkv"):
        ours += [(f"W_{name}.weight", weight_of(theirs, name, place))]
        ours += [(f"W_{name}.bias", biases[place])]
    outer = theirs.get("out_proj.bias", torch.zeros(width))
    return [*ours, ("W_o.weight", theirs["out_proj.weight"]), ("W_o.bias", outer)]


@exercise.misconception(
    "You took every third row of the packed matrix for the query. They lie in three blocks: first "
    "all rows of the query, then all of the key."
)
def takes_every_third_row(items):
    theirs, ours = dict(items), []
    packed = "in_proj_weight" in theirs
    for place, name in enumerate("qkv"):
        weight = theirs["in_proj_weight"][place::3] if packed else weight_of(theirs, name, place)
        ours += [(f"W_{name}.weight", weight)]
        if "in_proj_bias" in theirs:
            ours += [(f"W_{name}.bias", theirs["in_proj_bias"][place::3])]
    return ours + of_the_output(theirs)


right.mistake("does_not_cut_the_bias",
    {"ours += bias_of(theirs, name, place)\n    return":
        'if "in_proj_bias" in theirs:\n'
        '            ours += [(f"W_{name}.bias", theirs["in_proj_bias"])]\n'
        "    return"},
    "Each layer got the whole packed bias, of 3 d_model numbers. Which of them belong to its rows?")


@exercise.misconception(
    "The packed matrix was cut into columns. Query, key and value lie one below the other: along "
    "which axis do you cut?"
)
def cuts_the_columns(items):
    theirs, ours = dict(items), []
    for place, name in enumerate("qkv"):
        weight = weight_of(theirs, name, place)
        if "in_proj_weight" in theirs:
            weight = theirs["in_proj_weight"].chunk(3, dim=1)[place]
        ours += [(f"W_{name}.weight", weight), *bias_of(theirs, name, place)]
    return ours + of_the_output(theirs)


@exercise.misconception(
    "All weights stand before all biases. In which order does the docstring have the pairs?"
)
def puts_the_biases_last(items):
    theirs = dict(items)
    ours = [(f"W_{name}.weight", weight_of(theirs, name, at)) for at, name in enumerate("qkv")]
    biases = [pair for at, name in enumerate("qkv") for pair in bias_of(theirs, name, at)]
    weight, *outer = of_the_output(theirs)
    return [*ours, weight, *biases, *outer]


right.mistake("expects_separate_biases",
    {"bias_of(theirs, name, place)":
        'bias_of(theirs, name, place) if "in_proj_weight" in theirs else []'},
    "Where the weights are separate, the biases of query, key and value are missing. Are these "
    "separate, too? See the table.")


@exercise.misconception(
    "All is right where the pairs come as the table has them. They may come in any order: what "
    "tells you what a tensor is?"
)
def relies_on_the_order(items):
    names, tensors = zip(*items, strict=True)
    packed = "k_proj_weight" not in names
    weights = tensors[0].tensor_split(3) if packed else tensors[:3]
    rest = list(tensors[1 if packed else 3 :])
    biases = any("bias" in name for name in names)
    ours = []
    for place, name in enumerate("qkv"):
        ours += [(f"W_{name}.weight", weights[place])]
        ours += [(f"W_{name}.bias", rest[0].tensor_split(3)[place])] if biases else []
    outer = rest[1:] if biases else rest
    return ours + list(zip(("W_o.weight", "W_o.bias"), outer, strict=False))
