"""Cases, oracle and known mistakes of `from_torch`.

State dicts travel as lists of (name, tensor): the engine copies, moves and compares lists.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from autograder.spec import Case, Exercise

exercise = Exercise(
    "from_torch",
    points=4,
    difficulty=3,
    minutes=20,
    returns=("the pairs",),
    read="05_multi_head.html",
)


def case(rng, name, d_model, widths=None, bias=True, dtype=torch.float32):
    """Weights as `nn.MultiheadAttention` names them; separate ones where `widths` are given."""
    shapes: dict[str, tuple[int, ...]] = {"in_proj_weight": (3 * d_model, d_model)}
    if widths:
        parts = zip("qkv", (d_model, *widths), strict=True)
        shapes = {f"{part}_proj_weight": (d_model, width) for part, width in parts}
    if bias:
        shapes["in_proj_bias"] = (3 * d_model,)
    shapes["out_proj.weight"] = (d_model, d_model)
    if bias:
        shapes["out_proj.bias"] = (d_model,)
    return Case(name, {"items": [(key, rng.normal(*shape, dtype=dtype))
                                 for key, shape in shapes.items()]})  # fmt: skip


def backwards(made):
    """The case with its pairs in the opposite order."""
    made.inputs["items"].reverse()
    return made


@exercise.cases
def cases(rng):
    yield case(rng, "packed with biases", 6)
    yield case(rng, "packed without biases", 4, bias=False)
    yield case(rng, "separate with biases", 6, (5, 3))
    yield case(rng, "separate without biases", 4, (4, 7), bias=False)
    yield backwards(case(rng, "packed in another order", 3))


@exercise.secret_cases
def secret_cases(rng):
    d_model, kdim, vdim = rng.integer(5, 9), rng.integer(9, 12), rng.integer(2, 5)
    yield backwards(case(rng, "separate in another order", d_model, (kdim, vdim)))
    yield case(rng, "only the values differ", d_model, (d_model, vdim), dtype=torch.float64)
    yield case(rng, "only the keys differ", d_model, (kdim, d_model), bias=False)
    yield case(rng, "width 1", 1)
    yield case(rng, "half precision", d_model, dtype=torch.float16)


@exercise.oracle
def entry_by_entry(items):
    given, ours = dict(items), []
    width = given["out_proj.weight"].size(0)
    for place, part in enumerate("qkv"):
        rows = range(place * width, place * width + width)
        source = given.get(f"{part}_proj_weight")
        if source is None:
            source = torch.stack([given["in_proj_weight"][row] for row in rows])
        ours.append((f"W_{part}.weight", source))
        if "in_proj_bias" in given:
            bias = torch.stack([given["in_proj_bias"][row] for row in rows])
            ours.append((f"W_{part}.bias", bias))
    ours += [(f"W_o.{kind}", given[f"out_proj.{kind}"]) for kind in ("weight", "bias")
             if f"out_proj.{kind}" in given]  # fmt: skip
    return ours


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


@exercise.misconception(
    "The rows of the packed matrix are in another order than you think. Which of the three comes "
    "first, and which second?"
)
def takes_the_keys_first(items):
    theirs, ours = dict(items), []
    for name, place in (("q", 1), ("k", 0), ("v", 2)):
        ours += [(f"W_{name}.weight", weight_of(theirs, name, place))]
        ours += bias_of(theirs, name, place)
    return ours + of_the_output(theirs)


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


@exercise.misconception(
    "Layers with separate projections raise. With other widths of keys or values there is no "
    "`in_proj_weight`: which three names stand for it?"
)
def expects_packed_weights(items):
    theirs, ours = dict(items), []
    for place, name in enumerate("qkv"):
        ours += [(f"W_{name}.weight", theirs["in_proj_weight"].chunk(3)[place])]
        ours += bias_of(theirs, name, place)
    return ours + of_the_output(theirs)


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


@exercise.misconception(
    "Each layer got the whole packed bias, of 3 d_model numbers. Which of them belong to its rows?"
)
def does_not_cut_the_bias(items):
    theirs, ours = dict(items), []
    for place, name in enumerate("qkv"):
        ours += [(f"W_{name}.weight", weight_of(theirs, name, place))]
        if "in_proj_bias" in theirs:
            ours += [(f"W_{name}.bias", theirs["in_proj_bias"])]
    return ours + of_the_output(theirs)


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


@exercise.misconception(
    "Where the weights are separate, the biases of query, key and value are missing. Are these "
    "separate, too? See the table."
)
def expects_separate_biases(items):
    theirs, ours = dict(items), []
    for place, name in enumerate("qkv"):
        ours += [(f"W_{name}.weight", weight_of(theirs, name, place))]
        ours += bias_of(theirs, name, place) if "in_proj_weight" in theirs else []
    return ours + of_the_output(theirs)


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


@exercise.variant
def stacked_first(items):
    state = {**dict(items)}
    weights = [state.get(f"{part}_proj_weight") for part in "qkv"]
    if weights[0] is None:
        weights = list(state["in_proj_weight"].view(3, -1, state["in_proj_weight"].shape[1]))
    bias = state.get("in_proj_bias")
    result = []
    for index, part in enumerate(("W_q", "W_k", "W_v")):
        result.append((f"{part}.weight", weights[index]))
        if bias is not None:
            result.append((f"{part}.bias", bias.view(3, -1)[index]))
    result.append(("W_o.weight", state["out_proj.weight"]))
    if "out_proj.bias" in state:
        result.append(("W_o.bias", state["out_proj.bias"]))
    return result


@exercise.variant
def slices_that_are_copied(items):
    state = dict(items)
    d = state["out_proj.weight"].shape[0]
    ours = {}
    for i, p in enumerate(["q", "k", "v"]):
        try:
            ours[f"W_{p}.weight"] = state["in_proj_weight"][i * d : (i + 1) * d].clone()
        except KeyError:
            ours[f"W_{p}.weight"] = state[f"{p}_proj_weight"].clone()
        if "in_proj_bias" in state:
            ours[f"W_{p}.bias"] = state["in_proj_bias"][i * d : (i + 1) * d].clone()
    for end in ("weight", "bias"):
        if f"out_proj.{end}" in state:
            ours[f"W_o.{end}"] = state[f"out_proj.{end}"].clone()
    return tuple(ours.items())


@exercise.variant
def sorted_into_the_order_at_the_end(items):
    ours = {}
    for name, tensor in items:
        if name.startswith("in_proj"):
            for part, rows in zip("qkv", tensor.tensor_split(3), strict=True):
                ours[f"W_{part}.{name[8:]}"] = rows
        elif name.startswith("out_proj"):
            ours[name.replace("out_proj", "W_o")] = tensor
        else:
            ours[f"W_{name[0]}.weight"] = tensor
    order = [f"W_{part}.{kind}" for part in "qkvo" for kind in ("weight", "bias")]
    return [[name, ours[name]] for name in order if name in ours]
