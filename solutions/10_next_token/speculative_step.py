"""Cases, oracle and variants of `speculative_step`."""

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, Drawn, Exercise, Generator, Group, Specimen

MANY = 1000  # rows: how often each of them comes can be counted, and a loop takes some time
PARTS = 20  # a probability is given in so many parts of 1
AGREE = (
    "draft and target agree",
    "they agree in some rows",
    "they agree on one position",
    "one word only",
)

exercise = Exercise(
    "speculative_step",
    points=5,
    difficulty=4,
    minutes=30,
    returns=("the new tokens", "the generator afterwards"),
    read="10_next_token.html#several-tokens-a-step",
    properties=(Drawn(0, "Rows should be drawn with the probabilities that the text says."),),
    groups=(Group("draft and target agree", 1, cases=AGREE),),
)


# Draws are counted row by row: a token depends on those before it. A row becomes one number whose
# digits are its tokens, 9 where there is none. What is no such row is returned as it is.
AS_NUMBERS = Specimen("""
def as_numbers(step, tokens, *others):
    new = step(tokens, *others)
    if not isinstance(new, torch.Tensor) or new.dtype != torch.int64 or new.dim() != 2:
        return new
    if new.shape != (tokens.size(0), tokens.size(1) + 1):
        return new
    digits = torch.where(new < 0, 9, new)
    return (digits * 10 ** torch.arange(tokens.size(1), -1, -1, device=new.device)).sum(dim=1)
""")


def many_rows(rng, name, *kinds, dtype=torch.float32):
    """kinds: of rows, each the parts of 1 of the draft's tokens and of the target's, by position.

    Rows are of any of the kinds; their tokens are drawn from the draft.
    """
    which = rng.integers(0, len(kinds), MANY)
    draft, target = (torch.stack([torch.tensor(kind[at]) for kind in kinds]) for at in (0, 1))
    below = draft[which].cumsum(dim=-1)  # (rows, n, vocabulary)
    tokens = (below <= rng.integers(0, PARTS, *below.shape[:2], 1)).sum(dim=-1)
    draft, target = ((parts.double() / PARTS)[which].to(dtype) for parts in (draft, target))
    generator = Generator(rng.integer(1, 10**6))
    inputs = {"tokens": tokens, "draft": draft, "target": target, "generator": generator}
    return Case(name, inputs, through=AS_NUMBERS)


def certain(rng, name, places, n, vocabulary, dtype=torch.float32, equal=False):
    """Rows with one possible result each. places: how many tokens of each row are kept.

    equal: where a token would be kept, target and draft have the same probabilities.
    """
    rows = len(places)
    tokens, other = rng.integers(0, vocabulary, rows, n), rng.integers(1, vocabulary + 1, rows, n)
    other = torch.where(other == vocabulary, tokens + 1, tokens + other) % vocabulary
    drawn = torch.cat([other[..., None], rng.integers(0, vocabulary, rows, n, 31)], dim=2)
    draft = (F.one_hot(drawn, vocabulary).sum(dim=2) + 32 * F.one_hot(tokens, vocabulary)) / 64
    target = torch.cat([draft, torch.zeros_like(draft[:, :1])], dim=1)
    target[:, n] = F.one_hot(rng.integers(0, vocabulary, rows), vocabulary)
    for row, place in enumerate(places):
        for t in range(n):
            token, another = int(tokens[row, t]), int(other[row, t])
            if t == place:
                target[row, t, another] += target[row, t, token]
                target[row, t, token] = 0
            elif not equal:
                target[row, t, token] += target[row, t, another]
                target[row, t, another] = 0
    inputs = {"tokens": tokens, "draft": draft.to(dtype), "target": target.to(dtype)}
    generator = Generator(rng.integer(1, 10**6), draws=False)
    return Case(name, {**inputs, "generator": generator})


EXAMPLE = ([[12, 6, 2]], [[4, 6, 10], [5, 10, 5]])
TWO_TOKENS = ([[12, 8], [6, 14]], [[6, 14], [13, 7], [8, 12]])
TWO_KINDS = (
    ([[14, 0, 6]], [[2, 11, 7], [10, 10, 0]]),
    ([[2, 9, 9]], [[12, 4, 4], [0, 10, 10]]),
)
NEVER = ([[10, 0, 8, 2]], [[2, 9, 9, 0], [10, 10, 0, 0]])
FOUR_TOKENS = (
    [[20, 0], [0, 20], [12, 8], [20, 0]],
    [[16, 4], [4, 16], [8, 12], [14, 6], [10, 10]],
)
AGREEING = ([[10, 10], [14, 6]], [[9, 11], [14, 6], [4, 16]])


