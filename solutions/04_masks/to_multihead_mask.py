"""Cases, oracle and known mistakes of `to_multihead_mask`."""

import torch

from autograder.author import EVERY, Case, Exercise

exercise = Exercise(
    "to_multihead_mask",
    points=3,
    difficulty=3,
    minutes=20,
    returns=("key_padding_mask", "attn_mask"),
    read="04_masks.html#polarity",
)


def inputs(rng, batch, queries, keys, num_heads):
    """Padding at the end, and another mask for each sequence."""
    lengths = rng.integers(1, keys, batch, 1)
    padding = (torch.arange(keys) < lengths)[:, None, None, :]  # [batch, 1, 1, keys]
    mask = rng.bools(batch, 1, queries, keys)
    mask[:, 0, 0, 0], mask[0, 0, 0, 1] = torch.arange(batch) % 2 == 0, False
    return {"padding": padding, "mask": mask, "num_heads": num_heads}


@exercise.cases
def cases(rng):
    example = inputs(rng, 2, 4, 3, 3)
    example["padding"][0, 0, 0] = torch.tensor([True, True, False])
    yield Case("two sequences and three heads", example)
    yield Case("one sequence", inputs(rng, 1, 3, 4, 2))
    yield Case("one head", inputs(rng, 3, 2, 6, 1))


@exercise.secret_cases
def secret_cases(rng):
    batch, num_heads = rng.integer(3, 6), rng.integer(6, 9)
    yield Case("many heads", inputs(rng, batch, rng.integer(9, 12), 4, num_heads))
    yield Case("one query", inputs(rng, batch, 1, 7, num_heads))
    padding = torch.arange(batch).view(batch, 1, 1, 1) > 0
    one = {"padding": padding, "mask": rng.bools(batch, 1, 3, 1), "num_heads": num_heads}
    yield Case("one key", one)


exercise.promise("which keys of each sequence", EVERY)
exercise.promise("It is not changed.", EVERY)
exercise.promise("which keys each query", EVERY)
exercise.promise("Padding need not be in it.", "two sequences and three heads")
exercise.promise("number of heads, at least 1.", "one head", "many heads")
exercise.promise(
    "key_padding_mask, made from `padding`", "two sequences and three heads", "many heads"
)
exercise.promise("Both are boolean with True", EVERY)
exercise.promise("One sequence, one query", "one sequence", "one query", "one key")


@exercise.oracle
def entry_by_entry(padding, mask, num_heads):
    hidden = [[not seen for seen in sequence[0][0]] for sequence in padding.tolist()]
    forbidden = []
    for sequence in mask.tolist():
        for _head in range(num_heads):
            forbidden.append([[not allowed for allowed in row] for row in sequence[0]])
    return torch.tensor(hidden), torch.tensor(forbidden)


@exercise.base
def right(padding, mask, num_heads):
    return ~padding[:, 0, 0], ~mask[:, 0].repeat_interleave(num_heads, dim=0)


# fmt: off
right.mistake("keeps_the_polarity", {"~padding": "padding", "~mask": "mask"},
    "The shapes are right, but in both masks True still means may attend. `nn.MultiheadAttention` "
    "ignores a key, or forbids a pair, where its masks are True.")
right.mistake("turns_round_the_padding_only", {"~mask": "mask"},
    "You inverted the key_padding_mask only. Both masks of `nn.MultiheadAttention` are True where "
    "attention is forbidden.")
right.mistake("turns_round_the_attention_only", {"~padding": "padding"},
    "You inverted the attn_mask only. Both masks of `nn.MultiheadAttention` are True where "
    "attention is forbidden.")
right.mistake("repeats_the_batch", {"repeat_interleave": "repeat", "dim=0": "1, 1"},
    "Your attn_mask repeats the whole batch once for each head. Row 1 of the first axis must be "
    "the second head of the first sequence, but in your mask it is the second sequence.")
right.mistake("swaps_the_two", {"~padding[:, 0, 0], ~": "~", "dim=0)": "dim=0), ~padding[:, 0, 0]"},
    "The two masks are right but in the wrong order. The key_padding_mask comes first.")
right.mistake("keeps_the_axes_of_the_padding", {"padding[:, 0, 0]": "padding"},
    "Your key_padding_mask still has four axes. `nn.MultiheadAttention` expects (batch, keys).")
right.mistake("forgets_the_heads", {".repeat_interleave(num_heads, dim=0)": ""},
    "Your attn_mask contains each sequence once. `nn.MultiheadAttention` expects one mask for "
    "every head of every sequence, along one axis.")
right.mistake("keeps_batch_and_heads_apart",
    {"mask[:, 0].repeat_interleave(num_heads, dim=0)": "mask.expand(-1, num_heads, -1, -1)"},
    "Your attn_mask has an axis for the batch and one for the heads. `nn.MultiheadAttention` "
    "expects one axis of length batch * num_heads instead.")
