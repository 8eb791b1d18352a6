"""Cases, oracle and known mistakes of `padding_mask`."""

import torch
from jaxtyping import Int
from torch import Tensor

from autograder.author import Case, Exercise

exercise = Exercise(
    "padding_mask",
    points=2,
    difficulty=1,
    minutes=10,
    returns=("the mask",),
    read="04_masks.html#padding-mask",
)


LARGE = 2**60 + 7  # no float holds it, and it is 7 in 32 bits
NEARLY_PADDING = torch.tensor([[0, LARGE + 1], [-100, 4], [7, LARGE - 1]])


def padded(rng, batch, keys, pad_id, low=1, shortest=1) -> Int[Tensor, "batch keys"]:
    """Tokens from `low` to 10; after `shortest` or more of them, each row ends in padding."""
    tokens = rng.integers(low, 10, batch, keys)
    tokens[tokens == pad_id] = 10
    lengths = rng.integers(shortest, keys, batch, 1)
    return tokens.masked_fill(torch.arange(keys) >= lengths, pad_id)


@exercise.cases
def cases(rng):
    tokens = torch.tensor([[5, 3, 0], [4, 0, 0]])
    yield Case("the example of the text", {"tokens": tokens, "pad_id": 0})
    tokens = padded(rng, 3, 6, LARGE)
    tokens[:, :2] = NEARLY_PADDING
    yield Case("a padding id that is not 0", {"tokens": tokens, "pad_id": LARGE})
    tokens = padded(rng, 2, 7, 0).flip(1)
    tokens[:, -2] = 0
    yield Case("padding at the front and in between", {"tokens": tokens, "pad_id": 0})
    tokens = padded(rng, 3, 4, 2, low=3)
    tokens[1] = 2
    yield Case("a sequence of nothing but padding", {"tokens": tokens, "pad_id": 2})


@exercise.secret_cases
def secret_cases(rng):
    batch, keys = rng.integer(2, 5), rng.integer(6, 12)
    yield Case("no padding", {"tokens": rng.integers(1, 9, batch, keys), "pad_id": 0})
    tokens = rng.integers(1, 9, batch, 1)
    yield Case("sequences of one token", {"tokens": tokens, "pad_id": int(tokens[0])})
    tokens = padded(rng, batch, keys, -2, low=-3)
    tokens[:, 0] = 2
    yield Case("a negative padding id", {"tokens": tokens, "pad_id": -2})
    pad_id = rng.integer(2, 7)
    yield Case("padding anywhere", {"tokens": rng.integers(0, 8, 1, keys), "pad_id": pad_id})


exercise.promise("token ids, any int64", "a padding id that is not 0", "a negative padding id")
exercise.promise(
    "Padding may be anywhere", "padding at the front and in between", "padding anywhere"
)
exercise.promise("the id of the padding", "a padding id that is not 0", "a negative padding id")
exercise.promise(
    "Boolean mask on the device", "a sequence of nothing but padding", "sequences of one token"
)


@exercise.oracle
def one_token_at_a_time(tokens, pad_id):
    return torch.tensor([[[[token != pad_id for token in row]]] for row in tokens.tolist()])


@exercise.base
def right(tokens, pad_id):
    return (tokens != pad_id)[:, None, None, :]


# fmt: off
right.mistake("marks_the_padding", {"!= pad_id": "== pad_id"},
    "Your mask is True where there is padding. In this course True means that the key may be "
    "attended to.")
right.mistake("ignores_pad_id", {"!= pad_id": "!= 0"},
    "Your mask treats token 0 as padding, whatever `pad_id` is. Look at what you compare the "
    "tokens with.")
right.mistake("takes_the_padding_for_the_smallest_id", {"!= pad_id": "> pad_id"},
    "Your mask is right only while the padding id is smaller than every token. What does your "
    "comparison do with a real token whose id is smaller?")
right.mistake("counts_the_tokens",
    {"tokens != pad_id":
        "torch.arange(tokens.size(1), device=tokens.device) < (tokens != pad_id).sum(dim=1, "
        "keepdim=True)"},
    "You count the tokens of a sequence and allow that many keys from its start. That works only "
    "while all padding is at the end, but it may be anywhere.")
