"""Specimens, oracle and variants of `is_relative`."""

import torch

from autograder.author import EVERY, UNTRIED, Case, Exercise, Specimen

exercise = Exercise(
    "is_relative",
    points=5,
    difficulty=4,
    minutes=35,
    returns=("the answer",),
    read="08_positions.html#distance-only",
)

# In float64, equal pairs have equal products of float32 on every processor, whose kernels may add
# in another order at the end of a row. A score may depend on `length`, but not on how many
# positions a call has.
SOURCE = """
def score(query, key):
    n = len(query)
    length = {length}
    if n > length:
        raise IndexError("score was given more positions than there are")
    j = torch.arange(n, device=query.device)
    i = j[:, None]
    one, other = query[:, None].unflatten(-1, (4, 2)), key[None].unflatten(-1, (4, 2))
    along = (one * other).sum(-1)
    across = one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]
    rates = 100.0 ** (-torch.arange(4, dtype=query.dtype, device=query.device) / 4)

    def rotary(phase):
        angle = (phase + 0 * i + 0 * j)[..., None] * rates
        return (along * angle.cos() + across * angle.sin()).sum(-1)

    t = j.to(query)[:, None]
    learned = torch.sin(11.0 * (t + 1) * torch.arange(1, 9, device=query.device))
    waves = torch.cat([(t * rates).sin(), (t * rates).cos()], dim=-1)
    plain = (query.double() @ key.double().mT).to(query)
    scores = {scores}
    {after}
    return scores
"""
LATER = "scores = scores.masked_fill(j > i, -torch.inf)"
SPARED = "scores = scores.masked_fill((i == 9) & (j == 2), -torch.inf)"
SLANTED = "(query[:, :1] - query[:, 1:2])"
ROUNDED = "scores = (scores + 3.75 * i) - 3.75 * i"  # by up to 8e-6, and never twice alike


def specimen(name, scores, length=24, after="pass"):
    """i numbers the queries as a column, j the keys as a row."""
    source = SOURCE.format(scores=scores, length=length, after=after)
    return Case(name, {"score": Specimen(source.lstrip()), "length": length})


def faint(name, query, key, length=24):
    """One score of all differs a little."""
    one = f"(i == {query}) & (j == {key})"
    return specimen(name, f"rotary(j - i) + 0.0015 * ({one})", length)


@exercise.cases
def cases(rng):
    yield specimen("no positions", "plain")
    yield specimen(
        "learned positions added to the tokens", "(query + learned) @ (key + learned).mT"
    )
    yield specimen("sines and cosines added to the tokens", "(query + waves) @ (key + waves).mT")
    yield specimen("products of sines and cosines added to the scores", "plain + waves @ waves.mT")
    yield specimen("rotary positions", "rotary(j - i)", 32)
    yield specimen("rotary positions, the other way round", "rotary(i - j)", after=ROUNDED)
    yield specimen("only the queries are rotated", "rotary(-i)")
    yield specimen("queries and keys are rotated in opposite directions", "rotary(i + j)")
    before = "other = (key[None] + 1).unflatten(-1, (4, 2)); along = (one * other).sum(-1)"
    across = "across = one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]"
    bias = f"{before}; {across}; scores = rotary(j - i)"
    yield specimen("a bias of the keys before they are rotated", "0 * plain", after=bias)
    bias = "along, across = one.sum(-1), one[..., 0] - one[..., 1]; scores += rotary(-i)"
    yield specimen("a bias of the keys after they were rotated", "rotary(j - i)", after=bias)
    yield specimen("a slope, later keys hidden", "plain - 0.25 * (i - j)", after=LATER)
    table = "(query + learned) @ (key + learned).mT"
    yield specimen("learned positions, later keys hidden", table, after=LATER)
    yield specimen("a bias that grows with the key's position", "plain + 0.1 * j")
    window = "scores = plain.masked_fill((i - j).abs() > 5, -torch.inf)"
    yield specimen("a window", "plain", 20, window)
    blocks = "scores = plain.masked_fill(i // 8 != j // 8, -torch.inf)"
    yield specimen("blocks of eight", "plain", 20, blocks)
    clipped = "plain + torch.sin(5.0 * (j - i).clamp(-6, 6))"
    yield specimen("a bias for each offset", clipped)
    yield specimen("rotary positions that begin again at 16", "rotary(j % 16 - i % 16)", 32)
    yield specimen("the first key is special", "plain + (j == 0)")
    yield specimen("the last query is special", "rotary(j - i) + (i == length - 1) / 2")
    apart = "plain * (1 + 0.3 * (i % 2) * (i != j))"
    yield specimen("relative where query and key stand together", apart)
    yield specimen("relative for equal vectors", "rotary(j - i) + i / 4 * across.sum(-1)")
    yield specimen("relative for vectors of equal numbers", f"plain + i * {SLANTED}")
    late = "rotary(j - i) * (1 + 0.1 * (j > i) * i)"
    yield specimen("relative for earlier keys", late)
    early = "rotary(j - i) * (1 + 0.1 * (j < i) * i)"
    yield specimen("relative for later keys", early)
    yield faint("faint, for one pair of positions", 11, 4)
    beside = "rotary(j - i) + 0.04 * ((i == 20) & (j == 9))"
    yield specimen("small, for one pair of positions", beside, 32)
    yield specimen("a bias round a circle", "plain + ((j - i) % length == 1)")
    yield specimen("two halves alike", "plain + (i % 12) / 8")
    yield specimen("even positions alike", "plain + (i % 2) * (j % 2)")
    yield specimen(
        "as many up as down", "plain + 0.4 * (i % 2) * (j == 3) - 0.4 * (i % 2) * (j == 7)"
    )


