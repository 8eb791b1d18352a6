"""Claims 45, 46, 48, 49 on a second task: two layers say what followed a name the last time.

Scored are questions whose answer is at most 31 tokens back (in training at most 29); and, apart,
those whose answer is farther. As a baseline, the good that followed the name at any earlier time.
"""

from measurements import Numbers, Series, number, run_and_save
from positions_lengths import LENGTHS, LONG, SEEDS, all_schemes
from positions_tasks import NAMES, TAIL, TRAINED, Sampler, accuracy
from verdicts import claim

CLAIMS = [
    claim(
        45,
        "Sinusoids may let a model extrapolate to sequences longer than those of its training.",
        "What followed a name the last time, trained on 32 tokens: accuracy {sinusoidal_32} at 32 "
        "tokens, {sinusoidal_64} at 64 and {sinusoidal_128} at 128; chance is {chance}.",
        "false",
        "for this model, which fails as soon as the positions are new",
        scope="two layers of attention 32 wide, 600 steps of Adam on 32 tokens, one learning rate",
        control="New distances or more keys could be at fault. With 32 tokens at positions 96 to "
        "127 there are neither, and the accuracy is {sinusoidal_moved}; RoPE finds {rope_moved} "
        "there.",
        stands=lambda n: n.sinusoidal_32 > 0.95 and n.sinusoidal_64 < 0.4,
    ),
    claim(
        48,
        "A linear bias by distance (ALiBi) lets a model that was trained on short sequences work "
        "on long ones.",
        "What followed a name the last time: {alibi_32} at 32 tokens, {alibi_128} at 128, "
        "{alibi_256} at 256. Of the five other schemes the best has {relative_128} at 128. Where "
        "the name was last seen more than 31 tokens back, ALiBi finds {alibi_far}.",
        "holds if",
        "the most recent of several is asked for and lies at most 31 tokens back",
        scope="two layers of attention 32 wide, 600 steps of Adam on 32 tokens, one learning rate",
        control="The task could be easy at any length. Taking any earlier time of the name would "
        "be right in {any_32} of the cases at 32 tokens and in {any_128} at 128; RoPE, with "
        "{rope_32} at 32, has {rope_128} at 128.",
        stands=lambda n: n.alibi_256 > 0.75 and n.relative_128 < 0.7 and n.alibi_far < 0.6,
    ),
]


def any_earlier(length: int) -> float:
    """Chance that a time drawn among the earlier ones of the name has the right good."""
    tokens, targets, distance = Sampler("successor", SEEDS, shift=4)(64, length)
    names, goods = tokens[..., ::2], tokens[..., 1::2]  # [seeds, batch, pairs]
    same = (names[..., None] == names[..., None, :]).tril(-1)  # [..., pairs, earlier]
    right = same & (goods[..., None, :] == targets[..., ::2, None])
    asked = same.any(dim=-1) & (distance[..., ::2] < TRAINED)
    asked[..., : -TAIL // 2] = False
    return (right.sum(dim=-1) / same.sum(dim=-1).clamp(min=1))[asked].mean().item()


def measure() -> tuple[Numbers, Series]:
    numbers, series, models = all_schemes("successor")
    numbers["names"] = number(NAMES, "d")
    numbers |= {f"any_{length}": number(any_earlier(length), ".2f") for length in LENGTHS}
    for name, model in models.items():
        sample = accuracy("successor", model, SEEDS, LONG, far=True, sequences=64)
        numbers[f"{name}_far"] = number(sample, ".2f")
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
