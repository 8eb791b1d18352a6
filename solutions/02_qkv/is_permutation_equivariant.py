"""Specimens, oracle and variants of `is_permutation_equivariant`."""

import torch

from autograder.author import EVERY, UNTRIED, Case, Exercise, Specimen

exercise = Exercise(
    "is_permutation_equivariant",
    points=5,
    difficulty=4,
    minutes=30,
    returns=("the answer",),
    read="02_qkv.html#permutation-equivariance",
)


HEADS = "(x @ W)[:, None], x[:, None], x[:, None]"  # with an axis of heads it is faster


OPEN = f"F.scaled_dot_product_attention({HEADS})[:, 0]"


ROUNDED = "output = (output + 7.5 * i) - 7.5 * i"  # by up to 8e-6, and never twice alike


# Changes standard normal numbers by less than 1e-5. float64, which the oracle takes, stays exact.
GROWS = "output = output * (1 + 1.5e-6 * (x.dtype == torch.float32) * (i % 3 - 1))"


def sees(allowed):
    """Attention in which query i sees the keys j for which a condition holds."""
    return f"F.scaled_dot_product_attention({HEADS}, attn_mask={allowed})[:, 0]"


def specimen(name, output, before="pass", after="pass"):
    """A layer as source: i numbers the positions as a column, j as a row."""
    lines = [
        "length, width = x.shape[1:]",
        "j = torch.arange(length, device=x.device)",
        "i = j[:, None]",
        "W = torch.linspace(-1, 1, width * width, dtype=x.dtype, device=x.device)",
        "W = W.reshape(width, width)",
        before, f"output = {output}", after, "return output",
    ]  # fmt: skip
    return Case(name, {"layer": Specimen("\n    ".join(["def layer(x):", *lines]) + "\n")})


def faint(name, sequence, place, share):
    """Far from 0, one number of a wide output depends on the position."""
    one = f"output[{sequence} : {sequence + 1}, {place} : {place + 1}, -1:] += {share}"
    return specimen(name, "6 + x.tanh().repeat(1, 1, 32)", after=one)


def special(name, place):
    return specimen(name, f"x + (i == {place}) * x.relu()")


def fourth(name, number, feature, sequence):
    """One sequence sees in which of every four positions the number nearest to another one is.

    One permutation in four keeps that. A swap of the first two positions always does, and the
    reversal never, so that a test of either is recognised: the two ends take no part.
    """
    column = f"(x[:, 2:-2] if length > 4 else x)[..., {feature} : {feature + 1}]"
    place = f"place = ({column} - {number}).abs().argmin(1, True) % 4"
    one = f"output[{sequence} : {sequence + 1}] += place[{sequence} : {sequence + 1}] / 4"
    return specimen(name, "x * 1", place, one)


@exercise.cases
def cases(rng):
    yield specimen("self-attention", OPEN, after=ROUNDED)
    yield specimen("the same function at each position", "x.relu() - x / 2")
    waves = "x = x + torch.cos(i / 10000 ** (torch.arange(width, device=x.device) / width))"
    yield specimen("self-attention after positions were added", OPEN, waves)
    yield specimen("self-attention with a causal mask", sees("j <= i"))
    mean = "x.mean(1, True).expand_as(x)"
    yield specimen("every position gets the mean of all", mean, after=ROUNDED)
    yield specimen("sorted along the positions", "x.sort(dim=1).values")
    beside = "padded = F.pad(x, (0, 0, 1, 1))"
    both_ways = "x + padded[:, :-2] / 2 + padded[:, 2:] / 2"
    yield specimen("a convolution that is the same from both ends", both_ways, beside)
    yield specimen("a convolution round a circle", "x + x.roll(1, 1) / 2 + x.roll(-1, 1) / 2")
    yield specimen("rounding that depends on the position", "x * 1", after=ROUNDED)
    yield specimen("rounding that grows with the numbers", "x * 1", after=GROWS)
    yield specimen("what it is given comes back", "x")
    yield specimen("negative numbers meet the position", "x + (-x).relu() * i / length")
    yield specimen("positions that count from 16 on", f"{OPEN} + i.clamp(min=16) / 12")
    yield specimen("a faint trace of the position", f"{OPEN} + 0.0013 * (i % 2)")
    later = "output = torch.cat([output[:1], output[1:].cumsum(1)])"
    yield specimen("the first sequence is free of order", OPEN, after=later)
    third = "output = torch.cat([output[:2], output[2:] * (1 + i / length)])"
    yield specimen("only the third sequence is not free of order", "x * 1", after=third)
    first = "output = torch.cat([x.mean(1, True), output[:, 1:]], 1)"
    yield specimen("the first position is special", OPEN, after=first)
    yield specimen("positions of two kinds", "x * (1 + (i > 1))")
    none = "torch.cat([x.mean(1, True), 0 * x[:, 1:]], 1)"
    yield specimen("the mean at the first position, zeros elsewhere", none)
    mixed = "torch.cat([x[..., :1], x[..., 1:] * (1 + i / length)], -1)"
    yield specimen("the first feature only is free of order", mixed)
    yield faint("faint, at one position of one sequence", 1, 3, 0.0015)
    for place in ("19", "length - 3"):
        yield special(f"position {place} is special", place)
    for feature in (0, 1):
        name = f"in which of every four positions the smallest feature {feature} is"
        yield fourth(name, -9, feature, sequence=2 * feature)