right.mistake("leaves_two_axes", {"(tokens != pad_id)[:, None, None, :]": "tokens != pad_id"},
    "The values are right, but your mask has the shape (batch, keys). Against scores of shape "
    "(batch, heads, queries, keys), its batch axis would be aligned with the queries.")
right.mistake("leaves_out_the_heads", {"None, :": ":"},
    "Your mask has three axes. The scores have four: batch, heads, queries, keys. Which of them "
    "still need an axis of length 1?")
right.mistake("masks_the_queries", {"None, :": ":, None"},
    "Your mask varies along the axis of the queries. Padding says which keys count, for every "
    "query. Which axis should come last?")
right.mistake("returns_numbers", {"[:, None": ".float()[:, None"},
    "Your mask holds the numbers 0 and 1. They would be added to the scores or rejected. A mask "
    "in this course holds booleans.")
right.mistake("opens_empty_rows",
    {"return": "mask =",
     "None, :]\n": "None, :]\n    return mask | ~mask.any(dim=-1, keepdim=True)\n"},
    "Where a sequence is nothing but padding, your mask is True all the same. A mask says which "
    "keys count, and here none does. Attention has to handle such a row.")


@exercise.misconception(
    "In a sequence of nothing but padding, your mask allows the first key. A mask says which keys "
    "count, and here none does. Attention has to handle such a row."
)
def opens_the_first_key(tokens, pad_id):
    mask = (tokens != pad_id)[:, None, None, :]
    mask[..., :1] |= ~mask.any(dim=-1, keepdim=True)
    return mask


right.mistake("ends_at_the_first_padding",
    {"tokens != pad_id": "(tokens == pad_id).cumsum(dim=1) == 0"},
    "Your mask ends at the first padding token. What about a token that comes after it?")
right.mistake("squeezes_the_tokens",
    {"tokens !=": "tokens.squeeze() !=",
     "[:, None, None, :]": ".reshape(-1, 1, 1, max(tokens.squeeze().shape[-1:], default=1))"},
    "An axis of length 1 is lost, and the rest means something else. If you call `squeeze()`, "
    "note that a batch of one sequence, and sequences of one token, need their axes.")
right.mistake("squeezes_before_it_indexes", {"[:, None": ".squeeze()[:, None"},
    "The call raises an exception where there is only one sequence, or one token in each. If you "
    "call `squeeze()`, it removes every axis of length 1, but these are needed.")
right.mistake("compares_without_the_sign", {"!= pad_id": ".abs() != abs(pad_id)"},
    "You ignore the sign of a token when you compare it with `pad_id`. Is 2 padding where `pad_id` "
    "is -2?")
# fmt: on


@exercise.variant
def not_equal_and_unsqueezed(tokens, pad_id):
    return tokens.ne(pad_id).unsqueeze(1).unsqueeze(1)


@exercise.variant
def filled_where_padded(tokens, pad_id):
    batch, keys = tokens.shape
    mask = torch.ones(batch, 1, 1, keys, dtype=torch.bool, device=tokens.device)
    return mask.masked_fill(tokens.view(batch, 1, 1, keys) == pad_id, False)


@exercise.variant
def nonzero_difference(tokens, pad_id):
    return (tokens - pad_id).bool().reshape(tokens.size(0), 1, 1, -1)


@exercise.variant
def row_by_row(tokens, pad_id):
    rows = [torch.logical_not(row == pad_id) for row in tokens]
    return torch.stack(rows)[:, None, None]


@exercise.variant
def compared_with_a_new_tensor(tokens, pad_id):
    pad = tokens.new_tensor([pad_id])
    return (tokens != pad)[:, None, None, :]


@exercise.variant
def by_the_places_of_the_padding(tokens, pad_id):
    mask = torch.ones(tokens.size(0), 1, 1, tokens.size(1), dtype=torch.bool, device=tokens.device)
    flat = (tokens == pad_id).flatten().nonzero().flatten()
    row, column = torch.unravel_index(flat, tokens.shape)
    mask[row, 0, 0, column] = False
    return mask
