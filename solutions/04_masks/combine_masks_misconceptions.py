"""Known mistakes of `combine_masks`."""

import torch

from .combine_masks import exercise


@exercise.base
def right(padding, causal):
    return padding & causal


# fmt: off
right.mistake("allows_what_either_allows", {"& causal": "| causal"},
    "Your mask allows a key as soon as one of the two masks does. Should a query see padding "
    "because it lies in the past?")
right.mistake("turns_the_padding_round", {"return": "return ~"},
    "You invert the padding mask before combining. It is already True where a key may be attended "
    "to.")
right.mistake("turns_the_causal_mask_round", {"& causal": "& ~causal"},
    "You invert the causal mask before combining. It is already True where a key may be attended "
    "to.")
right.mistake("turns_the_result_round", {"padding & causal": "~(padding & causal)"},
    "Your result is True where attention is forbidden. In both inputs True means may attend, and "
    "so it should in the result.")
right.mistake("drops_the_heads", {"& causal": "[:, 0] & causal"},
    "The values are right, but an axis is missing: the result needs an axis of length 1 for the "
    "heads, as the padding mask has.")
right.mistake("hides_padded_queries", {"& causal": "& padding.mT & causal"},
    "You hide the padded positions as queries too. That leaves rows that may attend to nothing, "
    "and it works only while there are as many queries as keys.")
right.mistake("returns_numbers", {"& causal": ".float() * causal.float()"},
    "You multiply the masks as numbers and return numbers. Look at the dtype: booleans can be "
    "combined directly.")
right.mistake("joins_with_and", {"& causal": "and causal"},
    "The call raises an exception. If the message says that a Boolean value is ambiguous, note "
    "that `and`, `or` and `not` need one truth value for a whole tensor. Which operators work "
    "entry by entry?")
right.mistake("opens_empty_rows",
    {"return": "mask =", "causal\n": "causal\n    return mask | ~mask.any(dim=-1, keepdim=True)\n"},
    "In your result a query that may attend to nothing attends to every key. A row may be all "
    "False. Attention has to handle that, not the mask.")
right.mistake("lines_padding_up_with_queries", {"& causal": ".mT & causal"},
    "The call raises an exception unless there are as many queries as keys. If you transposed the "
    "padding mask, which of its axes holds the keys, and along which one should it repeat?")
right.mistake("combines_in_place",
    {"return padding & causal": "padding &= causal\n    return padding"},
    "The call raises an exception. If you change `padding` in place, note that it has one row for "
    "all queries, while the result has a row for each. The caller's masks should also stay as "
    "they are.")
right.mistake("allows_all_padding", {"padding & causal": "causal | ~padding"},
    "Your result allows every query to see padding. What should it contain for a key that the "
    "padding mask forbids?")
right.mistake("allows_what_one_alone_allows", {"& causal": "^ causal"},
    "Your mask is True where exactly one of the two is True. A key must be allowed by both. What "
    "does `^` give where both are True?")
right.mistake("makes_its_own_triangle",
    {"return": "queries, keys = causal.shape\n    return",
     "& causal": "& torch.ones_like(causal).tril(keys - queries)"},
    "You build your own triangle. `causal` may have any pattern, so combine the mask that you are "
    "given.")
right.mistake("pads_all_as_the_first",
    {"padding & causal": "(padding[:1] & causal).expand(padding.size(0), -1, -1, -1)"},
    "You use the padding of the first sequence for all of them. Each sequence has its own.")
right.mistake("counts_the_tokens",
    {"padding &":
        "(torch.arange(padding.size(-1), device=padding.device) < padding.sum(dim=-1, "
        "keepdim=True)) &"},
    "You count the keys that padding allows, and allow that many from the start. Padding may be "
    "anywhere, so combine the mask that you are given.")
right.mistake("reshapes_queries_by_batch",
    {"padding & causal":
        "(causal[:, None] & padding[None, :, 0, 0]).reshape(padding.size(0), 1, *causal.shape)"},
    "The rows of the sequences are mixed up. `reshape` and `view` keep the order in memory, so "
    "the batch has to come before the queries when you reshape.")
right.mistake("expands_to_a_square",
    {"return padding & causal":
        "keys = padding.size(-1)\n"
        "    return padding.expand(-1, 1, keys, -1) & causal.expand(keys, keys)"},
    "With more or fewer queries than keys the call raises an exception, or the mask is a square. "
    "How many rows does `causal` have?")


@exercise.misconception(
    "You write into the caller's causal mask, so what you hide for one sequence stays hidden for "
    "the following ones. Create a new mask for each."
)
def writes_into_the_causal_mask(padding, causal):
    masks = []
    for allowed in padding[:, 0, 0]:
        causal &= allowed
        masks.append(causal.clone())
    return torch.stack(masks)[:, None]


right.mistake("squeezes_the_padding",
    {"return padding":
        "flat = padding.squeeze()\n"
        "    return flat.reshape(-1, 1, 1, max(flat.shape[-1:], default=1))"},
    "With only one key, the batch is taken for the keys. If you call `squeeze()`, it removes "
    "every axis of length 1. Name the axes to remove.")
right.mistake("ignores_the_padding",
    {"padding & causal": "causal.expand(padding.size(0), 1, *causal.shape)"},
    "Padding makes no difference to your mask. A key must be allowed by both masks.")
right.mistake("ignores_the_causal_mask", {"& causal": ".expand(-1, 1, causal.size(0), -1)"},
    "The causal mask makes no difference to your mask: all rows of a sequence are alike. A key "
    "must be allowed by both masks.")
right.mistake("takes_two_axes_away", {"& causal": "[:, 0, 0] & causal"},
    "You remove two axes of `padding`. Shapes are aligned from the last axis, so its batch then "
    "meets the queries.")
right.mistake("squeezes_and_combines", {"& causal": ".squeeze() & causal"},
    "You remove axes of `padding`, perhaps by `squeeze()`. Shapes are aligned from the last axis, "
    "so its batch, if it is still there, then meets the queries.")
right.mistake("transposes_the_causal_mask", {"& causal": "& causal.T"},
    "You swap the queries and keys of `causal`. Its rows are the queries already.")
