"""Cases, oracle and known mistakes of `from_torch`.

State dicts travel as lists of (name, tensor): the engine copies, moves and compares lists.
"""

import torch

from autograder.author import EVERY, UNTRIED, Case, Exercise

exercise = Exercise(
    "from_torch",
    points=4,
    difficulty=3,
    minutes=20,
    returns=("the pairs",),
    read="05_multi_head.html#pytorch-s-packed-weights",
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


exercise.promise("pairs of a name and a tensor", "separate with biases", "separate without biases")
exercise.promise("There are no `bias_k`", UNTRIED)
exercise.promise("Of any floating dtype.", "half precision")
exercise.promise("Neither the list nor", EVERY)
exercise.promise("Pairs of a name and a tensor", "packed with biases", "packed without biases")
exercise.promise("Each tensor has the shape", "only the values differ", "only the keys differ")


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
