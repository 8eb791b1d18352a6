"""Claim 19: do permuted inputs permute the outputs, and does a word ask the same anywhere?

Everything in float64, so that rounding can be told from a real difference. A layer's error is the
largest change of an output that moving its token caused, relative to the largest output.
"""

import math
from collections.abc import Callable

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from verdicts import claim

SEEDS = range(5)
LENGTH, D_MODEL, VOCABULARY, PERMUTATIONS = 12, 32, 5, 20
DISTANCE, MANY = 3, range(100)  # for what is measured of positions alone
Layer = Callable[[Tensor], Tensor]  # [length, d_model] to [length, d_model]

CLAIMS = [
    claim(
        19,
        "Before positions are added, attention is permutation equivariant; the same word gives the "
        "same query anywhere.",
        "Without mask and positions, permuted tokens permute the outputs up to {plain_error} "
        "(float64). A causal mask breaks that: outputs change by {causal_error} times the largest "
        "of them; added sinusoidal positions by {positions_error} times. Queries of the same word "
        "differ by {query_gap}, also under the mask; with positions by {positions_query_gap}.",
        "holds if",
        "there is no causal mask",
        scope="one random layer on 12 tokens 32 wide, float64, untrained",
        control="A comparison that sees no difference anywhere: it sees that of the mask and that "
        "of the positions. A layer of another make: with `nn.MultiheadAttention` and four heads it "
        "finds {multi_head_error}.",
        stands=lambda n: (
            max(n.plain_error, n.multi_head_error) < 1e-9
            and n.query_gap < 1e-9
            and min(n.causal_error, n.positions_error, n.positions_query_gap) > 0.1
        ),
    )
]


class SelfAttention(nn.Module):
    """One head, of one sequence, with an optional causal mask. [length, d_model]"""

    def __init__(self, causal: bool = False):
        super().__init__()
        self.causal = causal
        linear = [nn.Linear(D_MODEL, D_MODEL, bias=False).double() for _ in range(3)]
        self.W_q, self.W_k, self.W_v = linear

    def forward(self, x: Tensor) -> Tensor:
        scores = 3 * self.W_q(x) @ self.W_k(x).mT / math.sqrt(D_MODEL)  # 3: weights far from equal
        if self.causal:
            visible = torch.ones(len(x), len(x)).tril().bool()
            scores = scores.masked_fill(~visible, -math.inf)
        return scores.softmax(dim=-1) @ self.W_v(x)


def sinusoidal(length: int, width: int) -> Tensor:
    """Positions of Vaswani et al. (2017), section 3.5. [length, width]"""
    rate = 10_000 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angle = torch.arange(length, dtype=torch.float64)[:, None] * rate
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


def distance_gap(length: int = 64) -> float:
    """How much the dot product of two rows of positions varies among pairs of equal distance."""
    table = sinusoidal(length, D_MODEL)
    products = table @ table.T / (D_MODEL / 2)  # [length, length], 1 on the diagonal
    diagonals = [products.diagonal(distance) for distance in range(length)]
    return max((d.max() - d.min()).item() for d in diagonals)


def same_distance(seed: int, distance: int = DISTANCE, length: int = 64) -> float:
    """Spread of the scores of positions at one distance after random W_q and W_k, over that of all.

    0 where scores depend on the distance only, about 1 where the distance tells nothing of them.
    """
    rng = torch.Generator().manual_seed(seed)
    made = torch.randn(2, D_MODEL, D_MODEL, generator=rng, dtype=torch.float64)
    query, key = sinusoidal(length, D_MODEL) @ made / math.sqrt(D_MODEL)
    scores = query @ key.mT / math.sqrt(D_MODEL)  # [length, length]
    return (scores.diagonal(distance).std() / scores.std()).item()


def with_positions(layer: Layer) -> Layer:
    return lambda x: layer(x + sinusoidal(*x.shape))


def multi_head() -> Layer:
    layer = nn.MultiheadAttention(D_MODEL, num_heads=4, batch_first=True).double()
    return lambda x: layer(x[None], x[None], x[None], need_weights=False)[0][0]


def error(layer: Layer, seed: int) -> float:
    """Largest difference of layer(x[order]) and layer(x)[order], over random orders."""
    rng, worst = torch.Generator().manual_seed(seed), 0.0
    for _ in range(PERMUTATIONS):
        x = torch.randn(LENGTH, D_MODEL, generator=rng, dtype=torch.float64)
        order = torch.randperm(LENGTH, generator=rng)
        moved, output = layer(x[order]), layer(x)[order]
        worst = max(worst, ((moved - output).abs().max() / output.abs().max()).item())
    return worst


def text(seed: int) -> tuple[Tensor, Tensor]:
    """Words of a small vocabulary, many of them repeated, and their embeddings."""
    rng = torch.Generator().manual_seed(seed)
    table = torch.randn(VOCABULARY, D_MODEL, generator=rng, dtype=torch.float64)
    words = torch.randint(VOCABULARY, (LENGTH,), generator=rng)  # [length]
    return words, table[words]


def gap(vectors: Tensor, words: Tensor) -> float:
    """Largest difference between the vectors of two occurrences of one word."""
    same = words[:, None] == words  # [length, length]
    return torch.cdist(vectors, vectors, p=math.inf)[same].max().item()


def of_seed(seed: int) -> dict[str, float]:
    torch.manual_seed(seed)
    layer, causal = SelfAttention(), SelfAttention(causal=True)
    causal.load_state_dict(layer.state_dict())
    words, x = text(seed)
    placed = x + sinusoidal(*x.shape)
    with torch.no_grad():
        return {
            "plain_error": error(layer, seed),
            "multi_head_error": error(multi_head(), seed),
            "causal_error": error(causal, seed),
            "positions_error": error(with_positions(layer), seed),
            "query_gap": gap(layer.W_q(x), words),
            "positions_query_gap": gap(layer.W_q(placed), words),
            "output_gap": gap(layer(x), words),
            "causal_output_gap": gap(causal(x), words),
            "twice_gap": (layer(torch.cat([x, x]))[:LENGTH] - layer(x)).abs().max().item(),
        }


def measure() -> tuple[Numbers, Series]:
    rows = [of_seed(seed) for seed in SEEDS]
    numbers: Numbers = {"seeds": number(float(len(SEEDS)), ".0f")}
    numbers["distance_gap"] = number(distance_gap(), ".0e")
    numbers["distance"] = number(DISTANCE, "d")
    numbers["same_distance"] = number([same_distance(seed) for seed in MANY], ".2f")
    numbers["drawn"] = number(len(MANY), "d")
    numbers["d_model"] = number(D_MODEL, "d")
    slowest = 2 * math.pi * 10_000 ** ((D_MODEL - 2) / D_MODEL)  # tokens for one turn
    numbers["slowest_turn"] = number(slowest, ",.0f")
    for key in rows[0]:
        sample = [row[key] for row in rows]
        if max(sample) == 0:
            numbers[key] = number(0, "d")
        elif max(sample) < 1e-9:  # rounding varies between machines: the largest, as a size
            numbers[key] = number(max(sample), ".0e")
        else:
            numbers[key] = number(sample, ".2f")
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
