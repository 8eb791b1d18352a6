"""Cases, oracle and known mistakes of `find_induction_heads`."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from autograder.author import EVERY, UNTRIED, Case, Exercise

exercise = Exercise(
    "find_induction_heads",
    points=5,
    difficulty=4,
    minutes=30,
    returns=("the heads",),
    read="05_what_heads_do.html#what-heads-learn",
)


def targets(tokens: Int[Tensor, " length"]) -> list[int | None]:
    """For each query the position after the latest earlier occurrence of its token, or None."""
    found: dict[int, int] = {}
    after: list[int | None] = []
    for position, token in enumerate(tokens.tolist()):
        after.append(found.get(token))
        found[token] = position + 1
    return after


def planted(
    rng, tokens: Int[Tensor, " length"], layers, heads
) -> Float[Tensor, "layers heads queries keys"]:
    """Causal weights of heads of many kinds and strengths, rows summing to 1."""
    length = len(tokens)
    scores = rng.normal(layers, heads, length, length, dtype=torch.float64) * 0.7
    causal = torch.ones(length, length).tril().bool()
    weights = scores.masked_fill(~causal, -torch.inf).softmax(dim=-1)
    places = targets(tokens)
    first = {t: i for i, t in reversed(list(enumerate(tokens.tolist())))}
    kinds = (
        places,
        [None if p is None else p - 1 for p in places],
        [max(i - 1, 0) for i in range(length)],
        [first[t] + 1 if first[t] < i else None for i, t in enumerate(tokens.tolist())],
        [None if p is None else max(p - 2, 0) for p in places],
    )
    for number in range(layers * heads):
        layer, head = divmod(number, heads)
        kind = kinds[(0, 1, 0, 2, 3, 0, 4)[number % 7]]
        strength = 0.3 + 0.6 * float(torch.rand((), generator=rng.generator))
        jitter = torch.rand(length, generator=rng.generator)
        for query, place in enumerate(kind):
            if place is not None:
                share = strength if jitter[query] < 0.8 else strength / 4
                weights[layer, head, query] *= 1 - share
                weights[layer, head, query, place] += share
    return weights


def case(rng, name, tokens: Int[Tensor, " length"], layers, heads, dtype=torch.float32):
    """The threshold lies in the middle of the widest gap between the scores in their middle."""
    weights = planted(rng, tokens, layers, heads)
    pairs = [(query, place) for query, place in enumerate(targets(tokens)) if place is not None]
    threshold = 0.3
    if pairs:
        rows, columns = torch.tensor(pairs).T
        scores = weights[..., rows, columns].mean(dim=-1).flatten().sort().values
        low = (len(scores) - 1) // 2
        gaps = scores[low:].diff()
        widest = low + int(gaps.argmax())
        threshold = float(scores[widest] + scores[widest + 1]) / 2
    inputs = {"weights": weights.to(dtype), "tokens": tokens, "threshold": round(threshold, 4)}
    return Case(name, inputs)


def exact(name, tokens: Int[Tensor, " length"], scores, threshold, apart, dtype=torch.float32):
    """Heads with given scores, a list for each layer. What is not on a target is on position 0.

    The weights on targets are by turns larger and smaller than the score by `apart`.
    """
    wanted, length = torch.tensor(scores), len(tokens)
    weights = torch.zeros(*wanted.shape, length, length)
    weights[..., 0] = 1
    pairs = [(query, place) for query, place in enumerate(targets(tokens)) if place is not None]
    for number, (query, place) in enumerate(pairs):
        share = wanted + apart * (-1) ** number
        weights[..., query, place], weights[..., query, 0] = share, 1 - share
    inputs = {"weights": weights.to(dtype), "tokens": tokens, "threshold": threshold}
    return Case(name, inputs)


def repeated(rng, block, extra=0) -> Int[Tensor, " length"]:
    """A block of different tokens twice, then the beginning of it again."""
    order = torch.rand(60, generator=rng.generator).argsort()[:block]
    return torch.cat([order, order, order[:extra]])


@exercise.cases
def cases(rng):
    yield case(rng, "a block twice", repeated(rng, 6), 2, 7)
    tokens = torch.tensor([5, 8, 5, 8])
    yield exact("the example of the text", tokens, [[0.5, 0.7]], 0.6, 0.2)
    yield case(rng, "a block twice and a part of it", repeated(rng, 5, 3), 3, 5)
    negative = rng.integers(-3, 3, 14)
    negative[1] = negative[6] = -7
    yield case(rng, "a few negative tokens", negative, 2, 9)
    yield case(rng, "a token beside itself", torch.tensor([3, 3, 8, 1, 8, 8, 3, 1, 3, 3]), 3, 7)
    nothing = case(rng, "nothing occurs twice", torch.tensor([5, 2, 9, 7, 0]), 1, 3)
    nothing.inputs["threshold"] = 0  # a case of another kind is tried on another device, too
    yield nothing
    scores = [[0.5, 0.53125, 0.5], [0.46875, 0.5, 0.75]]
    name = "some scores are the threshold"
    yield exact(name, repeated(rng, 4), scores, 0.5, 0.125, torch.float16)


@exercise.secret_cases
def secret_cases(rng):
    yield case(rng, "a long block", repeated(rng, rng.integer(8, 12)), 2, 14)
    yield case(rng, "three times and a part", torch.cat([repeated(rng, 4, 4)] * 2), 3, 8)
    yield exact("one layer and one head", repeated(rng, 4), [[0.25]], 0.125, 0.125)
    # some are one apart, which no float can tell; others are alike in 32 bits
    few = rng.integers(0, 7, 20)
    yield case(rng, "large numbers for tokens", 2**60 + few // 2 * 2**32 + few % 2, 4, 7)
    late = torch.cat([rng.integers(20, 40, 1), torch.arange(9), torch.tensor([4, 5])])
    yield case(rng, "one pair at the end", late, 2, 7)
    yield case(rng, "one pair at the beginning", torch.tensor([4, 4, 9, 1, 7]), 2, 7)
    yield case(rng, "the first token once more", torch.tensor([6, 3, 5, 6, 1]), 2, 7)
    yield case(rng, "all tokens the same", torch.full((7,), 2), 2, 7)
    yield case(rng, "float64", rng.integers(0, 5, 16).int(), 2, 11, torch.float64)


exercise.promise("of self-attention, of any floating", "a block twice", "float64")
exercise.promise("Each row sums to 1.", UNTRIED)
exercise.promise("Not changed.", EVERY)
exercise.promise(
    "the sequence that they belong", "a few negative tokens", "large numbers for tokens"
)
exercise.promise("from 0 to 1.", "some scores are the threshold", "nothing occurs twice")
exercise.promise("A score may equal it, and is then", "some scores are the threshold")
exercise.promise("No other score is so close", UNTRIED)
exercise.promise("Boolean tensor on the device", "a block twice", "some scores are the threshold")
exercise.promise("All False if no query", "nothing occurs twice")


@exercise.oracle
def query_by_query(weights, tokens, threshold):
    names, total, count = tokens.tolist(), torch.zeros_like(weights[:, :, 0, 0]), 0
    for query in range(len(names)):
        earlier = [place for place in range(query) if names[place] == names[query]]
        if earlier:
            total, count = total + weights[:, :, query, earlier[-1] + 1], count + 1
    return total / max(count, 1) > threshold if count else total > torch.inf


def earlier(tokens: Int[Tensor, " length"]) -> list[tuple[int, list[int]]]:
    """Each query whose token occurs before it, and where."""
    names = tokens.tolist()
    places = [[at for at in range(query) if names[at] == name] for query, name in enumerate(names)]
    return [(query, before) for query, before in enumerate(places) if before]


@exercise.variant
def with_a_table_of_the_last_places(weights, tokens, threshold):
    last: dict[int, int] = {}
    queries, keys = [], []
    for i, token in enumerate(map(int, tokens)):
        if token in last:
            queries.append(i)
            keys.append(last[token] + 1)
        last[token] = i
    if not queries:
        return torch.zeros(weights.shape[:2], dtype=torch.bool, device=weights.device)
    return weights[:, :, queries, keys].mean(-1) > threshold


@exercise.variant
def with_a_matrix_of_equal_tokens(weights, tokens, threshold):
    same = (tokens[:, None] == tokens[None, :]).tril(-1)
    positions = torch.arange(len(tokens), device=tokens.device)
    latest = torch.where(same, positions, -1).amax(dim=1)
    counts = latest >= 0
    chosen = weights.gather(3, (latest + 1).expand(*weights.shape[:2], -1)[..., None])[..., 0]
    return torch.where(counts, chosen, 0).sum(-1) / counts.sum() > threshold


@exercise.variant
def head_by_head(weights, tokens, threshold):
    names = [int(token) for token in tokens]
    found = torch.zeros(weights.size(0), weights.size(1), dtype=torch.bool, device=weights.device)
    for layer, row in enumerate(weights):
        for head, one in enumerate(row):
            seen = []
            for i in range(1, len(names)):
                for j in range(i - 1, -1, -1):
                    if names[j] == names[i]:
                        seen.append(one[i, j + 1])
                        break
            found[layer, head] = bool(seen) and bool(sum(seen) / len(seen) > threshold)
    return found
