"""Cases, oracle and known mistakes of `align`."""

import torch
from jaxtyping import Float
from torch import Tensor

from autograder.author import EVERY, UNTRIED, Case, Exercise

exercise = Exercise(
    "align",
    points=3,
    difficulty=2,
    minutes=15,
    returns=("the alignment",),
    read="06_cross_attention.html#what-an-alignment-is-not",
)

SHARES = 64  # weights are multiples of 1/64, so sums over heads are exact and ties are ties


def draw(rng, batch, heads, queries, keys, dtype=torch.float32):
    """Rows that sum to 1; without ties, where there are enough keys for that."""
    drawn = rng.integers(0, keys, batch, heads, queries, SHARES)
    of_key = [(drawn == key).sum(dim=-1) for key in range(keys)]
    counts = torch.stack(of_key, dim=-1)  # [batch, heads, queries, keys]
    total = counts.sum(dim=1)  # one key of each query gets what another loses, until it leads
    ahead = rng.integers(0, keys, batch, queries)[:, None, :, None].expand(-1, heads, -1, -1)
    top = total.amax(dim=-1)[:, None, :, None] - total.gather(-1, ahead[:, 0])[:, None]
    for key in range(keys):
        taken = torch.minimum(counts[..., key : key + 1], top // keys + 1)
        counts[..., key : key + 1] -= taken
        counts.scatter_add_(-1, ahead, taken)
    real = {"target_mask": queries, "memory_mask": keys}
    masks = {name: torch.arange(n) < rng.integers(1, n + 1, batch, 1) for name, n in real.items()}
    return {"weights": (counts / SHARES).to(dtype), **masks}


def written(rows: list[list[float]]) -> Float[Tensor, "1 1 queries keys"]:
    """Weights of one sequence and one head."""
    return torch.tensor(rows)[None, None]


@exercise.cases
def cases(rng):
    apart = torch.tensor([[[[0.5, 0.5, 0.0]], [[0.0, 0.5, 0.5]]]])
    ones = torch.ones(1, 3, dtype=torch.bool)
    inputs = {"weights": apart, "target_mask": ones[:, :1], "memory_mask": ones}
    yield Case("the text's example", inputs)
    yield Case("padding in both", draw(rng, 2, 3, 4, 6))
    inputs = draw(rng, 3, 2, 5, 4)
    inputs["memory_mask"] = inputs["memory_mask"].flip(1)
    inputs["target_mask"] = inputs["target_mask"].flip(1)
    yield Case("padding at the front", inputs)
    near = [1023 / 4096, 0.25, 1025 / 4096, 0.25]  # no tie
    rows = [[0.25, 0.25, 0.25, 0.25], [0.0, 0.5, 0.0, 0.5], [0.125, 0.125, 0.375, 0.375], near]
    inputs = {"weights": written(rows), "target_mask": torch.ones(1, 4, dtype=torch.bool)}
    yield Case("ties", {**inputs, "memory_mask": torch.ones(1, 4, dtype=torch.bool)})
    inputs = {"weights": written([[1.0, 0, 0, 0], [0.5, 0, 0.25, 0.25], [0, 0, 0, 0]])}
    inputs["target_mask"] = torch.ones(1, 3, dtype=torch.bool)
    inputs["memory_mask"] = torch.tensor([[False, False, True, True]])
    yield Case("all weight on the padding", inputs)
    inputs = draw(rng, 3, 2, 2, 5)
    inputs["memory_mask"][1] = False
    inputs["target_mask"][0] = inputs["target_mask"][1] = True
    yield Case("a memory of nothing but padding", inputs)
    apart = torch.tensor([[[[0.625, 0.375, 0.0]], [[0.0, 0.375, 0.625]], [[0.25, 0.5, 0.25]]]])
    inputs = {"weights": apart, "target_mask": ones[:, :1], "memory_mask": ones}
    yield Case("heads that disagree", inputs)


@exercise.secret_cases
def secret_cases(rng):
    batch, queries, keys = rng.integer(3, 6), rng.integer(6, 9), rng.integer(9, 12)
    yield Case("a longer memory", draw(rng, 2, 4, queries, 600))
    yield Case("a longer target", draw(rng, batch, 3, keys, queries, torch.float64))
    yield Case("as many of everything", draw(rng, 4, 4, 4, 4))
    inputs = draw(rng, batch, 2, queries, keys)
    inputs["memory_mask"] = rng.bools(batch, keys)
    inputs["target_mask"] = rng.bools(batch, queries)
    yield Case("padding anywhere", inputs)
    yield Case("one head and one memory token", draw(rng, 2, 1, queries, 1))
    inputs = draw(rng, 2, 2, queries, keys)
    inputs["weights"] = torch.full_like(inputs["weights"], 0.125)
    inputs["memory_mask"] = inputs["memory_mask"].flip(1)
    yield Case("everything is a tie", inputs)
    inputs = draw(rng, 1, 4, queries, keys, torch.float16)
    inputs["memory_mask"] = inputs["memory_mask"].flip(1)
    yield Case("one sequence in half precision", inputs)
    inputs = draw(rng, 2, 2, queries, keys)
    inputs["weights"] *= 2.0**-40
    inputs["memory_mask"] = inputs["memory_mask"].flip(1)
    inputs["weights"].masked_fill_(~inputs["memory_mask"][:, None, None], 1.0)
    yield Case("tiny weights beside the padding's", inputs)


exercise.promise("of the cross-attention", UNTRIED)
exercise.promise(
    "Padding may have weight.", "all weight on the padding", "tiny weights beside the padding's"
)
exercise.promise("A row may be all 0.", "all weight on the padding")
exercise.promise("They are not changed.", EVERY)
exercise.promise("True = a token, False", "padding at the front", "padding anywhere")
exercise.promise("int64 positions on the device", "ties", "everything is a tie")


@exercise.oracle
def one_token_at_a_time(weights, target_mask, memory_mask):
    batch, _, queries, _ = weights.shape
    found = torch.full((batch, queries), -1, device=weights.device)
    for b in range(batch):
        places = [j for j, real in enumerate(memory_mask[b].tolist()) if real]
        for i in range(queries):
            summed = weights[b, :, i].sum(dim=0).tolist()
            if target_mask[b, i] and places:
                found[b, i] = max(places, key=lambda j: (summed[j], -j))
    return found


@exercise.base
def right(weights, target_mask, memory_mask):
    mean = weights.mean(dim=1).masked_fill(~memory_mask[:, None], -1)  # [batch, queries, keys]
    nowhere = ~target_mask | ~memory_mask.any(dim=-1, keepdim=True)
    return mean.argmax(dim=-1).masked_fill(nowhere, -1)


# fmt: off
right.mistake("lets_padding_win", {".masked_fill(~memory_mask[:, None], -1)": ""},
    "Some target tokens are aligned with padding, whose weights need not be 0. Which positions "
    "may be chosen?")
right.mistake("aligns_padded_targets", {"~target_mask | ": ""},
    "Padded target tokens get a position. They have no source token, so their position is -1.")
right.mistake("forgets_the_empty_memory", {" | ~memory_mask.any(dim=-1, keepdim=True)": ""},
    "Where the whole memory is padding, the only position to return is -1.")
right.mistake("fills_with_zero",
    {".masked_fill(~memory_mask[:, None], -1)": " * memory_mask[:, None]"},
    "You set the padding's weights to 0. A real position may have the weight 0 too, and then the "
    "padding before it wins.")
right.mistake("looks_at_the_first_head", {"weights.mean(dim=1)": "weights[:, 0]"},
    "You look only at the first head. The exercise asks for the mean of all heads.")
right.mistake("takes_the_largest_of_any_head", {"weights.mean(": "weights.amax("},
    "You take the largest weight of any single head. A position with moderate weights in all "
    "heads may have the larger mean.")
right.mistake("lets_heads_vote",
    {"mean = weights.mean(dim=1)": "votes = weights",
     "[:, None], -1)": "[:, None, None], -1).argmax(dim=-1)",
     "mean.argmax(dim=-1)": "votes.mode(dim=1).values"},
    "You ask each head for its position and count votes. The exercise asks for one position, from "
    "the mean of the weights.")
right.mistake("returns_the_last_of_a_tie",
    {"mean.argmax(dim=-1)": "(mean.size(-1) - 1 - mean.flip(-1).argmax(dim=-1))"},
    "In a tie you return the last position. The exercise asks for the first.")
right.mistake("counts_real_tokens_only",
    {"return mean.argmax(dim=-1)":
        "place = memory_mask.long().cumsum(dim=1) - 1\n"
        "    return place.gather(1, mean.argmax(dim=-1))"},
    "You count positions among the real tokens only. Padding at the front counts as positions, "
    "too.")
right.mistake("skips_rows_of_zeros",
    {".masked_fill(~memory_mask[:, None], -1)": " * memory_mask[:, None]",
     "~memory_mask.any(dim=-1, keepdim=True)": "(mean.sum(dim=-1) == 0)"},
    "A target token gets -1 where all real positions have the weight 0. That is a tie, which the "
    "first of them wins.")
right.mistake("fills_with_minus_1e9", {"[:, None], -1)": "[:, None], -1e9)"},
    "In half precision the call raises an exception. If you fill with a number such as -1e9, half "
    "precision cannot represent it. No weight is negative. Which number is small enough?")
# fmt: on


@exercise.variant
def with_minus_infinity(weights, target_mask, memory_mask):
    scores = weights.sum(1).masked_fill(~memory_mask.unsqueeze(1), float("-inf"))
    position = scores.max(dim=-1).indices
    keep = target_mask & memory_mask.any(1, keepdim=True)
    return torch.where(keep, position, torch.full_like(position, -1))


@exercise.variant
def row_by_row(weights, target_mask, memory_mask):
    out = -torch.ones(target_mask.shape, dtype=torch.long, device=weights.device)
    for b in range(weights.shape[0]):
        real = memory_mask[b].nonzero().flatten()
        if len(real) == 0:
            continue
        mean = torch.einsum("hqk->qk", weights[b])[:, real]
        chosen = real[mean.argmax(dim=1)]
        out[b][target_mask[b]] = chosen[target_mask[b]]
    return out


@exercise.variant
def by_comparison(weights, target_mask, memory_mask):
    mean = torch.where(memory_mask[:, None, :], weights.mean(1), -1.0)
    is_best = (mean == mean.amax(-1, keepdim=True)) & memory_mask[:, None, :]
    places = torch.arange(mean.size(-1), device=mean.device)
    first = torch.where(is_best, places, mean.size(-1)).amin(-1)
    first[~target_mask | ~memory_mask.any(-1, keepdim=True)] = -1
    return first
