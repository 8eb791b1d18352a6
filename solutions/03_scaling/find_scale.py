"""Specimens, oracle and variants of `find_scale`."""

import math

import torch

from autograder.author import EVERY, UNTRIED, Case, Exercise, Specimen

exercise = Exercise(
    "find_scale",
    points=5,
    difficulty=4,
    minutes=30,
    returns=("the scale",),
    read="03_scaling.html#the-formula",
)


TERMS = 1_200_000


LIBRARY = "F.scaled_dot_product_attention(query, key, value, scale={scale})"


PLAIN = "torch.softmax(query @ key.mT * ({scale}), dim=-1) @ value"


QUERY_FIRST = "torch.softmax((query * ({scale})) @ key.mT, dim=-1) @ value"


BOTH = "torch.softmax((query * ({scale})**0.5) @ (key * ({scale})**0.5).mT, dim=-1) @ value"


EXPONENTIALS = """(lambda e: e @ value / e.sum(-1, keepdim=True))(
        ((query @ (key - key[..., :1, :]).mT) * ({scale})).exp())"""


CENTRED = "torch.softmax(query @ (key - key.mean(-2, True)).mT * ({scale}), dim=-1) @ value"


SINGLE = "(torch.softmax(query.float() @ key.float().mT * ({scale}), -1) @ value.float()).to(value)"


WIDTH = "query.size(-1)"


def specimen(name, d_k, scale, output=PLAIN):
    source = f"def attend(query, key, value):\n    return {output.format(scale=scale)}\n"
    return Case(name, {"attention": Specimen(source), "d_k": d_k}, terms=TERMS)


@exercise.cases
def cases(rng):
    yield specimen("one over the root of d_k", 16, f"{WIDTH}**-0.5", LIBRARY)
    yield specimen("one over d_k", 12, f"1 / {WIDTH}")
    yield specimen("no scale", 5, "1.0")
    yield specimen("one over the root of d_model", 8, "1 / math.sqrt(64)", QUERY_FIRST)
    yield specimen("a number of its own, and width 1", 1, "0.3", CENTRED)
    yield specimen("a scale of 2 and wide queries", 512, "2.0", LIBRARY)
    yield specimen("a large scale", 32, "3.2", BOTH)
    yield specimen("a small scale", 9, "0.004", EXPONENTIALS)


@exercise.secret_cases
def secret_cases(rng):
    d_k, heads = rng.integer(3, 40), rng.integer(2, 9)
    own, large, small = (rng.integer(low, high) / 1000
                         for low, high in ((40, 900), (1700, 4000), (2, 9)))  # fmt: skip
    yield specimen("the root, in two halves", d_k, f"{WIDTH}**-0.5", BOTH)
    yield specimen("of several heads", d_k, f"1 / math.sqrt({heads * d_k})")
    yield specimen("one number", d_k + 1, own, EXPONENTIALS)
    yield specimen("a number above 1, wide", 500 + heads, large, LIBRARY)
    yield specimen("hardly any", d_k + 3, small, CENTRED)
    yield specimen("one number, the query first", d_k, own / 2, QUERY_FIRST)
    yield specimen("the root times d_k", 4, f"{WIDTH}**0.5", CENTRED)
    yield specimen("computed in float32", 10 * heads, f"{WIDTH}**-0.5", SINGLE)
    yield specimen("one over d_k, wide", 256 + heads, f"1 / {WIDTH}", LIBRARY)


exercise.promise("called as attention(query, key, value)", EVERY)
exercise.promise("It accepts any numbers", "computed in float32", "no scale")
exercise.promise(
    "The output is softmax(scale * query @ key.mT)", "a small scale", "the root, in two halves"
)
exercise.promise("There is no mask.", EVERY)
exercise.promise(
    "the width of queries", "a number of its own, and width 1", "a scale of 2 and wide queries"
)
exercise.promise("Give it this width", "one over the root of d_k", "one over the root of d_model")
exercise.promise(
    "The scale, a Python", "a number of its own, and width 1", "one number", "hardly any"
)
exercise.promise(
    "It lies between 0.002 and 4.", "a small scale", "hardly any", "a number above 1, wide"
)
exercise.promise("Keep it quick: one call", EVERY)
exercise.promise("All implementations together", UNTRIED)


@exercise.oracle
def slope_at_zero(attention, d_k):
    """Two keys, values 1 and 0: at equal scores the output rises by a quarter per unit of score."""
    query = torch.zeros(1, 1, d_k, dtype=torch.float64, requires_grad=True)
    key = torch.zeros(1, 2, d_k, dtype=torch.float64)
    key[0, 0, -1] = 1
    value = torch.tensor([[[1.0], [0.0]]], dtype=torch.float64)
    (slope,) = torch.autograd.grad(attention(query, key, value).sum(), query)
    return float(4 * slope[0, 0, -1])


@exercise.variant
def logit_of_one_output(attention, d_k):
    query, key = torch.full((1, 1, d_k), 0.5 / d_k), torch.zeros(1, 2, d_k)
    key[:, 1] = 2.0
    share = attention(query.double(), key.double(), torch.tensor([[[0.0], [1.0]]]).double())
    return torch.logit(share).item()


@exercise.variant
def bisection(attention, d_k):
    query, key = torch.eye(1, d_k).double(), torch.stack([torch.eye(1, d_k)[0], torch.zeros(d_k)])
    seen, low, high = attention(query, key.double(), torch.eye(2).double())[0, 0], 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if 1 / (1 + math.exp(-middle)) < seen else (low, middle)
    return (low + high) / 2


@exercise.variant
def least_squares(attention, d_k):
    generator = torch.Generator().manual_seed(5)
    query = torch.randn(2, 4, d_k, generator=generator, dtype=torch.float64) / d_k
    key = torch.randn(2, 7, d_k, generator=generator, dtype=torch.float64)
    logs = attention(query, key, torch.eye(7, dtype=torch.float64).expand(2, 7, 7)).log()
    dots = query @ key.mT
    logs, dots = (x - x.mean(-1, keepdim=True) for x in (logs, dots))
    return ((logs * dots).sum() / dots.square().sum()).item()


@exercise.variant
def single_precision(attention, d_k):
    query = torch.zeros(1, d_k)
    query[0, -1] = 1
    out = attention(query, torch.cat([query, -query]), torch.eye(2))
    return float(out[0, 0].log() - out[0, 1].log()) / 2
