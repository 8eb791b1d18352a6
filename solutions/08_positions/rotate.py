"""Cases, oracle and variants of `rotate`."""

import math

import torch

from autograder.author import EVERY, Case, Exercise, Group

exercise = Exercise(
    "rotate",
    points=5,
    difficulty=3,
    minutes=35,
    returns=("the turned vectors",),
    read="08_positions.html#rotary-positions",
    groups=(
        Group(
            "angles in float64",
            1,
            cases=("far positions", "far positions of each row", "float64", "fractions in float64",
                   "far positions in half precision"),
        ),
    ),
)  # fmt: skip

TERMS = 8192  # an angle in float64 may be off in its last digits, and grows with the position


def drawn(rng, shape, positions, base=10000.0, dtype=torch.float32):
    """shape: of x, the last but one being the length."""
    return {"x": rng.normal(*shape, dtype=dtype), "positions": positions, "base": base}


@exercise.cases
def cases(rng):
    example = torch.tensor([[1.0, 0, 0, 1], [1, 0, 0, 1]])
    text = {"x": example, "positions": torch.tensor([0, 3]), "base": 10000.0}
    yield Case("the example of the text", text)
    yield Case("the first positions", drawn(rng, (2, 3, 5, 6), torch.arange(5)), gradient=True)
    some = rng.integers(0, 40, 7)
    yield Case("any positions in any order", drawn(rng, (3, 7, 8), some))
    own = rng.integers(0, 60, 2, 1, 4)
    yield Case("each row has positions of its own", drawn(rng, (2, 3, 4, 10), own))
    yield Case("another base", drawn(rng, (4, 8), torch.arange(2, 6), 500.0))
    fractions = torch.arange(6).double() * 0.375
    yield Case("positions that are no whole numbers", drawn(rng, (2, 6, 4), fractions))
    half = drawn(rng, (2, 4, 6), torch.arange(1, 5), dtype=torch.float16)
    yield Case("half precision", half)
    far = torch.tensor([1000003, 30011, 2**20, 524288])
    yield Case("far positions", drawn(rng, (2, 4, 16), far))


@exercise.secret_cases
def secret_cases(rng):
    length, width = rng.integer(5, 9), 2 * rng.integer(5, 9)
    own = rng.integers(0, 50, 2, 1, 1, length)
    yield Case("five axes", drawn(rng, (2, 1, 3, length, width), own), gradient=True)
    twice = rng.integers(1, 30, 4).repeat(2)
    yield Case("one pair, each position twice", drawn(rng, (3, 8, 2), twice))
    yield Case("one vector", drawn(rng, (1, 6), rng.integers(2, 9, 1), 100.0))
    same = rng.integers(0, 30, 4, 4, 4)
    yield Case("as many of everything", drawn(rng, (4, 4, 4, 4), same))
    near = drawn(rng, (2, 3, 8), torch.tensor([7, 0, 3]), 2.0e6, torch.float64)
    yield Case("float64", near, gradient=True, terms=TERMS)
    fractions = torch.arange(3).double() + 0.3  # which float32 would round
    exact = drawn(rng, (2, 3, 6), fractions, dtype=torch.float64)
    yield Case("fractions in float64", exact, terms=TERMS)
    brain = drawn(rng, (2, 5, 8), rng.integers(300, 3000, 2, 5), 1000.0, torch.bfloat16)
    yield Case("bfloat16", brain, gradient=True)
    far = rng.integers(2**17, 2**20, 3, 1, 4).double() + 0.2
    yield Case("far positions of each row", drawn(rng, (3, 2, 4, 12), far))
    rough = drawn(rng, (3, 4, 6), rng.integers(2**18, 2**20 + 1, 4), dtype=torch.float16)
    yield Case("far positions in half precision", rough)


exercise.promise(
    "queries or keys of float16", "one vector", "as many of everything", "half precision"
)
exercise.promise("Not changed.", EVERY)
exercise.promise("int64 or float64, each from 0", "one pair, each position twice")
exercise.promise(
    "Of shape (length,)", "any positions in any order", "each row has positions of its own"
)
exercise.promise("above 1.", "another base", "one vector", "bfloat16", "float64")
exercise.promise("x with entries 2r and 2r", EVERY)
exercise.promise("They are as exact as products", "far positions", "far positions of each row")
exercise.promise("Gradients reach x.", "the first positions", "five axes", "bfloat16")


@exercise.oracle
def a_matrix_for_each_position(x, positions, base):
    """Of d_k by d_k, with the angles of Python's floats."""

    def matrix(position):
        angles = [position / base ** (2 * r / x.size(-1)) for r in range(x.size(-1) // 2)]
        blocks = [[[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]] for a in angles]
        return torch.block_diag(*torch.tensor(blocks, dtype=torch.float64))

    vectors = x.reshape(-1, x.size(-1))
    each = positions.expand(x.shape[:-1]).flatten().tolist()
    turned = [matrix(t) @ vector for t, vector in zip(each, vectors, strict=True)]
    return torch.stack(turned).view_as(x)


@exercise.variant
def as_complex_numbers(x, positions, base):
    numbers = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    exponents = torch.arange(x.shape[-1] // 2, device=x.device).double() * 2 / x.shape[-1]
    phases = positions.double().unsqueeze(-1) * torch.pow(base, -exponents)
    product = numbers * torch.polar(torch.ones_like(phases), phases)
    return torch.view_as_real(product).reshape(x.shape).type_as(x)


@exercise.variant
def with_a_vector_turned_by_90_degrees(x, positions, base):
    width = x.shape[-1]
    column = torch.arange(width, device=x.device)
    rates = torch.exp(-math.log(base) * (column - column % 2).double() / width)
    theta = positions.unsqueeze(-1) * rates
    swapped = x.unflatten(-1, (width // 2, 2)).flip(-1).flatten(-2)
    quarter = torch.where(column % 2 == 0, -swapped, swapped)
    return x * torch.cos(theta).to(x.dtype) + quarter * torch.sin(theta).to(x.dtype)


@exercise.variant
def filled_pair_by_pair(x, positions, base):
    out = torch.zeros_like(x)
    for left in range(0, x.shape[-1], 2):
        angle = positions.to(torch.float64) * base ** -(left / x.shape[-1])
        c, s = torch.cos(angle).to(x), torch.sin(angle).to(x)
        a, b = x.select(-1, left), x.select(-1, left + 1)
        out[..., left] = a * c - b * s
        out[..., left + 1] = b * c + a * s
    return out


@exercise.variant
def as_halves_and_back(x, positions, base):
    n = x.size(-1) // 2
    halves = torch.cat((x[..., ::2], x[..., 1::2]), dim=-1).float()
    if x.dtype == torch.float64:
        halves = torch.cat((x[..., ::2], x[..., 1::2]), dim=-1)
    powers = torch.linspace(0, 1, n + 1, dtype=torch.float64, device=x.device)[:n]
    slow = positions.double()[..., None] * (1 / base) ** powers
    slow = torch.cat((slow, slow), dim=-1)
    other = torch.cat((-halves[..., n:], halves[..., :n]), dim=-1)
    turned = halves * slow.cos().to(halves.dtype) + other * slow.sin().to(halves.dtype)
    order = torch.arange(2 * n, device=x.device).view(2, n).T.reshape(-1)
    return turned[..., order].to(x.dtype)
