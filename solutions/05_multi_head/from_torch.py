"""Cases, oracle and known mistakes of `from_torch`.

State dicts travel as lists of (name, tensor): the engine copies, moves and compares lists.
"""

import torch

from autograder.spec import Case, Exercise

exercise = Exercise(
    "from_torch",
    points=4,
    difficulty=3,
    minutes=20,
    returns=("the pairs",),
    read="05_multi_head.html",
)


def case(rng, name, d_model, widths=None, bias=True, order=None, dtype=torch.float32):
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
    items = [(key, rng.normal(*shape, dtype=dtype)) for key, shape in shapes.items()]
    return Case(name, {"items": items[:: order or 1]})


@exercise.cases
def cases(rng):
    yield case(rng, "packed, with biases", 6)
    yield case(rng, "packed, without biases", 4, bias=False)
    yield case(rng, "separate, with biases", 6, (5, 3))
    yield case(rng, "separate, without biases", 4, (4, 7), bias=False)
    yield case(rng, "packed, in another order", 3, order=-1)


@exercise.secret_cases
def secret_cases(rng):
    d_model, kdim, vdim = rng.integer(5, 9), rng.integer(9, 12), rng.integer(2, 5)
    yield case(rng, "separate, in another order", d_model, (kdim, vdim), order=-1)
    yield case(rng, "only the values differ", d_model, (d_model, vdim))
    yield case(rng, "only the keys differ", d_model, (kdim, d_model), bias=False)
    yield case(rng, "packed, wide, float64", 24, dtype=torch.float64)
    yield case(rng, "packed, half precision, no biases", d_model, None, False, None, torch.float16)


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


@exercise.misconception(
    "The rows of the packed matrix are in another order than you think. Which of the three comes "
    "first, and which second?"
)
def takes_the_keys_first(items):
    theirs, ours = dict(items), {}
    for name, place in (("q", 1), ("k", 0), ("v", 2)):
        weight = theirs.get(f"{name}_proj_weight")
        if weight is None:
            weight = theirs["in_proj_weight"].chunk(3)[place]
        ours[f"W_{name}.weight"] = weight
        if "in_proj_bias" in theirs:
            ours[f"W_{name}.bias"] = theirs["in_proj_bias"].chunk(3)[place]
    ours["W_o.weight"] = theirs["out_proj.weight"]
    if "out_proj.bias" in theirs:
        ours["W_o.bias"] = theirs["out_proj.bias"]
    return list(ours.items())


@exercise.misconception(
    "You transpose the weights. Does `nn.Linear` keep its weight as (in, out) or as (out, in), and "
    "how does `nn.MultiheadAttention`?"
)
def transposes_the_weights(items):
    theirs, ours = dict(items), {}
    for place, name in enumerate("qkv"):
        if "in_proj_weight" in theirs:
            ours[f"W_{name}.weight"] = theirs["in_proj_weight"].chunk(3)[place].T
        else:
            ours[f"W_{name}.weight"] = theirs[f"{name}_proj_weight"].T
        if "in_proj_bias" in theirs:
            ours[f"W_{name}.bias"] = theirs["in_proj_bias"].chunk(3)[place]
    ours["W_o.weight"] = theirs["out_proj.weight"].T
    if "out_proj.bias" in theirs:
        ours["W_o.bias"] = theirs["out_proj.bias"]
    return list(ours.items())


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
        packed = "in_proj_weight" in theirs
        weight = theirs["in_proj_weight" if packed else f"{name}_proj_weight"]
        weight = weight.chunk(3)[place] if packed else weight
        ours += [(f"W_{name}.weight", weight)]
        ours += [(f"W_{name}.bias", theirs["in_proj_bias"].chunk(3)[place])]
    ours += [("W_o.weight", theirs["out_proj.weight"]), ("W_o.bias", theirs["out_proj.bias"])]
    return ours


@exercise.misconception(
    "Layers with separate projections raise. With other widths of keys or values there is no "
    "`in_proj_weight`: which three names stand for it?"
)
def expects_packed_weights(items):
    theirs, ours = dict(items), []
    for place, name in enumerate("qkv"):
        ours += [(f"W_{name}.weight", theirs["in_proj_weight"].chunk(3)[place])]
        if "in_proj_bias" in theirs:
            ours += [(f"W_{name}.bias", theirs["in_proj_bias"].chunk(3)[place])]
    ours += [("W_o.weight", theirs["out_proj.weight"])]
    return ours + [("W_o.bias", b) for n, b in items if n == "out_proj.bias"]


@exercise.misconception(
    "The biases are missing. Where does `nn.MultiheadAttention` keep those of query, key and "
    "value, and where that of the output?"
)
def forgets_the_biases(items):
    theirs, ours = dict(items), []
    for place, name in enumerate("qkv"):
        packed = "in_proj_weight" in theirs
        weight = theirs["in_proj_weight" if packed else f"{name}_proj_weight"]
        ours += [(f"W_{name}.weight", weight.chunk(3)[place] if packed else weight)]
    return [*ours, ("W_o.weight", theirs["out_proj.weight"])]


@exercise.misconception(
    "Where a layer has no biases you make some up. Our module without biases has no place to load "
    "them into: leave them out."
)
def makes_up_zeros_for_biases(items):
    theirs, ours = dict(items), {}
    width = len(theirs["out_proj.weight"])
    biases = theirs.get("in_proj_bias", torch.zeros(3 * width))
    for place, name in enumerate("qkv"):
        packed = theirs.get("in_proj_weight")
        weight = theirs[f"{name}_proj_weight"] if packed is None else packed.chunk(3)[place]
        ours[f"W_{name}.weight"] = weight
        ours[f"W_{name}.bias"] = biases.chunk(3)[place]
    ours["W_o.weight"] = theirs["out_proj.weight"]
    ours["W_o.bias"] = theirs.get("out_proj.bias", torch.zeros(width))
    return list(ours.items())


@exercise.misconception(
    "You took every third row of the packed matrix for the query. They lie in three blocks: first "
    "all rows of the query, then all of the key."
)
def takes_every_third_row(items):
    theirs, ours = dict(items), {}
    for place, name in enumerate("qkv"):
        packed = theirs.get("in_proj_weight")
        weight = theirs[f"{name}_proj_weight"] if packed is None else packed[place::3]
        ours[f"W_{name}.weight"] = weight
        if "in_proj_bias" in theirs:
            start = 0 if packed is None else place
            bias = theirs["in_proj_bias"]
            ours[f"W_{name}.bias"] = bias.chunk(3)[place] if packed is None else bias[start::3]
    ours["W_o.weight"] = theirs["out_proj.weight"]
    if "out_proj.bias" in theirs:
        ours["W_o.bias"] = theirs["out_proj.bias"]
    return list(ours.items())


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
