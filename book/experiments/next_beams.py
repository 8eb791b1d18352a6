"""Claim 62: greedy choice and beams, where the most probable text is known exactly.

The model is a random Markov chain of order two with an end. Dynamic programming finds the most
probable text of at most LENGTH tokens; beams of several widths look for it.
"""

from itertools import pairwise

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
CHAINS, SYMBOLS, LENGTH = 200, 12, 16  # the last symbol is the end
SHARP, RARE = 1.5, 2.0  # spread of the logits; by how much that of the end is lower
WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
END = SYMBOLS - 1

CLAIMS = [
    claim(
        62,
        "The most probable text is much shorter than those that the model writes.",
        "Random models with an end, which comes at {ending} of the symbols on average. A text "
        "that is drawn has {length_drawn} symbols, the most probable one {length_best}; in "
        "{empty} of the models it is empty. The text found has {ended_length_1} symbols with one "
        "beam and {ended_length_32} with 32.",
        "holds",
        scope="random Markov chains of 11 symbols and an end, texts of up to 16 symbols, computed",
        control="The search makes no errors: the most probable text is found exactly, by dynamic "
        "programming. Cutting texts at {length} symbols only makes those that are drawn shorter.",
        stands=lambda n: (
            n.length_best < n.length_drawn / 2 and n.ended_length_32 < n.ended_length_1
        ),
    ),
]


def chains(seed: int, ends: bool) -> Tensor:
    """Log-probabilities [chains, before, last, next]; 0 of either stands for the beginning."""
    rng = torch.Generator().manual_seed(seed)
    shape = (CHAINS, SYMBOLS, SYMBOLS, SYMBOLS)
    logits = SHARP * torch.randn(shape, generator=rng, dtype=torch.float64)
    logits[..., END] -= RARE if ends else torch.inf
    return logits.log_softmax(dim=-1)


def exact(chain: Tensor, ends: bool) -> tuple[Tensor, Tensor]:
    """Log-probability of the best text of each chain, and its length without the end.

    best[before, last]: of the most probable beginning that ends so.
    """
    best = torch.full((CHAINS, SYMBOLS, SYMBOLS), -torch.inf, dtype=torch.float64)
    best[:, 0, 0] = 0.0
    ended = []
    for _ in range(LENGTH):
        table = best[..., None] + chain  # [chains, before, last, next]
        ended.append(table[..., END].flatten(1).amax(dim=-1))
        best = table.amax(dim=1)
        best[..., END] = -torch.inf
    if not ends:
        return best.flatten(1).amax(dim=-1), torch.full((CHAINS,), LENGTH)
    found, length = torch.stack(ended).max(dim=0)
    return found, length


def search(chain: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """The same of the best text in the beam after LENGTH steps, finished or cut there."""
    row = torch.arange(CHAINS)[:, None]
    totals = torch.full((CHAINS, width), -torch.inf, dtype=torch.float64)
    totals[:, 0] = 0.0
    before = torch.zeros(CHAINS, width, dtype=torch.long)
    last, length = before.clone(), before.clone()
    done = torch.zeros(CHAINS, width, dtype=torch.bool)
    stays = torch.full((SYMBOLS,), -torch.inf, dtype=torch.float64)
    stays[END] = 0.0
    for _ in range(LENGTH):
        extra = torch.where(done[..., None], stays, chain[row, before, last])
        totals, place = (totals[..., None] + extra).flatten(1).topk(width)
        beam, token = place // SYMBOLS, place % SYMBOLS
        length = length.gather(1, beam) + (token != END)
        before, last, done = last.gather(1, beam), token, token == END
    found, at = totals.max(dim=1)
    return found, length.gather(1, at[:, None])[:, 0]


def drawn_length(chain: Tensor) -> list[float]:
    """Of texts that are drawn, cut at LENGTH: the mean number of tokens, exactly, of each chain."""
    probs, alive = chain.exp(), torch.zeros(CHAINS, SYMBOLS, SYMBOLS, dtype=torch.float64)
    alive[:, 0, 0] = 1.0
    total = torch.zeros(CHAINS, dtype=torch.float64)
    for _ in range(LENGTH):
        alive = (alive[..., None] * probs).sum(dim=1)  # [chains, last, next]
        alive[..., END] = 0
        total += alive.sum(dim=(1, 2))
    return total.tolist()


def of_seed(seed: int, ends: bool) -> dict[str, list[float]]:
    chain = chains(seed, ends)
    best, length = exact(chain, ends)
    found = {width: search(chain, width) for width in WIDTHS}
    pairs = pairwise(WIDTHS)
    worse = torch.stack([found[wide][0] < found[narrow][0] - 1e-9 for narrow, wide in pairs])
    return {
        "found": [_share(total > best - 1e-9) for total, _ in found.values()],
        "length": [n.double().mean().item() for _, n in found.values()],
        "best": [length.double().mean().item()],
        "empty": [_share(length == 0)],
        "drawn": [sum(drawn_length(chain)) / CHAINS],
        "worse": [_share(worse)],
        "worse_models": [_share(worse.any(dim=0))],
        "ending": [chain[..., END].exp().mean().item()],
    }


def _share(which: Tensor) -> float:
    return which.double().mean().item()


def measure() -> tuple[Numbers, Series]:
    runs, ended = ([of_seed(seed, ends) for seed in SEEDS] for ends in (False, True))
    count = CHAINS * len(SEEDS)
    numbers = {
        "models": number(count, ",.0f"),
        "symbols": number(SYMBOLS - 1, ".0f"),
        "length": number(LENGTH, ".0f"),
        "pairs": number(count * (len(WIDTHS) - 1), ",.0f"),
        "worse": number([run["worse"][0] for run in runs], ".1%"),
        "worse_models": number([run["worse_models"][0] for run in runs], ".0%"),
        "ending": number([run["ending"][0] for run in ended], ".0%"),
        "length_drawn": number([run["drawn"][0] for run in ended], ".1f"),
        "length_best": number([run["best"][0] for run in ended], ".1f"),
        "empty": number([run["empty"][0] for run in ended], ".0%"),
    }
    for at, width in enumerate(WIDTHS):
        numbers[f"found_{width}"] = number([run["found"][at] for run in runs], ".0%")
        numbers[f"ended_length_{width}"] = number([run["length"][at] for run in ended], ".1f")
    series = {
        "widths": WIDTHS,
        "found": [run["found"] for run in runs],
        "length": [run["length"] for run in ended],
    }
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