@exercise.cases
def cases(rng):
    yield many_rows(rng, "the example of the text", EXAMPLE)
    yield certain(rng, "one possible result", (0, 4, 2, 1, 3, 4, 0), 4, 6)
    yield certain(rng, "draft and target agree", (3,) * 5, 3, 7, equal=True)
    yield certain(rng, "nothing is kept", (0,) * 6, 3, 5)
    yield many_rows(rng, "two tokens", TWO_TOKENS)
    yield many_rows(rng, "rows of two kinds", *TWO_KINDS)


@exercise.secret_cases
def secret_cases(rng):
    places = rng.integers(0, 6, 9).tolist()
    yield certain(rng, "other sizes", places, 5, rng.integer(3, 9))
    yield certain(rng, "they agree in some rows", (4, 0, 4, 2, 4, 1), 4, 5, equal=True)
    yield certain(rng, "one word only", (2, 2, 2), 2, 1, equal=True)
    yield certain(rng, "one row", (2,), 3, 5)
    yield certain(rng, "one token", (1, 0, 1, 1, 0), 1, 4)
    yield certain(rng, "as many of everything", (4, 1, 0, 3), 4, 4)
    yield certain(rng, "many tokens", (2, 0, 1), 2, 300)
    yield certain(rng, "float64", (1, 0, 3, 2), 3, 6, torch.float64)
    yield many_rows(rng, "tokens that never come from one", NEVER, dtype=torch.float64)
    yield many_rows(rng, "four tokens", FOUR_TOKENS)
    yield many_rows(rng, "they agree on one position", AGREEING)


exercise.promise("token t of a row was drawn", EVERY)
exercise.promise("There is at least one.", "one token", "two tokens")
exercise.promise(
    "float32 or float64; draft[row, t]", "float64", "tokens that never come from one", "one row"
)
exercise.promise(
    "probability of a proposed token", "tokens that never come from one", "one possible result"
)
exercise.promise("for each proposed token and", "the example of the text", "four tokens")
exercise.promise(
    "Any of them may be 0", "tokens that never come from one", "nothing is kept", *AGREE
)
exercise.promise("The three are not changed.", EVERY)
exercise.promise("of torch, on the device", EVERY)
exercise.promise("All draws come from it.", EVERY)
exercise.promise("Where only one result", "one possible result", *AGREE)
exercise.promise("the tokens that are kept, the one", EVERY)
exercise.promise("It is int64", EVERY)


@exercise.oracle
def row_by_row(tokens, draft, target, generator):
    """Each row on its own, in plain Python; numbers between 0 and 1 decide."""
    rows, n = tokens.shape
    drawn = torch.rand(rows, n + 1, generator=generator, dtype=torch.float64)
    lists, new = [x.tolist() for x in (tokens, draft, target, drawn)], []
    for proposed, before, after, u in zip(*lists, strict=True):
        row, weights = [], after[n]
        for token, q, p, number in zip(proposed, before, after[:n], u[:n], strict=True):
            if number * q[token] >= p[token]:
                weights = [max(0.0, wanted - had) for wanted, had in zip(p, q, strict=True)]
                break
            row.append(token)
        row.append(place_of(weights, u[n]))
        new.append(row + [-1] * (n + 1 - len(row)))
    return torch.tensor(new)


def place_of(weights, number):
    """Which of the weights a number between 0 and 1 falls on."""
    left, last = number * sum(weights), max(i for i, weight in enumerate(weights) if weight > 0)
    for place, weight in enumerate(weights):
        left -= weight
        if left < 0 or place == last:
            return place
    return last


