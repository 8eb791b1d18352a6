"""Claim 53: how exact is the running softmax, by the size of the scores, in three dtypes?

One query and 2,048 keys, in pieces of 64, against the formula in float64 on the same rounded
scores and values. Beside it, attention at once in the same dtype, which is the floor; the running
form that adds up and keeps its sums in float32, though each exponential is rounded to the dtype;
and the running form without the largest score, which overflows. And: does it matter in which order
pieces are merged?
"""

import math

import torch
from measurements import Number, Numbers, Series, number, run_and_save
from pieces_attention import Partial, merge
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
QUERIES, KEYS, CHUNK, WIDTH = 32, 2048, 64, 64
SIZES = (0.25, 1, 4, 16, 64, 256)  # standard deviations of the scores
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
FORMS = ("at once", "running", "running, sums in float32", "without a maximum")
KEYED = ("once", "running", "wide", "naive")  # the same, in the names of numbers

CLAIMS = [
    claim(
        53,
        "The normaliser of a softmax can be computed while the scores pass by, as safely as with "
        "the largest known beforehand; pieces may be joined in any order.",
        "Scores with standard deviations from 0.25 to 256, {keys} keys: no output is infinite or "
        "NaN in float32, bfloat16 or float16; without the largest score, {naive_fine_float32} are "
        "finite in float32 at 256. In float32 the error is at most "
        "{worst_float32} of the output's size, at once {worst_once_float32}. Ten orders of merging "
        "differ by {order_float64} in float64 and by {order_float32} in float32. In bfloat16 with "
        "sums in bfloat16 the running form loses more: {running_bfloat16_1} of the output, at once "
        "{once_bfloat16_1}.",
        "holds if",
        "the sums are kept in float32",
        scope="32 random queries, 2,048 keys in 32 pieces, values 64 wide, computed on a CPU",
        control="Rounding of the inputs could cause the loss in bfloat16. With the same inputs "
        "and exponentials, but sums in float32, the error is {wide_bfloat16_1}.",
        stands=lambda n: (
            n.lost == 0
            and n.naive_fine_float32 < 0.5
            and n.order_float64 < 1e-13
            and n.running_bfloat16_1 > 2 * n.once_bfloat16_1
            and n.wide_bfloat16_1 < 1.5 * n.once_bfloat16_1
        ),
    )
]


def piece(scores: Tensor, value: Tensor, maximum: Tensor, sums: torch.dtype) -> Partial:
    """The exponentials are in the dtype of the scores; `sums` is that of what is added up."""
    exp_scores = (scores - maximum).exp().to(sums)
    # the product of a row of exponentials with the values adds up in the dtype that it is given
    total = exp_scores.sum(dim=-1, keepdim=True)
    return Partial(maximum.to(sums), total, exp_scores @ value.to(sums))


def pieces(
    scores: Tensor, value: Tensor, sums: torch.dtype | None = None, safe: bool = True
) -> list[Partial]:
    found = []
    for part, values in zip(scores.split(CHUNK, dim=-1), value.split(CHUNK), strict=True):
        maximum = part.amax(dim=-1, keepdim=True)
        from_each = maximum if safe else torch.zeros_like(maximum)
        found.append(piece(part, values, from_each, sums or scores.dtype))
    return found


def in_order(parts: list[Partial]) -> Tensor:
    """Merged one after the other, and divided at the end."""
    state = parts[0]
    for part in parts[1:]:
        state = merge(state, part)
    return state.summed / state.total


def form(name: str, scores: Tensor, value: Tensor) -> Tensor:
    if name == "at once":
        return scores.softmax(dim=-1) @ value
    if name == "running":
        return in_order(pieces(scores, value))
    if name == "without a maximum":
        return in_order(pieces(scores, value, safe=False))
    return in_order(pieces(scores, value, sums=torch.float32)).to(scores.dtype)


def example(size: float, dtype: torch.dtype, seed: int) -> tuple[Tensor, Tensor]:
    """Scores of this standard deviation, and values around 1, so that no output is near zero."""
    rng = torch.Generator().manual_seed(seed)
    scores = size * torch.randn(QUERIES, KEYS, generator=rng, dtype=torch.float64)
    value = 1 + torch.randn(KEYS, WIDTH, generator=rng, dtype=torch.float64)
    return scores.to(dtype), value.to(dtype)


def errors(size: float, dtype: torch.dtype, seed: int) -> dict[str, tuple[float, float]]:
    """Of each form: the share of finite outputs, and the error of those beside their size."""
    scores, value = example(size, dtype, seed)
    right = scores.double().softmax(dim=-1) @ value.double()
    found = {}
    for name in FORMS:
        output = form(name, scores, value).double()
        fine = output.isfinite()
        missed = (output - right)[fine].norm() / right[fine].norm() if fine.any() else math.nan
        found[name] = (fine.double().mean().item(), float(missed))
    return found


def order(dtype: torch.dtype, seed: int) -> float:
    """How far the outputs of ten orders of merging lie apart, beside their size."""
    scores, value = example(4, dtype, seed)
    parts = pieces(scores, value)
    rng = torch.Generator().manual_seed(seed)
    orders = [torch.randperm(len(parts), generator=rng).tolist() for _ in range(9)]
    outputs = [in_order([parts[at] for at in one]) for one in orders] + [in_pairs(parts)]
    stacked = torch.stack(outputs)
    return ((stacked.amax(0) - stacked.amin(0)).norm() / stacked[0].norm()).item()


def in_pairs(parts: list[Partial]) -> Tensor:
    """Merged as a tree, as machines that work side by side would."""
    while len(parts) > 1:
        parts = [merge(one, other) for one, other in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0].summed / parts[0].total


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {"keys": number(KEYS, ",d"), "pieces": number(KEYS // CHUNK, "d")}
    series: Series = {"sizes": list(SIZES), "error": {}, "finite": {}}
    for label, dtype in DTYPES.items():
        runs = [[errors(size, dtype, seed) for size in SIZES] for seed in SEEDS]
        for at, kind in enumerate(("finite", "error")):
            series[kind][label] = {
                name: [[one[name][at] for one in run] for run in runs] for name in FORMS
            }
        numbers |= of_dtype(label, series)
    kept = [series["finite"][label][name] for label in DTYPES for name in FORMS[:3]]
    numbers["lost"] = number(sum(one < 1 for of_form in kept for run in of_form for one in run))
    for label, dtype in (("float64", torch.float64), *DTYPES.items()):
        numbers[f"order_{label}"] = number(max(order(dtype, seed) for seed in SEEDS), ".0e")
    return numbers, series


def of_dtype(label: str, series: Series) -> Numbers:
    """Errors at some sizes, the largest over all, and what is finite without the largest score."""
    numbers: Numbers = {}
    error, finite = series["error"][label], series["finite"][label]
    for key, name in zip(KEYED, FORMS, strict=True):
        for at, size in enumerate(SIZES):
            if key != "naive" and size in (1, 64):
                numbers[f"{key}_{label}_{size}"] = percent([run[at] for run in error[name]])
    numbers[f"worst_{label}"] = number(max(map(max, error["running"])), ".0e")
    numbers[f"worst_once_{label}"] = number(max(map(max, error["at once"])), ".0e")
    for size, name in ((SIZES[-1], "fine"), (4, "fine_4"), (16, "fine_16")):
        left = [run[SIZES.index(size)] for run in finite["without a maximum"]]
        numbers[f"naive_{name}_{label}"] = number(left, ".0%")
    return numbers


def percent(sample: list[float]) -> Number:
    return number(sample, ".2%") if max(sample) > 1e-4 else number(max(sample), ".0e")


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
