"""Claims 68 and 69: which well-known check sees which defect?

Twelve checks are asked of models with each of fourteen defects that let a model learn, of four that
do not, and of right ones: five seeds, before training but for the two checks that train. A check
sees a defect if it turns away the models of all seeds.
"""

from collections.abc import Collection

from bugs_checks import CHECKS, SEEDS, on_right_models, turned_away
from bugs_model import DEFECTS, LOUD
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
        "Learning four texts by heart turns away {overfit_loud} of {loud} defects that keep a "
        "small transformer from learning its task, and {overfit} of {defects} that let it learn. "
        "Three more usual checks, the right shape, a falling loss and gradients everywhere, add "
        "{usual_more_loud} and {usual_more}.",
        "holds if",
        "the bug keeps the model from fitting even a few fixed texts",
        scope=SCOPE,
        control="The defects that it does not see are real: {unseen} pass all twelve checks. Nor "
        "does it turn away everything: the twelve turn away right models {on_right} times.",
        stands=lambda n: (
            n.overfit_loud >= n.loud - 1 > 0 and n.overfit + n.usual_more == 0 == n.on_right
        ),
    ),
    claim(
        69,
        "To follow which inputs an output depends on shows mistakes that the loss hides.",
        "A prefix alone, and a row alone without its padding, show a wrong dependence with "
        "{dependence} of {defects} defects that let a model learn. The check by a single batch "
        "turns away {overfit} of these and that of a falling loss {sees_the_loss_falls}.",
        "holds if",
        "the mistake changes which inputs an output depends on",
        scope=SCOPE,
        control="The two checks do not turn away everything: of right models, on both tasks, they "
        "turn away {on_right}. The other {others} defects change no dependence that they can see. "
        "Dropout that never ends is one of these: they turn it away only because two calls differ.",
        stands=lambda n: n.dependence >= 6 and n.on_right == 0,
    ),
]


def name_of(check: str) -> str:
    return check.replace(" ", "_")


def found_by(seen: dict[str, dict[str, int]], defects: Collection[str]) -> dict[str, set[str]]:
    """Of these defects, those that each check turns away with all seeds."""
    return {check: {d for d in defects if seen[d][check] == len(SEEDS)} for check in CHECKS}


def usual_counts(found: dict[str, set[str]]) -> dict[str, int]:
    """How many defects the usual checks see: by one batch, together, and what the others add."""
    overfit, usual = found["one batch is overfitted"], set().union(*(found[c] for c in USUAL))
    return {"overfit": len(overfit), "usual": len(usual), "usual_more": len(usual - overfit)}


def measure() -> tuple[Numbers, Series]:
    seen = {defect: turned_away(defect) for defect in (*DEFECTS, *LOUD)}
    silent, loud = found_by(seen, DEFECTS), found_by(seen, LOUD)
    dependence = silent["a prefix alone"] | silent["a row alone"]
    dependence -= silent["each mode twice"]  # any two calls of such a model differ
    counts = {
        "defects": len(DEFECTS),
        "loud": len(LOUD),
        "checks": len(CHECKS),
        "on_right": on_right_models(),
        "dependence": len(dependence),
        "others": len(DEFECTS) - len(dependence),
        "unseen": len(seen) - len(set().union(*silent.values(), *loud.values())),
        "some_seeds": sum(0 < n < len(SEEDS) for row in seen.values() for n in row.values()),
    }
    for found, tail in ((silent, ""), (loud, "_loud")):
        sees = {f"sees_{name_of(check)}": len(defects) for check, defects in found.items()}
        counts |= {name + tail: n for name, n in (usual_counts(found) | sees).items()}
    return {k: number(n, "d") for k, n in counts.items()}, {"seen": seen, "seeds": len(SEEDS)}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