@exercise.variant
def position_by_position(tokens, draft, target, generator):
    """All rows at once, one position after the other."""
    rows, n = tokens.shape
    new = torch.full((rows, n + 1), -1, device=tokens.device)
    goes_on = torch.ones(rows, dtype=torch.bool, device=tokens.device)
    at = torch.arange(rows, device=tokens.device)
    for t in range(n):
        token, p, q = tokens[:, t], target[:, t], draft[:, t]
        u = torch.rand(rows, generator=generator, device=tokens.device, dtype=p.dtype)
        keeps = u < (p[at, token] / q[at, token]).clamp(max=1)
        rest = torch.where(p > q, p - q, 0.0)
        rest = torch.where(rest.sum(-1, keepdim=True) > 0, rest, 1.0)
        other = torch.multinomial(rest, 1, generator=generator)[:, 0]
        new[:, t] = torch.where(goes_on, torch.where(keeps, token, other), -1)
        goes_on = goes_on & keeps
    extra = torch.multinomial(target[:, n], 1, generator=generator)[:, 0]
    new[:, n] = torch.where(goes_on, extra, -1)
    return new


@exercise.variant
def how_many_first(tokens, draft, target, generator):
    """Draws how many are kept, then the token behind them as the largest of noisy weights."""
    n = tokens.shape[1]
    p, q = (torch.gather(x[:, :n], 2, tokens.unsqueeze(2)).squeeze(2) for x in (target, draft))
    keeps = torch.minimum(p / q, torch.ones_like(p))
    go = torch.cat([torch.ones_like(p[:, :1]), keeps.cumprod(1)], dim=1)
    stop = 1 - torch.cat([keeps, torch.zeros_like(p[:, :1])], dim=1)
    kept = torch.multinomial(go * stop, 1, generator=generator)
    weights = (target - F.pad(draft, (0, 0, 0, 1))).relu()
    weights = weights.gather(1, kept[:, :, None].expand(-1, 1, draft.shape[2])).squeeze(1)
    noise = torch.empty_like(weights).exponential_(generator=generator)
    last = (weights / noise).argmax(dim=1, keepdim=True)
    place = torch.arange(n + 1, device=tokens.device)
    new = torch.where(place < kept, F.pad(tokens, (0, 1)), -1)
    return torch.where(place == kept, last, new)


@exercise.variant
def one_row_after_the_other(tokens, draft, target, generator):
    """Lists say how many are kept; what is drawn then is drawn for all rows at once."""
    (rows, n), weights, kept = tokens.shape, [], []
    numbers = torch.rand(rows, n, generator=generator, device=tokens.device).tolist()
    for proposed, q, p, u in zip(tokens.tolist(), draft, target, numbers, strict=True):
        before, after, t = q.tolist(), p.tolist(), 0
        while t < n and u[t] * before[t][proposed[t]] < after[t][proposed[t]]:
            t += 1
        kept.append(t)
        weights.append(p[n] if t == n else (p[t] - q[t]).clamp(0, 1))
    last = torch.multinomial(torch.stack(weights), 1, generator=generator).tolist()
    pairs = zip(tokens.tolist(), kept, last, strict=True)
    new = [row[:t] + one + [-1] * (n - t) for row, t, one in pairs]
    return torch.tensor(new, device=tokens.device)


@exercise.variant
def all_numbers_first(tokens, draft, target, generator):
    """Every number that might be needed, and tokens from running sums."""
    rows, n, vocabulary = draft.shape
    u = torch.rand(rows, n + 1, generator=generator, device=draft.device, dtype=torch.float64)
    at = torch.arange(rows, device=draft.device)[:, None], torch.arange(n, device=draft.device)
    rejected = u[:, :n] * draft[(*at, tokens)] >= target[(*at, tokens)]
    end = torch.ones(rows, 1, dtype=torch.int64, device=draft.device)
    first = torch.cat([rejected.long(), end], dim=1).argmax(dim=1, keepdim=True)
    before = torch.cat([draft, torch.zeros_like(draft[:, :1])], dim=1)
    weights = (target - before).clamp(min=0).double()[at[0], first].squeeze(1)
    sums = weights.cumsum(dim=1)
    likely = torch.arange(vocabulary, device=draft.device) * (weights > 0)
    last = (sums <= u[:, n:] * sums[:, -1:]).sum(dim=1, keepdim=True)
    last = torch.minimum(last, likely.amax(dim=1, keepdim=True))
    new = torch.cat([tokens, tokens[:, :1]], dim=1).scatter(1, first, last)
    new[torch.arange(n + 1, device=draft.device) > first] = -1
    return new
