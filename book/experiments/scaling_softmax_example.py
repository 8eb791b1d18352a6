"""Claim 12: are these the weights of these scores?

A text prints three rows of scores and three rows of weights. The weights are recomputed, and a
scale is searched for that would turn the scores into the printed weights, as rounded.
"""

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from verdicts import claim

SCORES = [[0.9, 0.3, 0.1], [0.4, 0.8, 0.2], [0.2, 0.5, 0.7]]  # [queries, keys]
PRINTED = [[0.5, 0.3, 0.2], [0.2, 0.6, 0.2], [0.1, 0.4, 0.5]]
SCALES = torch.linspace(0, 20, 20_001)

CLAIMS = [
    claim(
        12,
        "The softmax of the rows (.9, .3, .1), (.4, .8, .2), (.2, .5, .7) is (.5, .3, .2), "
        "(.2, .6, .2), (.1, .4, .5).",
        "It is ({row_0}), ({row_1}), ({row_2}): the first row is right, the largest error is "
        "{error}. Factors in front of the scores that would give the printed rows: {scales_0}, "
        "{scales_1} and {scales_2}; none would give all three.",
        "false",
        "only the first row is right",
        scope="computed",
        control="The scores could have been multiplied by a factor before: of all factors up to "
        "20, tried in steps of a thousandth, {common_scales} give the three rows.",
        stands=lambda n: n.error > 0.05 and n.scales_2 == "none",
    )
]


def weights(scale: float = 1.0) -> Tensor:
    """[queries, keys], float64"""
    return (scale * torch.tensor(SCORES, dtype=torch.float64)).softmax(dim=-1)


def fitting_scales(row: int) -> list[float]:
    """Factors at which a row, rounded to one digit, is the printed one."""
    scores = torch.tensor(SCORES[row], dtype=torch.float64)
    found = (SCALES[:, None] * scores).softmax(dim=-1)  # [scales, keys]
    off = (found - torch.tensor(PRINTED[row], dtype=torch.float64)).abs().amax(dim=-1)
    return SCALES[off <= 0.05].tolist()


def measure() -> tuple[Numbers, Series]:
    found = weights()
    numbers = {"error": number((found - torch.tensor(PRINTED)).abs().max().item(), ".2f")}
    fits = [fitting_scales(row) for row in range(3)]
    for row, fit in enumerate(fits):
        numbers[f"row_{row}"] = number(", ".join(f"{w:.2f}"[1:] for w in found[row].tolist()))
        text = f"{min(fit):.1f} to {max(fit):.1f}" if fit else "none"
        numbers[f"scales_{row}"] = number(text)
    common = set(fits[0]) & set(fits[1]) & set(fits[2])
    numbers["common_scales"] = number(len(common), "d")
    scores = torch.tensor(SCORES)
    numbers["asymmetry"] = number((scores - scores.T).abs().max().item(), ".1f")
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, [0])
