"""Claim 78: what a step writes in which a small model proposes and a large one keeps or replaces.

Both models are random Markov chains, so the probability of every text is counted exactly; texts are
also drawn. Rows of a chain are the last token, columns the next one.
"""

from typing import Any

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
VOCABULARY, LENGTH, SPREAD = 6, 4, 1.5  # tokens of a text; spread of the logits
DRAFTS = {"near": 0.1, "middle": 0.4, "far": 1.0}  # how much of the draft is another chain
PROPOSED = range(1, 9)
DRAWN_WITH, ROWS = ("middle", 4), 100_000  # draft and proposed tokens where texts are drawn

CLAIMS = [
    claim(
        78,
        "Tokens that a small model proposes and a large one keeps or replaces are distributed as "
        "if the large model had written alone.",
        "Of all {texts} texts of {length} tokens, no probability is off by more than {off}. The "
        "share of the first proposals that is kept is 1 minus the distance of the two "
        "distributions: {alpha_near}, {alpha_middle} and {alpha_far} with three drafts. A step "
        "with 4 proposals writes {tokens_near_4}, {tokens_middle_4} and {tokens_far_4} tokens.",
        "holds",
        scope="random Markov chains of 6 tokens, one to eight proposals in a step, counted exactly",
        control="With another rule it does not hold: where a rejected token is drawn from the "
        "target as it is, {again} of the weight is on the wrong texts, and {best} where only the "
        "target's most probable token is kept. {rows} texts that were drawn are {drawn} off, as "
        "many drawn from the target alone {chance}, and {drawn_again} with the first of these "
        "rules.",
        stands=lambda n: (
            n.off < 1e-12
            and min(n.again, n.best) > 0.02
            and n.drawn < 1.2 * n.chance
            and n.drawn_again > 2 * n.chance
            and abs(n.kept_drawn - n.alpha_middle) < 0.01
        ),
    ),
]


def chain(seed: int) -> Tensor:
    rng = torch.Generator().manual_seed(seed)
    logits = torch.randn(VOCABULARY, VOCABULARY, generator=rng, dtype=torch.float64)
    return (SPREAD * logits).softmax(dim=-1)


def models(seed: int, draft: str) -> tuple[Tensor, Tensor]:
    """Draft and target. The draft is the target, mixed with a chain that is drawn apart from it."""
    target, share = chain(seed), DRAFTS[draft]
    return (1 - share) * target + share * chain(seed + 100), target


def keeps(draft: Tensor, target: Tensor, rule: str) -> Tensor:
    """The probability that a proposed token is kept."""
    if rule == "best":
        return (target == target.amax(dim=-1, keepdim=True)).double()
    return (target / draft).clamp(max=1)


def instead(draft: Tensor, target: Tensor, rule: str) -> Tensor:
    """The probabilities of what replaces a token that is not kept."""
    more = (target - draft).clamp(min=0) if rule == "right" else target
    return more / more.sum(dim=-1, keepdim=True)


def parts(draft: Tensor, target: Tensor, rule: str) -> tuple[Tensor, Tensor]:
    """Of each next token, the chance that it is proposed and kept, and that it replaces another."""
    kept = draft * keeps(draft, target, rule)
    return kept, (1 - kept.sum(dim=-1, keepdim=True)) * instead(draft, target, rule)


def of_texts(draft: Tensor, target: Tensor, proposed: int, rule: str) -> Tensor:
    """The probability of each text after token 0: an axis for each of its LENGTH tokens.

    Summed over where in a step each token may stand: after any number of kept ones.
    """
    kept, replaced = parts(draft, target, rule)
    places: list[Tensor] = [torch.zeros(VOCABULARY, dtype=torch.float64)] * (proposed + 1)
    places[0] = torch.eye(VOCABULARY, dtype=torch.float64)[0]
    for _ in range(LENGTH):
        ends = sum(place[..., None] * replaced for place in places[:-1])
        ends = ends + places[-1][..., None] * target
        places = [ends] + [place[..., None] * kept for place in places[:-1]]
    return sum(places[1:], places[0])[0]


def alone(target: Tensor) -> Tensor:
    """The same if the target writes by itself."""
    texts = torch.eye(VOCABULARY, dtype=torch.float64)[0]
    for _ in range(LENGTH):
        texts = texts[..., None] * target
    return texts[0]


def stationary(step: Tensor) -> Tensor:
    """How often each token is the last one, in the long run."""
    return torch.linalg.matrix_power(step, 1000)[0]


def tokens_a_step(draft: Tensor, target: Tensor, proposed: int) -> float:
    """In the long run: the one that is always written, and those that are kept before it."""
    kept, replaced = parts(draft, target, "right")
    reached, ends = torch.eye(VOCABULARY, dtype=torch.float64), torch.zeros_like(kept)
    written = torch.ones(VOCABULARY, dtype=torch.float64)
    for _ in range(proposed):
        ends = ends + reached @ replaced
        reached = reached @ kept
        written = written + reached.sum(dim=-1)
    return float(stationary(ends + reached @ target) @ written)


def distance(one: Tensor, other: Tensor) -> float:
    return (one - other).abs().sum().item() / 2


def kept_share(draft: Tensor, target: Tensor) -> float:
    """1 minus the distance of the two rows, in a text of the target."""
    apart = (draft - target).abs().sum(dim=-1) / 2
    return 1 - float(stationary(target) @ apart)


