"""Cases, oracle and variants of `rank_one_residual`."""

import torch

from autograder.author import EVERY, UNTRIED, Case, Exercise, Finite

exercise = Exercise(
    "rank_one_residual",
    points=3,
    difficulty=2,
    minutes=20,
    returns=("the distances",),
    read="07_block.html#rank-one",
    properties=(Finite(),),
)

# So many terms allow an error of 1 % in float32, as the text does where tokens are nearly equal.
ROUGHLY = 10**8


def nearly_equal(rng, *shape, dtype=torch.float32):
    """Tokens around 64, a few times 2**-13 apart: the mean of 4 of them is exact in float32."""
    token = 64 + rng.integers(0, 5, *shape[:-2], 1, shape[-1])
    return (token + rng.integers(-3, 4, *shape).double() / 2**13).to(dtype)


@exercise.cases
def cases(rng):
    yield Case("the first sequence of the text", {"x": torch.tensor([[3.0, 0], [1, 0]])})
    yield Case("the second sequence of the text", {"x": torch.tensor([[1.0, 2], [-1, -2]])})
    yield Case("one sequence", {"x": rng.normal(5, 3) + 0.5})
    spread = torch.tensor([0.3, 3.0])[:, None, None]
    yield Case("two sequences", {"x": rng.normal(2, 4, 6) * spread + 0.7})
    yield Case("layers and sequences", {"x": rng.normal(2, 3, 5, 4) + rng.normal(2, 3, 1, 4)})
    zero = rng.normal(3, 4, 5)
    zero[1], zero[2] = 0, zero[2] * 1e-10
    yield Case("a sequence of zeros, and a tiny one", {"x": zero})
    yield Case("nearly equal tokens", {"x": nearly_equal(rng, 2, 4, 6)}, terms=ROUGHLY)
    large = rng.integers(-30000, 30001, 2, 6, 6).to(torch.float16)  # their sizes do not fit
    yield Case("large entries in half precision", {"x": large})
    # squares of so few binary digits add up exactly, in whatever order a processor adds them
    one = 64 + rng.integers(0, 16, 2, 1, 3) / 16
    two = torch.cat([one, one + 1 / 16], dim=1).to(torch.float16)  # neighbours in float16
    yield Case("nearly equal tokens in half precision", {"x": two})
    small = (rng.normal(2, 4, 3) / 4000).to(torch.float16)
    yield Case("small entries in half precision", {"x": small})


@exercise.secret_cases
def secret_cases(rng):
    length, width = rng.integer(5, 9), rng.integer(9, 14)
    yield Case("other sizes", {"x": rng.normal(3, length, width) + rng.normal(1, 1, width)})
    yield Case("a batch of one sequence", {"x": rng.normal(1, 1, length, 4) + 0.3})
    yield Case("as many tokens as features", {"x": rng.normal(2, width, width) + 1})
    one = rng.normal(3, 1, 4)
    yield Case("sequences of one token", {"x": one.round(decimals=1)})
    yield Case("tokens of one feature", {"x": rng.normal(2, length, 1) + 1})
    double = {"x": 1 + rng.normal(2, length, 3, dtype=torch.float64) / 2**17}
    yield Case("nearly equal tokens in float64", double, terms=ROUGHLY**2)
    equal = rng.normal(2, 4, width)
    equal[0] = equal[0, :1].round()
    yield Case("all tokens of a sequence are equal", {"x": equal})
    yield Case("all is zero", {"x": torch.zeros(4, 3)})


exercise.promise(
    "tokens of float16, float32", "one sequence", "layers and sequences", "a batch of one sequence"
)
exercise.promise("The tokens may be equal", "nearly equal tokens", "nearly equal tokens in float64")
exercise.promise(
    "The squares of entries", "large entries in half precision", "small entries in half precision"
)
exercise.promise("Not changed.", EVERY)
exercise.promise("for each sequence a number", "the first sequence of the text")
exercise.promise("It need not carry gradients.", UNTRIED)


@exercise.oracle
def sequence_by_sequence(x):
    found = []
    for tokens in x.reshape(-1, *x.shape[-2:]):
        mean = sum(tokens) / len(tokens)
        rest = torch.stack([token - mean for token in tokens])
        size = torch.sum(tokens**2).sqrt()
        found.append(torch.sum(rest**2).sqrt() / size if size else size)
    return torch.stack(found).reshape(x.shape[:-2])


@exercise.variant
def by_a_projection(x):
    n, kind = x.shape[-2], torch.promote_types(x.dtype, torch.float32)
    matrix = torch.eye(n, dtype=kind, device=x.device) - 1.0 / n
    values = x.to(kind)
    top = torch.linalg.matrix_norm(matrix @ values)
    bottom = torch.linalg.matrix_norm(values)
    return torch.where(bottom > 0, top / bottom, torch.zeros_like(top)).to(x.dtype)


@exercise.variant
def in_float64(x):
    tokens = x.double()
    centred = tokens - tokens.mean(-2, keepdim=True)
    ratio = centred.pow(2).sum((-1, -2)) / tokens.pow(2).sum((-1, -2))
    return ratio.nan_to_num(0.0).sqrt().to(x.dtype)


@exercise.variant
def from_the_variances(x):
    tokens = x if x.dtype == torch.float64 else x.float()
    around_the_mean = tokens.var(dim=-2, correction=0).sum(dim=-1)
    around_zero = torch.square(tokens).mean(dim=-2).sum(dim=-1)
    whole = torch.where(around_zero == 0, torch.ones_like(around_zero), around_zero)
    return torch.sqrt(around_the_mean / whole).type(x.dtype)


@exercise.variant
def from_all_pairs(x):
    values = x.to(torch.promote_types(torch.float32, x.dtype))
    apart = values.unsqueeze(-2) - values.unsqueeze(-3)  # (..., length, length, d_model)
    total = apart.pow(2).sum(dim=(-3, -2, -1)) / (2 * x.size(-2))
    return (total / values.pow(2).sum(dim=(-2, -1)).clamp(min=1e-37)).sqrt().to(x.dtype)
