"""Cases, oracle and known mistakes of `cross_attention_mask`."""

import torch
from jaxtyping import Int
from torch import Tensor

from autograder.author import EVERY, UNTRIED, Case, Exercise

exercise = Exercise(
    "cross_attention_mask",
    points=2,
    difficulty=2,
    minutes=10,
    returns=("the mask",),
    read="06_cross_attention.html#whose-padding",
)


def padded(rng, batch, length, pad_id, low=1, high=10) -> Int[Tensor, "batch length"]:
    """Tokens of which some at the end of each row are padding, and no other."""
    tokens = rng.integers(low, high, batch, length)
    tokens[tokens == pad_id] = high
    lengths = rng.integers(1, length, batch, 1)
    return tokens.masked_fill(torch.arange(length) >= lengths, pad_id)


def draw(rng, batch, queries, keys, pad_id=0):
    target, memory = padded(rng, batch, queries, pad_id), padded(rng, batch, keys, pad_id)
    return {"target": target, "memory": memory, "pad_id": pad_id}


@exercise.cases
def cases(rng):
    inputs = {"target": torch.tensor([[7, 8, 0]]), "memory": torch.tensor([[4, 0]]), "pad_id": 0}
    yield Case("the text's example", inputs)
    yield Case("both are padded", draw(rng, 2, 3, 5))
    inputs = draw(rng, 3, 6, 4)
    inputs["target"][1] = 0
    yield Case("a target of nothing but padding", inputs)
    yield Case("as many queries as keys", draw(rng, 4, 4, 4))
    large = 2**60 + 7  # no float holds it, and it is 7 in 32 bits
    inputs = draw(rng, 3, 4, 5, pad_id=large)
    inputs["memory"][:, :2] = torch.tensor([[0, large + 1], [-100, 4], [7, large - 1]])
    yield Case("a padding id that is not 0", inputs)
    inputs = draw(rng, 2, 4, 6)
    inputs["memory"] = inputs["memory"].flip(1)
    yield Case("padding at the front", inputs)
    inputs = draw(rng, 3, 2, 5, pad_id=2)
    inputs["memory"][2] = 2
    yield Case("a memory of nothing but padding", inputs)


@exercise.secret_cases
def secret_cases(rng):
    batch, queries, keys = rng.integer(3, 6), rng.integer(6, 9), rng.integer(9, 12)
    yield Case("a longer memory", draw(rng, batch, queries, keys))
    yield Case("a longer target", draw(rng, batch, keys, queries, pad_id=rng.integer(2, 7)))
    inputs = {"target": rng.integers(1, 9, batch, 1), "memory": rng.integers(0, 3, batch, keys)}
    yield Case("one query and padding anywhere", {**inputs, "pad_id": 0})
    inputs = {"target": rng.integers(1, 9, 1, queries), "memory": torch.tensor([[0]])}
    yield Case("a memory of one without padding", {**inputs, "pad_id": -1})
    tokens = padded(rng, batch, queries, -100, low=-3), padded(rng, batch, keys, -100, low=-3)
    tokens[1][0, 0] = -1
    yield Case("a negative padding id", {"target": tokens[0], "memory": tokens[1], "pad_id": -100})
    yield Case("as many of everything", draw(rng, batch, batch, batch))


exercise.promise("token ids of the sequence that asks.", UNTRIED)
exercise.promise(
    "Its padding does not matter.", "both are padded", "a target of nothing but padding"
)
exercise.promise("token ids of the sequence that answers.", UNTRIED)
exercise.promise(
    "Padding may be anywhere", "padding at the front", "one query and padding anywhere"
)
exercise.promise("Ids are any int64 numbers", "a padding id that is not 0", "a negative padding id")
exercise.promise("the id of the padding", "a padding id that is not 0", "a negative padding id")
exercise.promise("Boolean mask on the device", EVERY)
exercise.promise("The axis of length", EVERY)