right.mistake("squeezes_everything",
    {"padding[:, 0, 0], ~mask[:, 0]": "padding.squeeze(), ~mask.squeeze()"},
    "`squeeze()` removes every axis of length 1, including the batch axis of a single sequence. "
    "Name the axes to remove.")
right.mistake("merges_the_padding_into_the_mask", {"~mask": "~(mask & padding)"},
    "Your attn_mask contains the padding as well. The padding is passed in the other mask. Here "
    "the two stay separate.")
right.mistake("returns_numbers",
    {"return": "return (",
     "0], ~mask[:, 0]": "0]).float(), (~mask[:, 0])",
     "dim=0)": "dim=0).float()"},
    "You return numbers. `nn.MultiheadAttention` adds a mask of numbers to the scores, and adding "
    "1 forbids nothing. Look at the dtype.")
right.mistake("takes_the_padding_from_the_mask", {"padding[:, 0, 0]": "mask[:, 0, -1]"},
    "Your key_padding_mask is computed from `mask`. It depends on `padding` alone, and `mask` "
    "need not contain the padding.")


@exercise.misconception(
    "The call raises an exception with several sequences and heads. If you call `view` on the "
    "result of `expand`, note that it repeats the same memory, which `view` cannot merge. Which "
    "function merges any axes?"
)
def views_what_is_expanded(padding, mask, num_heads):
    batch, _, queries, keys = mask.shape
    copies = mask.expand(batch, num_heads, queries, keys)
    return ~padding[:, 0, 0], ~copies.view(batch * num_heads, queries, keys)


right.mistake("opens_a_sequence_of_padding",
    {"return ~padding[:, 0, 0]":
        "hidden = ~padding[:, 0, 0]\n"
        "    hidden &= ~hidden.all(dim=-1, keepdim=True)\n"
        "    return hidden"},
    "For a sequence that is all padding, your key_padding_mask hides no key. It should be the "
    "opposite of `padding` there, too.")
right.mistake("repeats_the_first_sequence",
    {"mask[:, 0]": "mask[:1, 0]", "num_heads,": "num_heads * len(mask),"},
    "Your attn_mask repeats the mask of the first sequence for all of them. Each sequence has its "
    "own, once for each head.")
right.mistake("repeats_the_queries",
    {"return": "batch, _, queries, keys = mask.shape\n    return",
     "mask[:, 0]": "mask",
     "dim=0": "dim=2).reshape(batch * num_heads, queries, keys"},
    "Your attn_mask repeats each query instead of each sequence. Along which axis do you repeat, "
    "and in which order are the axes when you reshape?")
right.mistake("repeats_the_padding_for_heads",
    {", ~mask": ".repeat_interleave(num_heads, dim=0), ~mask"},
    "Your key_padding_mask has a row for each head. It needs one for each sequence: only the "
    "attn_mask is repeated for the heads.")


@exercise.misconception(
    "You build your own causal attn_mask. `mask` may have any pattern, so invert the mask that "
    "you are given."
)
def makes_its_own_triangle(padding, mask, num_heads):
    batch, _, queries, keys = mask.shape
    later = torch.ones_like(mask[0, 0]).triu(keys - queries + 1)
    return ~padding[:, 0, 0], later.expand(batch * num_heads, queries, keys)


right.mistake("makes_a_triangle_from_the_first_key",
    {"~mask[:, 0].repeat_interleave(num_heads, dim=0)":
        "torch.ones_like(mask[0, 0]).triu(1).expand(mask.size(0) * num_heads, -1, -1)"},
    "You build your own causal attn_mask, whose corner is at the first key. `mask` may have any "
    "pattern, so invert the mask that you are given.")
# fmt: on


@exercise.variant
def expanded_and_flattened(padding, mask, num_heads):
    attn_mask = torch.logical_not(mask).expand(-1, num_heads, -1, -1).flatten(0, 1)
    return torch.logical_not(padding).flatten(1), attn_mask


@exercise.variant
def stacked(padding, mask, num_heads):
    attn_mask = torch.stack([~mask.squeeze(1)] * num_heads, dim=1)
    return padding.squeeze(1).squeeze(1) == 0, attn_mask.view(-1, *mask.shape[-2:])


@exercise.variant
def looked_up_by_sequence(padding, mask, num_heads):
    sequence = torch.arange(mask.size(0) * num_heads, device=mask.device) // num_heads
    return ~padding[:, 0, 0, :], ~mask[sequence, 0]


@exercise.variant
def sequence_by_sequence(padding, mask, num_heads):
    copies = [(one ^ True).repeat(num_heads, 1, 1) for one in mask]
    return padding.reshape(len(padding), -1) ^ True, torch.cat(copies)
