"""What the trained transformer writes by itself, and how much of it is true in its own story."""

import re

import torch
from lm_text import START
from measurements import Numbers, Series, number, run_and_save
from stories import CITIES, NAMES
from stories_trained import Run, trained
from stories_training import LONGEST, USUAL
from torch import nn

SEEDS = range(5)
WRITTEN, SHOWN = 40, 2  # stories by each model, and those that the page shows
LINE = re.compile(rf" ({'|'.join(NAMES)}) (is in|goes to|stays in) ({'|'.join(CITIES)})")


@torch.no_grad()
def written(model: nn.Module, seed: int) -> list[str]:
    """Stories as long as the longest in training, at temperature 1."""
    rng = torch.Generator().manual_seed(seed)
    tokens = torch.full((WRITTEN, 1), START)
    for _ in range(LONGEST - 1):
        new = torch.multinomial(model(tokens)[:, -1].softmax(dim=-1), 1, generator=rng)
        tokens = torch.cat([tokens, new], dim=1)
    return [USUAL.tokenizer().decode(row[1:].tolist()) for row in tokens]


def judged(text: str) -> list[str]:
    """Of each line whether it is "true" or "false" as an answer, "possible", "impossible", or "no
    sentence"."""
    at: dict[str, str] = {}
    return [_judged(line, at) for line in text.split("\n")[:-1]]


def _judged(line: str, at: dict[str, str]) -> str:
    if not (found := LINE.fullmatch(line)):
        return "no sentence"
    name, does, city = found.groups()
    if does == "stays in":
        return "true" if at.get(name) == city else "false"
    possible = name not in at if does == "is in" else at.get(name, city) != city
    at[name] = city
    return "possible" if possible else "impossible"


def measure() -> tuple[Numbers, Series]:
    texts = [written(trained(Run("transformer", seed)).model, seed) for seed in SEEDS]
    found = [[verdict for text in of_seed for verdict in judged(text)] for of_seed in texts]
    kinds = ("true", "false", "possible", "impossible", "no sentence")
    counts = {kind: [each.count(kind) for each in found] for kind in kinds}
    share = [100 * true / (true + false)
             for true, false in zip(counts["true"], counts["false"], strict=True)]  # fmt: skip
    numbers: Numbers = {
        "stories": number(WRITTEN, "d"),
        "lines": number(sum(map(len, found)), ",d"),
        "no_sentence": number(sum(counts["no sentence"]), "d"),
        "impossible": number(sum(counts["impossible"]), "d"),
        "answers": number(sum(counts["true"]) + sum(counts["false"]), ",d"),
        "true": number(sum(counts["true"]), ",d"),
        "share": number(share, ".0f", "%"),
    }
    return numbers, {"texts": [of_seed[0] for of_seed in texts[:SHOWN]]}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