def step(
    last: Tensor, draft: Tensor, target: Tensor, proposed: int, rule: str, rng: torch.Generator
) -> tuple[Tensor, Tensor]:
    """What one step writes after the last tokens, -1 behind it, and how many tokens were kept."""
    tokens = [last]
    for _ in range(proposed):
        tokens.append(torch.multinomial(draft[tokens[-1]], 1, generator=rng)[:, 0])
    before, after = torch.stack(tokens[:-1], dim=1), torch.stack(tokens[1:], dim=1)
    u = torch.rand(before.shape, generator=rng, dtype=torch.float64)
    stays = u < keeps(draft, target, rule)[before, after]
    kept = stays.long().cumprod(dim=1).sum(dim=1, keepdim=True)
    at = torch.cat([before, after[:, -1:]], dim=1).gather(1, kept)  # the token before the last one
    others = torch.where(kept < proposed, instead(draft, target, rule)[at[:, 0]], target[at[:, 0]])
    new = torch.multinomial(others, 1, generator=rng)
    written = torch.cat([after, new], dim=1).scatter(1, kept, new)
    return written.masked_fill(torch.arange(proposed + 1) > kept, -1), kept[:, 0]


def drawn(
    draft: Tensor, target: Tensor, proposed: int, rule: str, seed: int
) -> tuple[Tensor, float]:
    """How often each text of LENGTH tokens came, and which share of first proposals was kept.

    That share is of long texts: the first token is drawn as often as it occurs in them.
    """
    rng = torch.Generator().manual_seed(seed)
    last, texts = torch.zeros(ROWS, dtype=torch.long), torch.zeros(ROWS, 0, dtype=torch.long)
    for _ in range(LENGTH):  # a step writes a token at least
        written, _ = step(last, draft, target, proposed, rule, rng)
        texts = torch.cat([texts, written], dim=1)
        last = written.gather(1, (written >= 0).sum(dim=1, keepdim=True) - 1)[:, 0]
    order = (texts < 0).long().argsort(dim=1, stable=True)
    texts = texts.gather(1, order)[:, :LENGTH]
    powers = VOCABULARY ** torch.arange(LENGTH - 1, -1, -1)
    counts = (texts * powers).sum(dim=1).bincount(minlength=VOCABULARY**LENGTH)
    first = torch.multinomial(stationary(target), ROWS, replacement=True, generator=rng)
    kept = step(first, draft, target, 1, rule, rng)[1]
    return counts.double() / ROWS, kept.double().mean().item()


def by_chance(target: Tensor, seed: int) -> float:
    """How far as many texts of the target alone are off."""
    rng, wanted = torch.Generator().manual_seed(seed), alone(target).flatten()
    texts = torch.multinomial(wanted, ROWS, replacement=True, generator=rng)
    return distance(texts.bincount(minlength=len(wanted)).double() / ROWS, wanted)


def counted() -> Numbers:
    """What is exact: the largest error, and the weight on wrong texts by other rules."""
    off: list[float] = []
    wrong: dict[str, list[float]] = {"again": [], "best": []}
    for seed in SEEDS:
        for kind in DRAFTS:
            draft, target = models(seed, kind)
            pairs = [of_texts(draft, target, n, "right") - alone(target) for n in PROPOSED]
            off += [pair.abs().max().item() for pair in pairs]
        draft, target = models(seed, DRAWN_WITH[0])
        for rule, found in wrong.items():
            texts = of_texts(draft, target, DRAWN_WITH[1], rule)
            found.append(distance(texts, alone(target)))
    return {"off": number(max(off), ".0e")} | {
        rule: number(found, ".1%") for rule, found in wrong.items()
    }


def of_draws() -> Numbers:
    found: dict[str, list[float]] = {"drawn": [], "drawn_again": [], "chance": [], "kept_drawn": []}
    for seed in SEEDS:
        draft, target = models(seed, DRAWN_WITH[0])
        wanted = alone(target).flatten()
        right, kept = drawn(draft, target, DRAWN_WITH[1], "right", seed)
        again, _ = drawn(draft, target, DRAWN_WITH[1], "again", seed)
        found["drawn"].append(distance(right, wanted))
        found["drawn_again"].append(distance(again, wanted))
        found["chance"].append(by_chance(target, seed))
        found["kept_drawn"].append(kept)
    return {key: number(sample, ".1%") for key, sample in found.items()}


def by_formula(alpha: float, proposed: int) -> float:
    """Tokens a step if every proposal were kept with the same chance, whatever comes before."""
    return (1 - alpha ** (proposed + 1)) / (1 - alpha)


def measure() -> tuple[Numbers, Series]:
    numbers = {
        "vocabulary": number(VOCABULARY, ".0f"),
        "length": number(LENGTH, ".0f"),
        "texts": number(VOCABULARY**LENGTH, ",.0f"),
        "rows": number(ROWS, ",.0f"),
    }
    series: dict[str, Any] = {"proposed": [*PROPOSED], "tokens": {}, "formula": {}}
    for kind, share in DRAFTS.items():
        pairs = [models(seed, kind) for seed in SEEDS]
        alpha = [kept_share(*pair) for pair in pairs]
        tokens = [[tokens_a_step(*pair, n) for n in PROPOSED] for pair in pairs]
        numbers[f"share_{kind}"] = number(share, ".0%")
        numbers[f"alpha_{kind}"] = number(alpha, ".1%")
        numbers[f"limit_{kind}"] = number([1 / (1 - a) for a in alpha], ".2f")
        for n in (1, 4, 8):
            numbers[f"tokens_{kind}_{n}"] = number([row[n - 1] for row in tokens], ".2f")
            numbers[f"formula_{kind}_{n}"] = number([by_formula(a, n) for a in alpha], ".2f")
        series["tokens"][kind] = tokens
        series["formula"][kind] = [[by_formula(a, n) for n in PROPOSED] for a in alpha]
    return numbers | counted() | of_draws(), series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
