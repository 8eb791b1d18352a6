"""Cases, oracle and variants of `sample`."""

import math

import torch

from autograder.author import EVERY, UNTRIED, Case, Drawn, Exercise, Generator, Group, Specimen

MANY = 4000  # rows of the same logits: how often each token comes can be counted
FEWER = 1250  # of the public cases, which every learner downloads, with what each mistake draws
TIED = ("equal logits, the first of them", "equal logits of many", "ties at the end")

exercise = Exercise(
    "sample",
    points=6,
    difficulty=4,
    minutes=35,
    returns=("the tokens", "the generator afterwards"),
    read="10_next_token.html#sampling",
    properties=(Drawn(0, "Tokens should be drawn with the probabilities that the text says."),),
    groups=(Group("equal logits", 1, cases=TIED),),
)


# A second call goes on with the generator as the first one left it.
TWICE = Specimen("""
def twice(sample, *inputs):
    return torch.stack([sample(*inputs), sample(*inputs)])
""")


def case(
    rng, name, logits, temperature=1.0, top_k=1000, top_p=1.0, certain=False, through=None
):  # fmt: skip
    """certain: one token is kept in each row, so nothing has to be drawn."""
    inputs = {"logits": logits, "temperature": temperature, "top_k": top_k, "top_p": top_p}
    generator = Generator(rng.integer(1, 10**6), draws=not certain)
    return Case(name, {**inputs, "generator": generator}, through=through)


def alike(*probs, rows=FEWER, at=1.0):
    """Many rows in which the tokens have these probabilities, at the temperature `at`."""
    logits = at * torch.tensor(probs, dtype=torch.float64).log()
    return logits.float().expand(rows, -1).clone()


def many_alike(*probs):
    return alike(*probs, rows=MANY)


def two_kinds(rng, *kinds):
    """Rows of two kinds in any order; the first is of the second kind."""
    which = rng.integers(0, 2, FEWER, 1)
    which[0] = 1
    return torch.where(which == 0, *(alike(*probs) for probs in kinds))


def spread(rng, rows, vocabulary, dtype=torch.float32):
    """Rows of different logits a whole number apart, no two of a row alike."""
    order = torch.stack([torch.randperm(vocabulary, generator=rng.generator) for _ in range(rows)])
    return order.to(dtype) - rng.integers(0, 9, rows, 1)


def only_one(rng, rows, vocabulary):
    logits = torch.full((rows, vocabulary), -math.inf)
    return logits.scatter_(1, rng.integers(0, vocabulary, rows, 1), rng.normal(rows, 1))


