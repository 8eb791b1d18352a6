"""Claim 60: what storing a cache in one byte a number does to the output, by who shares a scale.

Keys and values are random. In one setting all channels are of a size; in the other a few channels
of the keys are larger, as has been found in trained models. Errors are of the output of attention,
relative to its size, against the formula in float64.
"""

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
HEADS, LENGTH, D_K, QUERIES = 4, 512, 64, 32
LARGER, OFTEN = (1, 2, 4, 8, 16, 32), 2  # times as large, in so many channels of each head
SHOWN = 16
SHARED = {  # axes of [heads, tokens, channels] along which numbers share a scale
    "tensor": (0, 1, 2),
    "head": (1, 2),
    "token": (2,),
    "channel": (1,),
}

CLAIMS = [
    claim(
        60,
        "Keys are best quantised by channel, and values by token.",
        "8 bits, {heads} heads of {length} keys. With {often} channels of the keys {shown} "
        "times as large, keys by channel leave an error of {key_channel_16} of the output and "
        "keys by token {key_token_16}; with all channels of a size {key_channel_1} and "
        "{key_token_1}. Random values without large channels: {value_channel_1} by channel, "
        "{value_token_1} by token.",
        "holds if",
        "a few channels of the keys are much larger than the others and none of the values are",
        scope="random keys and values, 4 heads of 512 tokens of width 64, computed in float64",
        control="The large channels make the difference: with all channels of a size, keys by "
        "token have the smaller error. The scores have the same spread in both.",
        stands=lambda n: (
            n.key_channel_16 < n.key_token_16 / 2
            and n.key_channel_1 > n.key_token_1
            and n.value_token_1 < n.value_channel_1
        ),
    )
]


def stored(x: Tensor, axes: tuple[int, ...], bits: int = 8) -> Tensor:
    """What comes back of numbers that were stored with a scale for each slice."""
    most = 2 ** (bits - 1) - 1
    scale = x.abs().amax(dim=axes, keepdim=True) / most
    return (x / scale).round() * scale


def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return (query @ key.mT / D_K**0.5).softmax(dim=-1) @ value


def draw(seed: int, larger: int) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values [heads, tokens, d_k]; scores always have the same spread."""
    rng = torch.Generator().manual_seed(seed)
    query, key, value = (torch.randn(HEADS, n, D_K, generator=rng, dtype=torch.float64)
                         for n in (QUERIES, LENGTH, LENGTH))  # fmt: skip
    places = torch.rand(HEADS, D_K, generator=rng).argsort(dim=-1)[:, None, :OFTEN]
    size = torch.ones(HEADS, 1, D_K, dtype=torch.float64).scatter_(-1, places, float(larger))
    key = key * size
    spread = (query @ key.mT).std() / D_K**0.5
    return 2 * query / spread, key, value


def error(found: Tensor, right: Tensor) -> float:
    return ((found - right).norm() / right.norm()).item()


def errors(seed: int, larger: int, bits: int = 8) -> dict[str, float]:
    query, key, value = draw(seed, larger)
    right, result = attend(query, key, value), {}
    for name, axes in SHARED.items():
        result[f"key_{name}"] = error(attend(query, stored(key, axes, bits), value), right)
        result[f"value_{name}"] = error(attend(query, key, stored(value, axes, bits)), right)
    return result


def measure() -> tuple[Numbers, Series]:
    found = {n: [errors(seed, n) for seed in SEEDS] for n in LARGER}
    four = [errors(seed, SHOWN, bits=4) for seed in SEEDS]
    series = {
        "larger": LARGER,
        "key": {name: [[found[n][seed][f"key_{name}"] for n in LARGER] for seed in SEEDS]
                for name in SHARED},
    }  # fmt: skip
    numbers = {
        "heads": number(HEADS, ".0f"),
        "length": number(LENGTH, ".0f"),
        "often": number(OFTEN, ".0f"),
        "shown": number(SHOWN, ".0f"),
        "scales_token": number(2 / D_K, ".1%"),
        "scales_channel": number(2 / LENGTH, ".1%"),
    }
    for n in (1, SHOWN):
        for name in found[n][0]:
            numbers[f"{name}_{n}"] = number([run[name] for run in found[n]], ".2%")
    for name in four[0]:
        numbers[f"{name}_four"] = number([run[name] for run in four], ".1%")
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