@exercise.secret_cases
def secret_cases(rng):
    others = "(x.sum(1, True) - x) / max(length - 1, 1)"
    yield specimen("the mean of the others", others, after=ROUNDED)
    linear = "(q @ (k.mT @ x)) / (q @ k.sum(1)[:, :, None])"
    yield specimen("no softmax", linear, "q, k = (x @ W).sigmoid(), x.sigmoid()", ROUNDED)
    wide = "torch.cat([x - x.mean(1, True), x.amax(1, True) - x], -1)"
    yield specimen("a wider output", wide, after=ROUNDED)
    yield specimen("one feature comes out", "x[..., 1:2] * x.amax(1, True)[..., :1]")
    yield specimen("always zero", "torch.zeros_like(x)")
    yield specimen("sees itself only", sees("i == j"))
    own = "x * torch.arange(len(x), device=x.device)[:, None, None]"
    yield specimen("each sequence has a factor of its own", own)
    yield specimen("a sliding window", sees(f"(i - j).abs() <= {rng.integer(1, 4)}"))
    yield specimen("scores that fall with the distance", sees("-(i - j).abs().to(x) / 4"))
    yield specimen("even positions differ", "x * (1 + i % 2)")
    yield specimen("the two halves differ", "x * (1 + (i < length // 2))")
    yield specimen("the sequence backwards", "x.flip(1)")
    one = "output = torch.cat([output[..., :-1], output[..., -1:].roll(1, 1)], -1)"
    yield specimen("one feature moves on", OPEN, after=one)
    one = "torch.cat([x[..., :1] * (1 + i / length), x[..., 1:]], -1)"
    yield specimen("only the first feature is not free of order", one)
    for start in (19, rng.integer(17, 19)):
        yield specimen(f"positions from {start} on differ", f"x + (i >= {start}) / 2")
    # Positions are among the first three or above 16, so that tests of sequences that are too
    # short are wrong about the same ones, and are recognised.
    places = [0, 1, 2, 17, 18, 19]
    shares = [rng.integer(12, 16) / 10000 for _ in places]
    moved = torch.randperm(len(places), generator=rng.generator).tolist()
    for number, (place, share) in enumerate(zip(moved, shares, strict=True)):
        name = f"faint, at position {places[place]} of sequence {number % 3}"
        yield faint(name, number % 3, places[place], share if number % 2 else -share)
    for place in [*places, "length - 1", "length - 2"]:
        yield special(f"only position {place} is special", place)
    for number in range(30):
        near = rng.integer(-1200, 1200) / 1000
        name = f"{number}: in which of every four positions the number nearest to {near} is"
        yield fourth(name, near, number % 2, number // 2 % 3)


exercise.promise("called as layer(x)", "a wider output", "one feature comes out")
exercise.promise("It accepts any batch", UNTRIED)
exercise.promise("It always returns the same for the same input.", UNTRIED)
exercise.promise("The sequences of a batch", "each sequence has a factor of its own")
exercise.promise("True if it is equivariant", EVERY)
exercise.promise("On standard normal", "rounding that depends on the position", "self-attention")
exercise.promise(
    "A layer that is not equivariant shows it on standard", "a faint trace of the position"
)
exercise.promise(
    "So try at least ten", "in which of every four positions the smallest feature 0 is"
)
exercise.promise(
    "Other inputs, such as large", "self-attention", "rounding that depends on the position"
)
exercise.promise(
    "A layer that is not equivariant shows it in one of the first",
    "only the third sequence is not free of order",
)
exercise.promise("Keep it quick: a hundred", UNTRIED)
exercise.promise("All layers together", UNTRIED)


@exercise.oracle
def many_permutations(layer):
    """Random ones and each swap of neighbours, which together make every permutation."""
    generator = torch.Generator().manual_seed(1)
    for length in (2, 9, 33):
        x = torch.randn(4, length, 5, generator=generator, dtype=torch.float64)
        output, orders = layer(x), [torch.randperm(length, generator=generator) for _ in range(9)]
        for left in range(length - 1):
            order = torch.arange(length)
            order[left], order[left + 1] = left + 1, left
            orders.append(order)
        if max((layer(x[:, o]) - output[:, o]).abs().max() for o in orders) > 1e-9:
            return False
    return True


@exercise.variant
def neighbours_swapped_in_float64(layer):
    x = torch.randn(3, 20, 4).double()
    before = layer(x)
    for i in range(19):
        order = list(range(20))
        order[i], order[i + 1] = order[i + 1], order[i]
        if not torch.allclose(layer(x[:, order]), before[:, order]):
            return False
    return True


@exercise.variant
def undone_afterwards(layer):
    for length in (3, 21, 32):
        x = torch.randn(5, length, 8)
        for _ in range(6):
            order = torch.randperm(length)
            back = torch.empty_like(order)
            back[order] = torch.arange(length)
            if torch.dist(layer(x[:, order])[:, back], layer(x), p=torch.inf) > 3e-5:
                return False
    return True


@exercise.variant
def by_permutation_matrices(layer):
    x = torch.randn(4, 28, 6)
    matrices = [torch.eye(28)[torch.randperm(28)] for _ in range(12)]
    changes = [torch.linalg.vector_norm(layer(P @ x) - P @ layer(x)) for P in matrices]
    return bool(torch.stack(changes).max() < 2e-4)


@exercise.variant
def each_sequence_its_own_order(layer):
    x, answers = torch.randn(3, 24, 5), []
    for _ in range(12):
        order = torch.rand(3, 24, 1).argsort(dim=1)
        output = layer(x)
        moved = layer(x.gather(1, order.expand_as(x)))
        wanted = output.gather(1, order.expand_as(output))
        answers.append(torch.allclose(moved, wanted, rtol=0, atol=1e-4))
    return all(answers)
