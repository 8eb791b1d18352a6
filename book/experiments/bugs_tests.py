"""Claims 68 and 69: which well-known check sees which defect?

Twelve checks are asked of models with each of fourteen defects, and of right ones: five seeds,
before training but for the two checks that train. A check sees a defect if it turns away the
models of all seeds.
"""

from bugs_checks import CHECKS, SEEDS, on_right_models, turned_away
from bugs_model import DEFECTS
from measurements import Numbers, Series, number, run_and_save
from verdicts import claim

USUAL = (
    "the shape is right",
    "the loss falls",
    "one batch is overfitted",
    "a gradient reaches all",
)

SCOPE = (
    "transformers of two blocks, 32 wide, texts of 16 out of 8 symbols, untrained or after at most "
    "150 steps"
)
CLAIMS = [
    claim(
        68,
        "To overfit a single batch of a few examples is a check that finds bugs.",
        "Learning four texts by heart turns away {overfit} of {defects} defects of a small "
        "transformer. Three more usual checks, the right shape, a falling loss and gradients "
        "everywhere, add {usual_more}.",
        "false",
        "since it turns away none of those chosen here, all of which let a model learn",
        scope=SCOPE,
        control="The defects are real: {unseen} of them pass all twelve checks. Bugs that keep a "
        "model from learning, which this check is made for, were not tried.",
        stands=lambda n: n.overfit + n.usual_more < 5,
    ),
    claim(
        69,
        "To follow which inputs an output depends on shows mistakes that the loss hides.",
        "A prefix alone, and a row alone without its padding, turn away {dependence} of {defects} "
        "defects. The check by a single batch turns away {overfit} and that of a falling loss "
        "{sees_the_loss_falls}.",
        "holds if",
        "the mistake changes which inputs an output depends on",
        scope=SCOPE,
        control="The two checks do not turn away everything: of right models, on both tasks, they "
        "turn away {on_right}. The other {others} defects change no dependence that they can see.",
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