@exercise.oracle
def one_pair_at_a_time(target, memory, pad_id):
    rows = [[[[key != pad_id for key in keys] for _ in queries]]
            for queries, keys in zip(target.tolist(), memory.tolist(), strict=True)]  # fmt: skip
    return torch.tensor(rows)


@exercise.base
def right(target, memory, pad_id):
    return (memory != pad_id)[:, None, None].expand(-1, 1, target.size(1), -1)


# fmt: off
right.mistake("marks_the_padding", {"!= pad_id": "== pad_id"},
    "Your mask is True where there is padding. In this course True means \"may attend\".")
right.mistake("hides_padded_queries",
    {".expand(-1, 1, target.size(1), -1)": "& (target != pad_id)[:, None, :, None]"},
    "You hide the padded queries as well. Their output is never read, and here they become rows "
    "without a key. Whose padding should count?")
right.mistake("masks_the_targets_padding",
    {"memory !=": "target !=", "None,": "None, :,", "target.size(1), -1": "-1, memory.size(1)"},
    "You look at the target's padding. Keys are tokens of the memory. Which of them are padding?")
right.mistake("is_causal", {"-1)": "-1).tril()"},
    "Your mask is causal. Position 3 of a translation may look beyond position 3 of the source, "
    "which is known from the start.")
right.mistake("exchanges_rows_and_columns",
    {"None,": "None, :,", "target.size(1), -1": "-1, target.size(1)"},
    "Rows and columns are exchanged. Rows are queries, which are tokens of the target.")
right.mistake("leaves_out_the_queries", {".expand(-1, 1, target.size(1), -1)": ""},
    "The values are right, but there is one row for all queries. The exercise asks for a row for "
    "each.")
right.mistake("leaves_out_the_heads", {"None, None": "None", "1, 1": "1"},
    "The axis of length 1 for the heads is missing. Where is that axis in the scores?")
right.mistake("ignores_pad_id", {"!= pad_id": "!= 0"},
    "Your mask treats token 0 as padding, whatever `pad_id` is. What do you compare the tokens "
    "with?")
right.mistake("counts_the_tokens",
    {"(memory != pad_id)[:, None, None]":
        "(torch.arange(memory.size(1), device=memory.device) < (memory != "
        "pad_id).sum(dim=1)[:, None, None, None])"},
    "You count the memory's tokens and allow that many keys from its start. Some padding here "
    "comes first.")
right.mistake("keeps_larger_ids", {"!= pad_id": "> pad_id"},
    "You keep ids that are larger than `pad_id`. Other tokens may have smaller ids. What is the "
    "only thing that makes a token padding?")


@exercise.misconception(
    "In a memory of nothing but padding, your mask keeps a key. Its rows should be False. "
    "Attention handles such rows."
)
def opens_a_key_of_padding(target, memory, pad_id):
    real = memory != pad_id
    first = torch.arange(memory.size(1), device=memory.device) == 0
    real = real | (first & ~real.any(dim=1, keepdim=True))
    return real[:, None, None].expand(-1, 1, target.size(1), -1)


right.mistake("returns_numbers", {"-1)": "-1).float()"},
    "Your mask holds the numbers 0 and 1. A mask in this course is boolean.")
# fmt: on


@exercise.variant
def with_repeat(target, memory, pad_id):
    return memory.ne(pad_id).unsqueeze(1).unsqueeze(1).repeat(1, 1, target.shape[1], 1)


@exercise.variant
def combined_with_ones(target, memory, pad_id):
    everyone = torch.ones_like(target, dtype=torch.bool)[:, None, :, None]
    return everyone & ~(memory == pad_id)[:, None, None, :]


@exercise.variant
def row_by_row(target, memory, pad_id):
    masks = [torch.stack([row != pad_id] * target.size(1)) for row in memory]
    return torch.stack(masks)[:, None]


@exercise.variant
def filled_in(target, memory, pad_id):
    (batch, queries), keys = target.shape, memory.size(1)
    mask = torch.ones(batch, 1, queries, keys, dtype=torch.bool, device=memory.device)
    mask.masked_fill_(memory.view(batch, 1, 1, keys) == pad_id, False)
    return mask