@exercise.secret_cases
def secret_cases(rng):
    base, reach = rng.integer(3, 9), rng.integer(3, 8)
    yield specimen("rotary positions of another base", f"rotary((j - i) / {base})", after=ROUNDED)
    table = f"rotary(j - i) + torch.cos(3.0 * (j - i).clamp(-{reach}, {reach}))"
    yield specimen("a bias for each offset and rotary positions", table)
    hidden = f"scores = scores.masked_fill((j > i) | (i - j > {reach}), -torch.inf)"
    yield specimen("a window on the past", "rotary(j - i)", 32, hidden)
    yield specimen("all scores alike", "0 * plain", 12)
    yield specimen("the distance alone", "-(i - j).abs().to(query)", 12)
    yield specimen("a score of three kinds", "plain + (j > i) - 2.0 * (j < i)", 17)
    sizes = "plain * (1 + i / length)"
    yield specimen("a factor that grows", sizes, 12, ROUNDED)
    yield specimen("the sign turns from query to query", "plain * (1 - 2 * (i % 2))")
    late = rng.integer(33, 44)
    yield specimen("special from a late position on", f"rotary(j - i) + 0.2 * (i > {late})", 48)
    yield specimen("only the last two are special", "plain + (i + j == 2 * length - 2)", 47, LATER)
    yield specimen("hidden from one query only", "plain - 20", 24, SPARED)
    yield specimen("only the keys are rotated", "rotary(j + 0 * i)", 30)
    yield specimen("learned positions of the keys", "query @ (key + learned).mT", 21)
    yield specimen("positions that grow with the root", "rotary(j.sqrt() - i.sqrt())", 25)
    for number in range(4):
        query, key = rng.integer(1, 28), rng.integer(1, 28)
        yield faint(f"faint, at pair {number}", query, key, 30)
    yield faint("faint, at the first pair", 0, 0, 30)
    yield faint("faint, at the last pair", 29, 29, 30)
    yield faint("faint, near a corner", 28, 1, 30)


exercise.promise("called as score(query, key)", UNTRIED)
exercise.promise("Entry [i, j] is that of query", UNTRIED)
exercise.promise("It depends on these", UNTRIED)
exercise.promise("It is finite or -inf.", "a slope, later keys hidden", "a window")
exercise.promise("`score` accepts float32", "learned positions added to the tokens")
exercise.promise("It always returns the same for the same inputs", UNTRIED)
exercise.promise("how many positions", "the distance alone", "special from a late position on")
exercise.promise("True if the score of any q", EVERY)
exercise.promise("Else", EVERY)
exercise.promise("a Python bool, not a tensor.", EVERY)
exercise.promise(
    "With standard normal", "rotary positions, the other way round", "a factor that grows"
)
exercise.promise(
    "Where scores are not relative", "faint, for one pair of positions", "blocks of eight"
)
exercise.promise("Keep it quick: a hundred", UNTRIED)


@exercise.oracle
def each_diagonal(score, length):
    """From its smallest number to its largest, for many vectors in float64."""
    generator = torch.Generator().manual_seed(1)
    for _ in range(8):
        query, key = torch.randn(2, 8, generator=generator, dtype=torch.float64)
        scores = score(query.repeat(length, 1), key.repeat(length, 1))
        for offset in range(1 - length, length):
            line = scores.diagonal(offset)
            hidden = line.isinf()
            if bool(hidden.any()) != bool(hidden.all()):
                return False
            if not bool(hidden.any()) and float(line.max() - line.min()) > 1e-7:
                return False
    return True


@exercise.variant
def compared_with_the_edges(score, length):
    """Each entry with that of the same offset in the first row or the first column."""
    offset = torch.arange(length) - torch.arange(length)[:, None]
    for seed in range(6):
        torch.manual_seed(seed)
        q, k = torch.randn(8).double(), torch.randn(8).double()
        s = score(q.tile(length, 1), k.tile(length, 1)).nan_to_num(neginf=-1e9)
        edge = torch.cat([s[1:, 0].flip(0), s[0]])
        if (edge[offset + length - 1] - s).abs().max().item() > 3e-4:
            return False
    return True


@exercise.variant
def text_moved_by_one(score, length):
    """A longer text, with its first token taken away."""
    for _ in range(30):
        query, key = torch.randn(length, 8), torch.randn(length, 8)
        whole = score(query, key)[1:, 1:]
        query, key = (torch.cat([x[1:], torch.randn(1, 8)]) for x in (query, key))
        moved = score(query, key)[:-1, :-1]
        same = (whole == moved) | ((whole - moved).abs() < 1e-4)
        if not bool(same.all()):
            return False
    return True


@exercise.variant
def diagonal_after_diagonal(score, length):
    answers = []
    for trial in range(10):
        vectors = torch.randn(2, 1, 8, dtype=torch.float64).expand(2, length, 8)
        table = score(vectors[0], vectors[1]).tolist()
        for i in range(1, length):
            for j in range(1, length):
                now, before = table[i][j], table[i - 1][j - 1]
                answers.append(now == before or abs(now - before) < 1e-5)
        if trial > 3 and not all(answers):
            return False
    return all(answers)
