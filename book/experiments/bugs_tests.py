"""Claims 68 and 69: which well-known check sees which defect?

Twelve checks are asked of models with each of fourteen defects, and of right ones: five seeds,
before training but for the two checks that train. A check sees a defect if it turns away the
models of all seeds.
"""

from bugs_checks import CHECKS, SEEDS, on_right_models, turned_away
from bugs_model import DEFECTS
from measurements import Numbers, Series, claim, number, run_and_save

USUAL = (
    "the shape is right",
    "the loss falls",
    "one batch is overfitted",
    "a gradient reaches all",
)

CLAIMS = [
    claim(
        68,
        "To overfit a single batch of a few examples is a check that finds bugs.",
        "Four texts learned by heart turn away {overfit} of {defects} defects, a small transformer "
        "with 5 seeds; right shape, falling loss and gradients everywhere add {usual_more}.",
        "holds if",
        "the bug keeps a model from learning at all",
        stands=lambda n: n.overfit + n.usual_more < 5,
    ),
    claim(
        69,
        "To follow which inputs an output depends on shows mistakes that the loss hides.",
        "A prefix alone, and a row alone without its padding, turn away {dependence} of {defects} "
        "defects, and of right models none.",
        "holds",
        stands=lambda n: n.dependence >= 6 and n.on_right == 0,
    ),
]


def name_of(check: str) -> str:
    return check.replace(" ", "_")


def measure() -> tuple[Numbers, Series]:
    seen = {defect: turned_away(defect) for defect in DEFECTS}
    all_seeds = {check: {d for d in DEFECTS if seen[d][check] == len(SEEDS)} for check in CHECKS}
    usual = {defect for check in USUAL for defect in all_seeds[check]}
    dependence = all_seeds["a prefix alone"] | all_seeds["a row alone"]
    counts = {
        "defects": len(DEFECTS),
        "checks": len(CHECKS),
        "on_right": on_right_models(),
        "overfit": len(all_seeds["one batch is overfitted"]),
        "usual": len(usual),
        "usual_more": len(usual - all_seeds["one batch is overfitted"]),
        "dependence": len(dependence),
        "others": len(DEFECTS) - len(dependence),
        "unseen": sum(not any(d in found for found in all_seeds.values()) for d in DEFECTS),
        "some_seeds": sum(0 < n < len(SEEDS) for row in seen.values() for n in row.values()),
    }
    counts |= {f"sees_{name_of(check)}": len(found) for check, found in all_seeds.items()}
    return {k: number(n, "d") for k, n in counts.items()}, {"seen": seen, "seeds": len(SEEDS)}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
