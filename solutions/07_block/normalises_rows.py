"""Specimens, oracle and variants of `normalises_rows`."""

import torch

from autograder.author import EVERY, Case, Exercise, Specimen

exercise = Exercise(
    "normalises_rows",
    points=5,
    difficulty=4,
    minutes=30,
    returns=("the answer",),
    read="07_block.html#layer-norm",
)

RIGHT = "F.layer_norm(x, x.shape[-1:])"


def specimen(name, output, before="pass", after="pass"):
    """A norm as source: what it does first, what it returns, and what it does to that."""
    lines = [
        "def rows(x, dims, correction=0, eps=1e-5):",
        "    root = (x.var(dims, correction=correction, keepdim=True) + eps).sqrt()",
        "    return (x - x.mean(dims, keepdim=True)) / root",
        "if x.dim() != 3:",
        "    raise ValueError('norm takes x with three axes (batch, length, d_model)')",
        "length, width = x.shape[1:]",
        before, f"output = {output}", after, "return output",
    ]  # fmt: skip
    return Case(name, {"norm": Specimen("\n    ".join(["def norm(x):", *lines]) + "\n")})


def only(name, where, factor=1.05):
    """Right but where a condition holds for a row: there it is a little too large or too small."""
    mean = "mean, root = x.mean(-1, True), x.std(-1, correction=0, keepdim=True)"
    places = "b, i = torch.arange(len(x))[:, None, None], torch.arange(length)[:, None]"
    output = f"torch.where({where}, {factor}, 1.0).to(x) * {RIGHT}"
    return specimen(name, output, f"{mean}; {places}")


@exercise.cases
def cases(rng):
    yield specimen("torch's own layer norm", RIGHT)
    yield specimen("the formula, with a smaller eps", "rows(x, -1, eps=1e-7)")
    yield specimen("nothing is done", "1 * x")
    yield specimen("the mean only", "x - x.mean(-1, True)")
    yield specimen("RMS norm", "x / (x.square().mean(-1, True) + 1e-5).sqrt()")
    yield specimen("divided by d_model - 1", "rows(x, -1, 1)")
    yield specimen("over positions and features", "rows(x, (1, 2))")
    yield specimen("over the positions", "rows(x, 1)")
    yield specimen("over batch and positions", "rows(x, (0, 1))")
    yield specimen("over everything", "rows(x, (0, 1, 2))")
    yield specimen("an eps of 0.01", "rows(x, -1, eps=0.01)")
    squares = "variance = x.square().mean(-1, True) - x.mean(-1, True).square()"
    by_squares = "(x - x.mean(-1, True)) / (variance.clamp(min=0) + 1e-5).sqrt()"
    yield specimen("the mean square less the squared mean", by_squares, squares)
    centred = "y = x - x.mean(-1, True)"
    yield specimen("divided by the mean magnitude", "y / y.abs().mean(-1, True)", centred)
    yield specimen("divided by the variance", "y / y.square().mean(-1, True)", centred)
    yield specimen("the median for the mean", "rows(x, -1) + x.mean(-1, True) - median",
                   "median = x.median(-1, True).values")  # fmt: skip
    first = "mean, variance = x[:1].mean(-1, True), x[:1].var(-1, correction=0, keepdim=True)"
    first_of_all = "(x - mean) / (variance + 1e-5).sqrt()"
    yield specimen("the statistics of the first sequence", first_of_all, first)
    third = f"torch.cat([{RIGHT}[:2], 0.9 * {RIGHT}[2:]])"
    yield specimen("only the third sequence is wrong", third)
    yield only("only the fifth position is wrong", "i == 4", 0.94)
    yield only("only rows that spread are wrong", "root > 10")
    yield only("only narrow rows are wrong", "torch.tensor(width < 10)")
    yield only("NaN for rows that spread", "root > 10", "torch.nan")


@exercise.secret_cases
def secret_cases(rng):
    yield specimen("row by row", "torch.stack([torch.stack([rows(r, 0) for r in s]) for s in x])")
    shifted = "rows(x - x[..., :1], -1)"
    yield specimen("shifted first", shifted)
    in_double = "rows(x.double(), -1).to(x)"
    yield specimen("in float64 and back", in_double)
    centred = "y = x - x.mean(-1, True)"
    by_size = "y * width**0.5 / (y.norm(dim=-1, keepdim=True) + 1e-9)"
    yield specimen("the size of the row", by_size, centred)
    of_all = "y / (y.square().mean() + 1e-5).sqrt()"
    yield specimen("the mean of each row, the spread of all", of_all, centred)
    half = "half = x[..., : (width + 1) // 2]; root = half.square().mean(-1, True).sqrt()"
    yield specimen("the statistics of the first half", "(x - half.mean(-1, True)) / root", half)
    own = "mean, root = x.mean(-1, True), x.std(-1, correction=0, keepdim=True)"
    before = "(x - mean.roll(1, 1)) / root.roll(1, 1)"
    yield specimen("the statistics of the row before", before, own)
    yield specimen("squashed", f"{RIGHT}.clamp(-1, 1)")
    yield specimen("from 0 to 1", "(x - x.amin(-1, True)) / (x.amax(-1, True) - x.amin(-1, True))")
    yield specimen("a softmax", "x.softmax(-1)")
    yield specimen("zeros", "0 * x")
    yield specimen("moved by a little", f"{RIGHT} + 0.0{rng.integer(3, 9)}")
    places = "i = torch.arange(length)[:, None]"
    apart = f"{RIGHT} + 0.06 * ((i == 2) * 1 - (i == 3) * 1)"
    yield specimen("two positions are moved apart", apart, places)
    yield specimen("wide rows are moved", f"{RIGHT} - 0.04 * (width >= 40)")
    yield only("only wide rows are wrong", "torch.tensor(width >= 40)")
    yield only("only rows with a mean of 0 are wrong", "mean.abs() < 1e-4 * root")
    yield only("only rows far away are wrong", "mean.abs() > 500 * root")
    yield only("only rows close together are wrong", "root < 0.29")
    yield only("only the second sequence is wrong", "b == 1")
    yield only("only the first position is wrong", "i == 0", 0.94)


