"""Claims 14 and 15: is filling the masked scores with -1e9, or with -inf, enough?

Three queries, three keys; the second query may attend to nothing. Everything is exact or small
enough to run again in a second.
"""

import math

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from verdicts import claim

SEEDS = range(5)
DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
MASK = torch.tensor([[1, 0, 0], [0, 0, 0], [1, 1, 1]]).bool()  # True = may attend
EMPTY, KEPT = 1, [0, 2]  # the row without a key, and the rows that the loss is taken over
REPAIRS = ("none", "weights", "output")

CLAIMS = [
    claim(
        14,
        "Filling masked scores with −1e9 is enough.",
        "In {raising} the fill raises an error. A query with no key to attend to gives the "
        "forbidden keys a total weight of {forbidden_weight}. Added to float64 scores instead of "
        "filled in, it leaves that row's weights as if there were no mask (they differ by at most "
        "{float64_change}).",
        "holds if",
        "the scores are not float16 and every query has a key",
        scope="computed for three queries and three keys in four dtypes",
        control="The fill could also change rows that have a key: a test compares them with −inf, "
        "and their weights are exactly the same. In the row without a key, the output is the plain "
        "average of the values within {from_average}.",
        stands=lambda n: n.raising == "float16" and n.forbidden_weight > 0.99,
    ),
    claim(
        15,
        "Filling masked scores with −inf is enough.",
        "{nan_output} of an empty row's outputs are NaN. With the loss taken over the other rows "
        "only, one step of gradient descent still turns {nan_parameters_fill} of the layer's "
        "weights into NaN, and {nan_parameters_add} where the mask is added to the scores.",
        "holds if",
        "every query has a key",
        scope="three queries and three keys, a layer 4 wide, one step of gradient descent",
        control="The empty row's own loss could bring in the NaN: the loss leaves this row out.",
        stands=lambda n: n.nan_output == 1 and n.nan_parameters_fill > 0,
    ),
]


def fill_raises(dtype: torch.dtype) -> bool:
    try:
        torch.zeros(3, 3, dtype=dtype).masked_fill(~MASK, -1e9)
    except RuntimeError:
        return True
    return False


def tensors(seed: int, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    """query, key, value, each [3, 4]."""
    rng = torch.Generator().manual_seed(seed)
    made = [torch.randn(3, 4, generator=rng).to(dtype) for _ in range(3)]
    return [tensor.requires_grad_() for tensor in made]


def attend(query: Tensor, key: Tensor, value: Tensor, how: str, repair: str) -> Tensor:
    """Attention with -inf, filled in or added, and `nan_to_num` in one place or in none."""
    scores = query @ key.mT / math.sqrt(query.size(-1))  # [queries, keys]
    if how == "fill":
        scores = scores.masked_fill(~MASK, -math.inf)
    else:
        scores = scores + torch.zeros(3, 3).masked_fill(~MASK, -math.inf)
    weights = scores.softmax(dim=-1)
    output = (weights.nan_to_num() if repair == "weights" else weights) @ value
    return output.nan_to_num() if repair == "output" else output


def nan_places(how: str, repair: str, seed: int = 0) -> list[str]:
    """Which of output and gradients hold a NaN when the loss leaves the empty row out."""
    query, key, value = tensors(seed)
    output = attend(query, key, value, how, repair)
    gradients = torch.autograd.grad(output[KEPT].sum(), (query, key, value))
    named = zip(("output", "query", "key", "value"), (output, *gradients), strict=True)
    return [name for name, tensor in named if tensor.isnan().any()]


def nan_parameters(how: str, seed: int) -> tuple[float, list[str]]:
    """Share of a layer's weights that are NaN after one step, and the projections they are in."""
    torch.manual_seed(seed)
    W_q, W_k, W_v, W_o = layers = nn.ModuleList(nn.Linear(4, 4, bias=False) for _ in range(4))
    x = torch.randn(3, 4)  # [queries, d_model]
    output = W_o(attend(W_q(x), W_k(x), W_v(x), how, "none"))
    parameters = list(layers.parameters())
    gradients = torch.autograd.grad(output[KEPT].sum(), parameters)
    pairs = zip(parameters, gradients, strict=True)
    stepped = [(weight - 0.1 * slope).isnan().flatten() for weight, slope in pairs]
    share = torch.cat(stepped).float().mean().item()
    names = ("W_q", "W_k", "W_v", "W_o")
    return share, [name for name, nans in zip(names, stepped, strict=True) if nans.any()]


def empty_row(seed: int) -> dict[str, float]:
    """The row without a key, its scores replaced by -1e9 or lowered by it."""
    query, key, value = tensors(seed)
    scores = (query @ key.mT / 2).detach()  # [queries, keys]
    weights = scores.masked_fill(~MASK, -1e9).softmax(dim=-1)[EMPTY]  # [keys]
    lowered = (scores.double() - 1e9 * ~MASK).softmax(dim=-1)[EMPTY]
    output = attend(query, key, value, "fill", "none")[EMPTY]
    return {
        "forbidden_weight": weights[~MASK[EMPTY]].sum().item(),
        "from_average": (weights @ value - value.mean(dim=0)).abs().max().item(),
        "float64_change": (lowered - scores.double().softmax(dim=-1)[EMPTY]).abs().max().item(),
        "nan_output": output.isnan().float().mean().item(),
    }


def measure() -> tuple[Numbers, Series]:
    """The numbers and the table of NaN places."""
    rows = [empty_row(seed) for seed in SEEDS]
    raising = [str(d).removeprefix("torch.") for d in DTYPES if fill_raises(d)]
    numbers = {
        "raising": number(", ".join(raising)),
        "forbidden_weight": number([row["forbidden_weight"] for row in rows], ".2f"),
        "from_average": number(max(row["from_average"] for row in rows), ".0e"),
        "float64_change": number(max(row["float64_change"] for row in rows), ".0e"),
        "nan_output": number([row["nan_output"] for row in rows], ".0%"),
    }
    for how in ("fill", "add"):
        stepped = [nan_parameters(how, seed) for seed in SEEDS]
        numbers[f"nan_parameters_{how}"] = number([share for share, _ in stepped], ".0%")
        numbers[f"nan_layers_{how}"] = number(" and ".join(stepped[0][1]))
    places = {how: {fix: nan_places(how, fix) for fix in REPAIRS} for how in ("fill", "add")}
    return numbers, {"nan_places": places}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