@exercise.cases
def cases(rng):
    half = alike(0.05, 0.4, 0.2, 0.35, rows=FEWER // 2)
    yield case(rng, "nothing is left out, two calls", half, through=TWICE)
    yield case(rng, "the example of the text", alike(0.1, 0.4, 0.2, 0.3), 1.0, 3, 0.6)
    hot = alike(0.2, 0.1, 0.4, 0.3, at=10)
    yield case(rng, "the highest temperature and top_k", hot, 10.0, 2)
    cold = alike(0.25, 0.15, 0.4, 0.2, at=0.1)
    yield case(rng, "the lowest temperature and top_p", cold, 0.1, 10, 0.62)
    kinds = two_kinds(rng, (0.2, 0.3, 0.1, 0.4), (0.7, 0.15, 0.1, 0.05))
    yield case(rng, "rows of two kinds", kinds, 1.0, 10, 0.6)
    yield case(rng, "top_k of 1", spread(rng, 7, 5), 0.7, 1, certain=True)
    yield case(rng, "a tiny top_p", spread(rng, 6, 9), 1.3, 9, 0.001, certain=True)
    yield case(rng, "one token is possible", only_one(rng, 5, 8), 1.0, 4, 0.9, certain=True)
    equal = torch.tensor([[-9.0, -7, -8, 0, 0]]).repeat(3, 1)
    yield case(rng, "equal logits, the first of them", equal, 1.0, 1, certain=True)


@exercise.secret_cases
def secret_cases(rng):
    rows, vocabulary = rng.integer(4, 8), rng.integer(260, 300)
    yield case(rng, "many tokens", spread(rng, rows, vocabulary), 0.8, 1, certain=True)
    yield case(rng, "a row for each token", spread(rng, 6, 6), 0.6, 3, 0.05, certain=True)
    near = 1 + spread(rng, 5, 7, torch.float64) / 2**40  # equal in float32
    yield case(rng, "float64", near, 1.0, 1, 0.9, certain=True)
    yield case(rng, "ties at the end", many_alike(0.4, 0.1, 0.06, 0.22, 0.22), 1.0, 2)
    yield case(rng, "ties under top_p", many_alike(0.36, 0.05, 0.03, 0.28, 0.28), 1.0, 10, 0.5)
    high = many_alike(0.1, 0.2, 0.3, 0.4)
    yield case(rng, "large logits", high + 5000, 1.0, 3, 0.75)
    yield case(rng, "logits far below 0", high - 16384, 1.0, 3, 0.75)
    yield case(rng, "equal logits of many", torch.zeros(3, 80), 1.0, 1, certain=True)
    yield case(rng, "one likely token among many", many_alike(0.3, *[0.05] * 14))
    # the fewer are kept, the larger is the share of the first
    several = alike(0.2, *[0.8 / 79 * (1 - i / 10**5) for i in range(79)])
    yield case(rng, "several of 80 tokens", several, 1.0, 1000, 0.255)
    yield case(rng, "all together", many_alike(0.02, 0.25, 0.16, 0.36, 0.21), 2.0, 4, 0.77)
    hidden = many_alike(0.3, 0.1, 0.6)
    hidden[:, 0] = -math.inf
    yield case(rng, "a token that cannot come", hidden, 1.0, 3)
    yield case(rng, "one row", spread(rng, 1, 6), 1.0, 1, certain=True)
    yield case(rng, "one word only", torch.zeros(3, 1), 1.0, 5, 0.5, certain=True)
    two = torch.tensor([[5.0, 0, 0], [0, 0, 5]]).repeat_interleave(3, dim=0)
    yield case(rng, "rows with other favourites", two, 1.0, 3, 0.9, certain=True)


exercise.promise("float32 or float64.", "float64", "nothing is left out, two calls")
exercise.promise("Minus infinity is a token", "one token is possible", "a token that cannot come")
exercise.promise("They are not changed.", EVERY)
exercise.promise("the divisor of the logits", "the lowest temperature and top_p")
exercise.promise(
    "how many tokens are kept", "the highest temperature and top_k", "top_k of 1", "all together"
)
exercise.promise(
    "It may be larger than the vocabulary.", "nothing is left out, two calls", "one word only"
)
exercise.promise(
    "Among equal logits, the lower", "ties at the end", "equal logits, the first of them"
)
exercise.promise(
    "above 0 and at most", "rows of two kinds", "a tiny top_p", "nothing is left out, two calls"
)
exercise.promise("Where it is below 1", UNTRIED)
exercise.promise("of torch, on the device", EVERY)
exercise.promise("All draws come from it.", EVERY)
exercise.promise("Where only one token", "top_k of 1", "one token is possible")
exercise.promise("one token for each row", EVERY)


@exercise.oracle
def row_by_row(logits, temperature, top_k, top_p, generator):
    """Each row on its own, in plain Python; then one number between 0 and 1 decides."""
    drawn = torch.rand(len(logits), generator=generator, dtype=torch.float64)
    tokens, known = [], {}
    for row, u in zip(logits.tolist(), drawn.tolist(), strict=True):
        if tuple(row) not in known:
            known[tuple(row)] = kept_of(row, temperature, top_k, top_p)
        kept = known[tuple(row)]
        left = u * sum(share for share, _ in kept)
        for share, token in kept:
            left -= share
            if left < 0 or token == kept[-1][1]:
                tokens.append(token)
                break
    return torch.tensor(tokens)


def kept_of(row, temperature, top_k, top_p):
    """What may come, as pairs of an unnormalised probability and a token, the best first."""
    highest = max(row)
    shares = [(math.exp((x - highest) / temperature), token) for token, x in enumerate(row)]
    shares = sorted(shares, key=lambda pair: -pair[0])[:top_k]
    total, reached, kept = sum(share for share, _ in shares), 0.0, []
    for share, token in shares:
        if reached < top_p * total:
            kept.append((share, token))
        reached += share
    return kept


@exercise.variant
def sorted_and_back(logits, temperature, top_k, top_p, generator):
    ordered, tokens = (logits / temperature).sort(dim=-1, descending=True, stable=True)
    probs = ordered[:, :top_k].softmax(dim=-1)
    probs = probs.masked_fill(probs.cumsum(dim=-1) - probs >= top_p, 0.0)
    place = torch.multinomial(probs, 1, generator=generator)
    return tokens.gather(1, place).squeeze(1)


@exercise.variant
def in_the_order_of_tokens(logits, temperature, top_k, top_p, generator):
    """A mask that is put back, and the largest of noisy logits."""
    scaled = logits / temperature
    order = torch.argsort(-scaled, dim=1, stable=True)
    rank = torch.argsort(order, dim=1)
    scaled = torch.where(rank < top_k, scaled, float("-inf"))
    weights = torch.softmax(scaled, 1)
    before = torch.cumsum(weights.gather(1, order), 1).gather(1, rank) - weights
    scaled = torch.where((before < top_p) | (rank == 0), scaled, float("-inf"))
    noise = torch.empty_like(scaled).exponential_(generator=generator)
    return (torch.softmax(scaled, 1) / noise).argmax(dim=1)


@exercise.variant
def by_one_number_a_row(logits, temperature, top_k, top_p, generator):
    width = min(top_k, logits.shape[1])
    values, tokens = torch.sort(logits.double() / temperature, descending=True, stable=True)
    weights = (values - values[:, :1]).exp()[:, :width]
    total = weights.sum(1, keepdim=True)
    reached = weights.cumsum(1)
    kept = weights * ((reached - weights) / total < top_p)
    u = torch.rand(len(logits), 1, generator=generator, device=logits.device, dtype=torch.float64)
    place = (kept.cumsum(1) <= u * kept.sum(1, keepdim=True)).sum(1, keepdim=True)
    return tokens.gather(1, place.clamp(max=width - 1))[:, 0]
