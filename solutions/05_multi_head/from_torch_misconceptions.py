"""Known mistakes of `from_torch`."""

import torch  # noqa: F401

from .from_torch import exercise


@exercise.base
def right(items):
    theirs, ours = dict(items), []
    for place, name in enumerate("qkv"):
        packed, own = "in_proj_weight" in theirs, f"{name}_proj_weight"
        weight = theirs["in_proj_weight"].chunk(3)[place] if packed else theirs[own]
        ours += [(f"W_{name}.weight", weight)]
        if "in_proj_bias" in theirs:
            ours += [(f"W_{name}.bias", theirs["in_proj_bias"].chunk(3)[place])]
    ours += [("W_o.weight", theirs["out_proj.weight"])]
    if "out_proj.bias" in theirs:
        ours += [("W_o.bias", theirs["out_proj.bias"])]
    return ours


# fmt: off
right.mistake("takes_the_keys_first",
    {'place, name in enumerate("qkv")': 'name, place in ("q", 1), ("k", 0), ("v", 2)'},
    "The rows of the packed matrix are in another order than you assume. Which of the three comes "
    "first, and which second?")
right.mistake("transposes_the_weights",
    {"[place] if packed else theirs[own]": "[place].T if packed else theirs[own].T",
     'theirs["out_proj.weight"]': 'theirs["out_proj.weight"].T'},
    "You transpose the weights. Does `nn.Linear` store its weight as (in, out) or as (out, in), "
    "and how does `nn.MultiheadAttention`?")
right.mistake("expects_packed_weights_with_biases",
    {" if packed else theirs[own]": "",
     'if "in_proj_bias" in theirs:\n            ours': "ours",
     'if "out_proj.bias" in theirs:\n        ours': "ours"},
    "Packed weights with biases work, but other layers raise an exception. Not every layer has "
    "`in_proj_weight`, and not every layer has biases. Check before you look up a name.")
right.mistake("expects_biases",
    {'if "in_proj_bias" in theirs:\n            ours': "ours",
     'if "out_proj.bias" in theirs:\n        ours': "ours"},
    "Layers without biases raise an exception. Which names are in the state dict of such a layer?")
right.mistake("expects_packed_weights", {" if packed else theirs[own]": ""},
    "Layers with separate projections raise an exception. If keys or values have other widths, "
    "there is no `in_proj_weight`. Which three names replace it?")
right.mistake("forgets_the_biases",
    {"return ours": 'return [pair for pair in ours if "bias" not in pair[0]]'},
    "The biases are missing. Where does `nn.MultiheadAttention` keep those of query, key and "
    "value, and where does it keep that of the output?")
right.mistake("makes_up_zeros_for_biases",
    {"for place":
        'width = len(theirs["out_proj.weight"])\n'
        '    theirs.setdefault("in_proj_bias", torch.zeros(3 * width))\n'
        '    theirs.setdefault("out_proj.bias", torch.zeros(width))\n'
        "    for place"},
    "Where a layer has no biases, you add some. Our module without biases has no place to load "
    "them into, so leave them out.")
right.mistake("takes_every_third_row",
    {'["in_proj_weight"].chunk(3)[place]': '["in_proj_weight"][place::3]',
     '["in_proj_bias"].chunk(3)[place]': '["in_proj_bias"][place::3]'},
    "You use every third row of the packed matrix for the query. The rows come in three blocks: "
    "first all rows of the query, then all of the key.")
right.mistake("does_not_cut_the_bias", {'["in_proj_bias"].chunk(3)[place]': '["in_proj_bias"]'},
    "Each layer gets the whole packed bias, with its 3 d_model numbers. Which of them belong to "
    "its rows?")
right.mistake("cuts_the_columns", {'weight"].chunk(3)': 'weight"].chunk(3, dim=1)'},
    "You cut the packed matrix into columns. Query, key and value lie one below the other. Along "
    "which axis should you cut?")
right.mistake("puts_the_biases_last",
    {"return ours": 'return sorted(ours, key=lambda pair: "bias" in pair[0])'},
    "All weights come before all biases. In which order does the docstring have the pairs?")
right.mistake("expects_separate_biases",
    {'if "in_proj_bias" in theirs': 'if packed and "in_proj_bias" in theirs'},
    "Where the weights are separate, the biases of query, key and value are missing. Are these "
    "separate, too? See the table.")


@exercise.misconception(
    "Everything is right where the pairs come in the order of the table. They may come in any "
    "order. What identifies a tensor then?"
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
