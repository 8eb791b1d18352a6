"""Cases, oracle and variants of `quantise`."""

import math

import torch

from autograder.author import EVERY, UNTRIED, Case, Exercise, Finite, Group

exercise = Exercise(
    "quantise",
    points=4,
    difficulty=2,
    minutes=20,
    returns=("the codes", "the scales"),
    read="10_next_token.html#int8-cache",
    properties=(Finite(),),
    groups=(
        Group(
            "half precision",
            1,
            cases=("float16", "bfloat16", "small in float16", "zeros in bfloat16"),
        ),
    ),
)


def draw(rng, shape, axis, dtype=torch.float32, between=0.3):
    """Numbers at most `between` of a step from whole steps: every way to divide rounds alike.

    The largest of each row along `axis` is 127 steps. Steps are powers of two.
    """
    codes = rng.integers(-126, 127, *shape).double()
    codes += between * (2 * (rng.integers(0, 1001, *shape).double() / 1000) - 1)
    codes = codes.movedim(axis, 0)
    largest = rng.integers(0, len(codes), *codes.shape[1:])
    signs = 2 * rng.integers(0, 2, *codes.shape[1:]) - 1
    codes.scatter_(0, largest[None], 127 * signs[None].double())
    codes *= 2.0 ** rng.integers(-9, 3, *codes.shape[1:])
    return {"keys": codes.movedim(0, axis).to(dtype).contiguous(), "axis": axis}


def small(rng, axis):
    """In float16 the scale of a row has four digits of two, and numbers are whole 2**-24."""
    inputs = draw(rng, (2, 5, 6), axis, torch.float64, 0.1)
    step = inputs["keys"].abs().amax(dim=axis, keepdim=True) / 127
    scales = 18.45 * 2.0**-24 * 1.06 ** rng.integers(0, 3, *step.shape)
    return {"keys": (inputs["keys"] / step * scales).half(), "axis": axis}


def far_apart(rng):
    """Rows that float32 cannot hold: too large, too small, with too many digits."""
    inputs = draw(rng, (4, 5, 6), -1, torch.float64)
    digits = 1 + rng.integers(0, 2**30, 4, 5, 1).double() / 2**30
    sizes = 2.0 ** torch.tensor([400.0, 0, -400, 0], dtype=torch.float64)
    inputs["keys"] *= digits * sizes[:, None, None]
    inputs["keys"][3] = 0
    return inputs


def example():
    keys = torch.tensor([[[127.0, -50, 3], [2.54, 1.28, -0.7]]])
    return {"keys": keys, "axis": -1}


def with_zeros(inputs):
    """One row along the axis is zeros, and the others have large scales."""
    inputs["keys"] *= 1024
    inputs["keys"].movedim(inputs["axis"], 0)[..., 0] = 0
    return inputs


def one_sign(inputs, sign):
    inputs["keys"] = sign * inputs["keys"].abs()
    return inputs


@exercise.cases
def cases(rng):
    yield Case("the example of the text", example())
    yield Case("one scale for each token", draw(rng, (2, 3, 5, 7), -1))
    yield Case("one scale for each channel", draw(rng, (2, 3, 5, 7), -2))
    yield Case("the axis of heads", draw(rng, (2, 4, 3, 6), 1))
    yield Case("a row of zeros", with_zeros(draw(rng, (2, 5, 6), -1)))
    yield Case("negative numbers", one_sign(draw(rng, (3, 4, 5), -1), -1))
    yield Case("float16", draw(rng, (2, 6, 5), -1, torch.float16, 0.2))


@exercise.secret_cases
def secret_cases(rng):
    shape = [rng.integer(3, 8) for _ in range(4)]
    for axis in (0, 1, 2, 3, -1, -4):
        yield Case(f"axis {axis}", draw(rng, shape, axis))
    yield Case("positive numbers", one_sign(draw(rng, (3, 6, 5), -2), 1))
    zeros = torch.zeros(2, 3, 4, dtype=torch.bfloat16)
    yield Case("zeros in bfloat16", {"keys": zeros, "axis": -1})
    yield Case("zeros in a channel", with_zeros(draw(rng, (2, 5, 6), -2)))
    yield Case("float64", far_apart(rng))
    yield Case("small in float16", small(rng, -1))
    yield Case("bfloat16", draw(rng, (2, 5, 6), -2, torch.bfloat16, 0.0))
    yield Case("one axis", draw(rng, (9,), 0))
    yield Case("as many of everything", draw(rng, (4, 4, 4), -2))


exercise.promise("float16, bfloat16, float32", "float16", "bfloat16", "float64", "one axis")
exercise.promise("They are not changed.", EVERY)
exercise.promise(
    "entries along it share", "axis 0", "axis 3", "axis -1", "axis -4", "one scale for each channel"
)
exercise.promise(
    "int8, each the entry", "one scale for each token", "negative numbers", "small in float16"
)
exercise.promise("No entry lies half-way", UNTRIED)
exercise.promise(
    "the largest absolute", "one scale for each token", "negative numbers", "positive numbers"
)
exercise.promise(
    "Where all entries along", "a row of zeros", "zeros in bfloat16", "zeros in a channel"
)
exercise.promise("Both are on the device", EVERY)
exercise.promise("They need not carry", UNTRIED)


@exercise.oracle
def number_by_number(keys, axis):
    """In plain Python, one row along the axis at a time."""
    rows = keys.double().movedim(axis, -1)
    codes = torch.empty(rows.shape, dtype=torch.int8)
    scales = torch.empty((*rows.shape[:-1], 1), dtype=torch.float64)
    flat = zip(rows.reshape(-1, rows.size(-1)).tolist(), range(scales.numel()), strict=True)
    for row, at in flat:
        scale = max(abs(x) for x in row) / 127
        scales.view(-1)[at] = scale
        codes.view(-1, len(row))[at] = torch.tensor([round(x / scale) if scale else 0 for x in row])
    return codes.movedim(-1, axis), scales.movedim(-1, axis)


@exercise.variant
def by_amax(keys, axis):
    """As wide as it has to be."""
    wide = keys.float() if keys.element_size() == 2 else keys
    scale = wide.abs().amax(dim=axis, keepdim=True) / 127
    codes = (wide / scale.masked_fill(scale == 0, 1.0)).round()
    return codes.to(torch.int8), scale.to(keys.dtype)


@exercise.variant
def steps_in_one_unit(keys, axis):
    x = keys.to(torch.float64)
    most = torch.maximum(x.amax(axis, True), -x.amin(axis, True))
    codes = torch.floor(torch.where(most > 0, 127 * x / most, 0.0) + 0.5)
    return codes.char(), (most / 127).to(keys.dtype)


@exercise.variant
def by_the_norm(keys, axis):
    wide = keys.to(torch.promote_types(keys.dtype, torch.float32))
    scale = torch.linalg.vector_norm(wide, ord=math.inf, dim=axis, keepdim=True).div(127.0)
    codes = torch.nan_to_num(wide / scale).round().clamp(-127, 127)
    return codes.to(dtype=torch.int8), scale.type(keys.dtype)