exercise.promise("called as norm(x), it returns", EVERY)
exercise.promise(
    "Give it rows with a standard", "torch's own layer norm", "the formula, with a smaller eps"
)
exercise.promise(
    "A wrong norm is off", "NaN for rows that spread", "nothing is done", "the mean only"
)
exercise.promise(
    "Some are wrong only in float32", "the mean square less the squared mean", "an eps of 0.01"
)
exercise.promise("True or False.", EVERY)
exercise.promise("Keep it quick: a test", EVERY)


@exercise.oracle
def on_many_rows(norm):
    """Rows of many widths and distances, whose spreads differ from row to row, in both dtypes."""
    generator = torch.Generator().manual_seed(3)
    spreads = torch.tensor([0.1, 1.0, 20.0, 0.25, 100.0, 0.2, 5.0], dtype=torch.float64)
    spreads = torch.stack([spreads.roll(n) for n in range(3)])[..., None]
    for width in (2, 3, 5, 9, 40, 64):
        x = torch.randn(3, 7, width, generator=generator, dtype=torch.float64)
        x = torch.nn.functional.layer_norm(x, x.shape[-1:], eps=0.0)
        for far in (0.0, 3.0, -700.0, 999.0):
            for dtype in (torch.float32, torch.float64):
                y = norm(((x + far) * spreads).to(dtype)).double()
                mean = y.mean(-1)
                variance = y.square().mean(-1) - mean.square()
                if not max(mean.abs().max(), (variance - 1).abs().max()) < 0.01:
                    return False
    return True


@exercise.variant
def against_torchs_own(norm):
    sizes = torch.logspace(-0.95, 1.95, 48)[torch.randperm(48)].view(4, 12, 1)
    for width in [2, 3, 6, 41, 100]:
        for place in [0, 10, -800]:
            rows = torch.nn.functional.layer_norm(torch.randn(4, 12, width), (width,))
            x = sizes * (rows + place)
            wanted = torch.nn.functional.layer_norm(x.double(), (width,))
            if not torch.allclose(norm(x).double(), wanted, rtol=0, atol=0.008):
                return False
    return True


@exercise.variant
def rows_of_all_kinds_in_one_tensor(norm):
    scale = torch.tensor([0.15, 1.0, 30.0, 0.1, 80.0])
    shift = torch.tensor([0.0, 0.0, 1.0, 600.0, -950.0, 12.0, 0.0])
    for d in (3, 64):
        x = torch.randn(3, 35, d)
        x = (x - x.mean(2, keepdim=True)) / x.std(2, correction=0, keepdim=True)
        x = (x + shift.repeat(5)[:, None]) * scale.repeat(7)[:, None]
        x[1] = x[1].flip(0)
        out = norm(x)
        off = (out.sum(2) / d).abs() + ((out**2).sum(2) / d - 1).abs()
        if not off.max() < 0.012:
            return False
    return True


@exercise.variant
def with_evenly_spaced_rows(norm):
    factors = torch.tensor([0.12, 0.2, 1.0, 6.0, 20.0, 50.0])[:, None]
    found = []
    for d in (8, 45):
        row = torch.linspace(-1.7, 1.7, d)
        rows = torch.stack([row[torch.randperm(d)] for _ in range(18)]).reshape(3, 6, d)
        for far in (0.0, 20.0, 900.0):
            x = (rows + far) * factors
            y = norm(torch.stack([x[0], x[1].flip(0), x[2]]))
            found += [y.mean(dim=2).abs().amax(), y.std(dim=2, correction=0).sub(1).abs().amax()]
    return bool(torch.stack(found).amax() < 0.004)


@exercise.variant
def in_plain_python(norm):
    def is_right(row):
        mean = sum(row) / len(row)
        return abs(mean) < 0.01 > abs(sum((entry - mean) ** 2 for entry in row) / len(row) - 1)

    for width, far in [(5, 0.0), (5, 1.5), (5, 990.0), (50, 0.0), (50, 990.0), (2, 7.0)]:
        x = torch.randn(3, 8, width)
        x -= x.mean(-1, keepdim=True)
        x /= x.pow(2).mean(-1, keepdim=True).sqrt()
        spread = torch.tensor([0.1, 0.2, 1, 11, 80, 0.3, 2, 9] * 3)[torch.randperm(24)].view(
            3, 8, 1
        )
        for sequence in norm((x + far) * spread).tolist():
            if not all(map(is_right, sequence)):
                return False
    return True
