"""Claims 45, 46, 48, 49: copying the symbol of three tokens ago, at 1 to 8 times the length.

One layer. The answer is always as near as in training. Two follow-ups: a table of biases that ends
at 32 instead of 16, and three layers, trained for four times as long at a rate of their own, for
the two schemes that did not learn the task with one: no positions, and ALiBi.
"""

import torch
from choosing import Choice, search
from measurements import Numbers, Series, number, run_and_save
from positions_lengths import LONG, SEEDS, all_schemes, of_scheme, trained
from positions_model import Model
from positions_tasks import BACK, STEPS, SYMBOLS, TRAINED, Sampler, accuracy, train
from verdicts import claim

DEEP, LONGER = 3, 4
TUNING_SEEDS = (10, 11)

CLAIMS = [
    claim(
        45,
        "Sinusoids may let a model extrapolate to sequences longer than those of its training.",
        "Copying a symbol from three tokens ago, trained on 32 tokens: accuracy {sinusoidal_32} at "
        "32 tokens, {sinusoidal_64} at 64 and {sinusoidal_128} at 128; chance is {chance}.",
        "false",
        "for this model, which fails as soon as the positions are new",
        scope="one layer of attention 32 wide, 300 steps of Adam on 32 tokens, one learning rate",
        control="New distances or more keys could be at fault. With 32 tokens at positions 96 to "
        "127 there are neither, and the accuracy is {sinusoidal_moved}; RoPE copies "
        "{rope_moved} there.",
        stands=lambda n: n.sinusoidal_32 > 0.95 and n.sinusoidal_64 < 0.4,
    ),
    claim(
        46,
        "Rotary positions can be expanded to any sequence length.",
        "Copying, trained on 32 tokens: accuracy {rope_32} at 32 tokens, {rope_64} at 64. With "
        "128 tokens of which a query sees the last 32, {rope_window}.",
        "holds if",
        "no query sees farther back than in training",
        scope="one layer of attention 32 wide, RoPE with base 10,000, 300 steps of Adam on 32 "
        "tokens, one learning rate",
        control="The window alone is not enough: with it, learned positions copy {learned_window}. "
        "New positions alone do no harm to RoPE: at positions 96 to 127 it copies {rope_moved}.",
        stands=lambda n: n.rope_32 > 0.95 and n.rope_64 < 0.3 and n.rope_window > 0.95,
    ),
    claim(
        48,
        "A linear bias by distance (ALiBi) lets a model that was trained on short sequences work "
        "on long ones.",
        "Copying: accuracy {alibi_128} at 128 tokens, but already at the 32 tokens of the training "
        "no more than {alibi_32}; with three layers and four times the steps {alibi_deep_32} at 32 "
        "tokens and {alibi_deep_128} at 128. A learned bias by distance, with one layer, reaches "
        "{relative_32} at 32 tokens, {relative_128} at 128.",
        "not tested",
        "in copying, which ALiBi learned only in part at 32 tokens in these models",
        scope="one layer of attention 32 wide and 300 steps of Adam on 32 tokens at one learning "
        "rate, or three layers and 1,200 steps at a rate chosen for them on other seeds",
        stands=lambda n: max(n.alibi_32, n.alibi_deep_32) < 0.6,
    ),
    claim(
        49,
        "A decoder without positions generalises to longer sequences better than with them.",
        "Copying: without positions {none_32} at 32 tokens and {none_128} at 128; with three "
        "layers and four times the steps {none_deep_32} and {none_deep_128}. A learned bias by "
        "distance: {relative_32} and {relative_128}.",
        "not tested",
        "since these models did not learn to copy without positions, not even at 32 tokens",
        scope="one layer of attention 32 wide and 300 steps of Adam on 32 tokens at one learning "
        "rate, or three layers and 1,200 steps at a rate chosen for them on other seeds",
        stands=lambda n: n.relative_32 > 0.95 and max(n.none_32, n.none_deep_32) < 0.6,
    ),
]


@torch.no_grad()
def scores_by_distance(model: Model) -> list[list[float]]:
    """Scores by distance, of the head with most weight at BACK: [seeds, distances].

    The logarithm of its weight, mean over sequences, for the last query of LONG tokens; 0 at BACK.
    """
    tokens, *_ = Sampler("copying", SEEDS, shift=3)(128, LONG)
    (weights,) = model.forward(tokens)[1]
    last = (
        weights[..., -1, :].flip(-1).clamp(min=1e-30).log().mean(dim=1)
    )  # [seeds, heads, distances]
    inside = last[..., :TRAINED].softmax(dim=-1)[..., BACK]  # [seeds, heads]
    chosen = last[torch.arange(len(SEEDS)), inside.argmax(dim=-1)]  # [seeds, distances]
    return (chosen - chosen[:, BACK, None]).tolist()


def deep(scheme: str, seeds: range, rate: float) -> Model:
    model = Model(scheme, DEEP, SYMBOLS, seeds)
    return train("copying", model, seeds, LONGER * STEPS["copying"], rate)


def chosen_rate(scheme: str) -> Choice:
    def errors(rate: float, seed: int) -> float:
        seeds = range(seed, seed + 1)
        return 1 - accuracy("copying", deep(scheme, seeds, rate), seeds, TRAINED)[0]

    return search(errors, TUNING_SEEDS, start=5e-3, step=2)


def follow_ups() -> Numbers:
    """A full table, and more layers and steps for what did not learn."""
    numbers = of_scheme("copying", "full", trained("copying", "relative", clip=TRAINED))
    for scheme in ("none", "alibi"):
        choice = chosen_rate(scheme)
        print(scheme, choice.losses, flush=True)
        numbers |= of_scheme("copying", f"{scheme}_deep", deep(scheme, SEEDS, choice.best))
        numbers[f"{scheme}_rate"] = choice.number(".2g")
    return numbers


def measure() -> tuple[Numbers, Series]:
    numbers, series, models = all_schemes("copying")
    numbers |= follow_ups()
    numbers["deep_layers"] = number(DEEP, "d")
    shown = ("relative", "alibi", "rope")
    series["by_distance"] = {name: scores_by_distance(models[name]) for name in shown}
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
