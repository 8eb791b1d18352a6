"""Claims 45 and 47: what depends on the distance of two positions only, and does it decay?

The same token stands at every position, so a score can only differ by where its two tokens are.
"""

import torch
from measurements import Numbers, Series, number, run_and_save
from positions_model import angles, rotate, sinusoids, slopes
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
LENGTH, WIDTH, MOVED, OFFSET, DRAWN = 64, 64, 1000, 7, 2000
FAR = 512

CLAIMS = [
    claim(
        45,
        "The sinusoids of a position some steps on are a linear function of those of the position, "
        "so that a model can easily attend by relative positions.",
        "One matrix leads from each of {length} rows to the row {offset} positions on, with an "
        "error of {linear_gap}. Products of two rows depend on the distance only: they differ by "
        "{raw_spread} of their standard deviation. After random projections, scores of one "
        "distance differ by {projected_spread} of it.",
        "holds if",
        "only the existence of the linear function is meant",
        scope="64 positions, sinusoids 64 wide, one token at all positions, computed without "
        "training",
        control="A matrix that is fitted to some rows may be right for these only. This one is "
        "computed from the offset alone, and it is right for every row.",
        stands=lambda n: n.linear_gap < 1e-9 and n.raw_spread < 1e-6 and n.projected_spread > 0.5,
    ),
    claim(
        47,
        "With rotary positions, the score decays as the distance grows.",
        "Where query and key are the same vector, the score falls from 1 to {alike_64} at distance "
        "64, on average over {drawn} vectors. Where they are independent, its root mean square is "
        "{apart_0} at distance 0 and {apart_64} at 64.",
        "holds if",
        "query and key are the same random vector and the mean over many of these is meant",
        scope="2,000 pairs of random vectors 64 wide, distances up to 511, computed",
        control="A falling score could be the work of the rotation alone. For two independent "
        "vectors, with the same rotation, it does not fall.",
        stands=lambda n: n.alike_64 < 0.6 and abs(n.apart_64 / n.apart_0 - 1) < 0.1,
    ),
]


def spread(scores: Tensor) -> float:
    """Standard deviation within a distance, over that of all scores. scores: [queries, keys]."""
    diagonals = [scores.diagonal(-distance) for distance in range(1, LENGTH // 2)]
    within = torch.cat([one - one.mean() for one in diagonals])
    return (within.square().mean().sqrt() / torch.cat(diagonals).std(correction=0)).item()


def vectors(seed: int, *shape: int) -> Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=rng)


def score_tables(seed: int, start: int = 0) -> dict[str, Tensor]:
    """Scores of one token with itself at all pairs of positions, [queries, keys], by scheme."""
    positions = torch.arange(start, start + LENGTH)
    table = sinusoids(positions, WIDTH)  # [length, d_model]
    token, *projections = vectors(seed, 3, WIDTH, WIDTH) / WIDTH**0.5
    x = token[0] * WIDTH**0.5
    W_q, W_k = projections
    learned = vectors(seed + 100, 2 * MOVED, WIDTH)[positions]
    angle = angles(positions, WIDTH)
    distance = (positions[:, None] - positions).abs()
    query, key = ((x @ W).expand(LENGTH, WIDTH) for W in (W_q, W_k))
    return {
        "raw": table @ table.T,
        "learned": (x + learned) @ W_q @ ((x + learned) @ W_k).T,
        "projected": (x + table) @ W_q @ ((x + table) @ W_k).T,
        "rope": rotate(query, angle) @ rotate(key, angle).T,
        "alibi": query @ key.T - slopes(4)[0] * distance,
    }


def moved_gap(here: Tensor, there: Tensor) -> float:
    """How far scores change when all tokens move, in standard deviations."""
    return ((there - here).square().mean().sqrt() / here.std()).item()


def linear_gap() -> float:
    """The largest error of the matrix that turns each hand of the clock OFFSET positions on."""
    here, there = (sinusoids(torch.arange(at, at + LENGTH), WIDTH) for at in (0, OFFSET))
    turn = angles(torch.tensor([OFFSET]), WIDTH)[0]  # [pairs]
    cos, sin = turn.cos(), turn.sin()
    blocks = torch.stack([torch.stack([cos, -sin], -1), torch.stack([sin, cos], -1)], dim=-2)
    matrix = torch.block_diag(*blocks)  # [d_model, d_model]; a row is (sin, cos)
    return (here @ matrix - there).abs().max().item()


def decay() -> tuple[Numbers, Series]:
    """Scores by distance: of a vector with itself, over its length; of two, root mean square."""
    query, other = vectors(0, 2, DRAWN, 1, WIDTH)
    distances = torch.arange(FAR)
    turned = [rotate(one, angles(distances[:1], WIDTH)) for one in (query, other)]
    keys = rotate(query.expand(-1, FAR, -1), angles(distances, WIDTH))  # [drawn, distances, d_k]
    alike = (turned[0] @ keys.mT).squeeze(1) / query.square().sum(dim=-1)
    apart = (turned[1] @ keys.mT).squeeze(1) / WIDTH**0.5
    mean, size = alike.mean(dim=0), apart.square().mean(dim=0).sqrt()
    numbers = {f"alike_{at}": number(mean[at].item(), ".2f") for at in (16, 64, 256)}
    numbers |= {f"apart_{at}": number(size[at].item(), ".2f") for at in (0, 64, 256)}
    return numbers, {"alike": mean.tolist(), "apart": size.tolist()}


def measure() -> tuple[Numbers, Series]:
    torch.set_default_dtype(torch.float64)
    numbers, series = decay()
    found = [(score_tables(seed), score_tables(seed, MOVED)) for seed in SEEDS]
    for name in found[0][0]:
        fmt = ".0e" if name in ("raw", "rope", "alibi") else ".2f"
        numbers[f"{name}_spread"] = number([spread(here[name]) for here, _ in found], fmt)
        gaps = [moved_gap(here[name], there[name]) for here, there in found]
        numbers[f"{name}_moved"] = number(gaps, fmt)
    numbers["linear_gap"] = number(linear_gap(), ".0e")
    sizes = {"length": LENGTH, "width": WIDTH, "moved": MOVED, "offset": OFFSET, "drawn": DRAWN}
    return numbers | {key: number(size, ",d") for key, size in sizes.items()}, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
