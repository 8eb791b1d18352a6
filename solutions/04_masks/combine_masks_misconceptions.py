"""Known mistakes of `combine_masks`."""

import torch

from .combine_masks import exercise


@exercise.misconception(
    "Your mask allows a key as soon as one of the two masks does. Should a query see padding "
    "because it lies in the past?"
)
def allows_what_either_allows(padding, causal):
    return padding | causal


@exercise.misconception(
    "You turn the padding mask round before combining. It is already True where a key may be "
    "attended to."
)
def turns_the_padding_round(padding, causal):
    return ~padding & causal


@exercise.misconception(
    "You turn the causal mask round before combining. It is already True where a key may be "
    "attended to."
)
def turns_the_causal_mask_round(padding, causal):
    return padding & ~causal


@exercise.misconception(
    "Your result is True where attention is forbidden. Both inputs say True for may attend, and so "
    "should the result."
)
def turns_the_result_round(padding, causal):
    return ~(padding & causal)


@exercise.misconception(
    "The values are right, but an axis is missing: the result needs one of length 1 for the heads, "
    "as the padding mask has."
)
def drops_the_heads(padding, causal):
    return padding[:, 0] & causal


@exercise.misconception(
    "You hide the padded positions as queries too. That leaves rows in which nothing may be "
    "attended to, and it works only while there are as many queries as keys."
)
def hides_padded_queries(padding, causal):
    return padding & padding.mT & causal


@exercise.misconception(
    "You multiply the masks as numbers and return numbers. Look at the dtype: booleans can be "
    "combined without leaving booleans."
)
def returns_numbers(padding, causal):
    return padding.float() * causal.float()


@exercise.misconception(
    "The call raises. If it says that a Boolean value is ambiguous: `and`, `or` and `not` want one "
    "truth value for a whole tensor. Which operators work entry by entry?"
)
def joins_with_and(padding, causal):
    return padding and causal


@exercise.misconception(
    "In your result a query that may attend to nothing attends to every key. A row may be all "
    "False: attention has to cope with it, not the mask."
)
def opens_empty_rows(padding, causal):
    mask = padding & causal
    return mask | ~mask.any(dim=-1, keepdim=True)


@exercise.misconception(
    "The call raises unless there are as many queries as keys. If you turned the padding mask: "
    "which of its axes is that of the keys, and along which one should it repeat?"
)
def lines_padding_up_with_queries(padding, causal):
    return padding.mT & causal


@exercise.misconception(
    "The call raises. If you change `padding` in place: it has one row for all queries, and the "
    "result has a row for each. The caller's masks should stay as they are, too."
)
def combines_in_place(padding, causal):
    padding &= causal
    return padding


@exercise.misconception(
    "Your result allows padding to everyone. What should it say of a key that the padding mask "
    "forbids?"
)
def allows_all_padding(padding, causal):
    return causal | ~padding


@exercise.misconception(
    "Your mask is True where exactly one of the two is. A key must be allowed by both: what does "
    "`^` say where both are True?"
)
def allows_what_one_alone_allows(padding, causal):
    return padding ^ causal


@exercise.misconception(
    "You make a triangle of your own. `causal` may have any pattern: combine the mask that you are "
    "given."
)
def makes_its_own_triangle(padding, causal):
    queries, keys = causal.shape
    return padding & torch.ones_like(causal).tril(keys - queries)


@exercise.misconception(
    "You use the padding of the first sequence for all. Each sequence has its own."
)
def pads_all_as_the_first(padding, causal):
    return (padding[:1] & causal).expand(padding.size(0), -1, -1, -1)


@exercise.misconception(
    "You count the keys that padding allows, and allow that many from the start. Padding may be "
    "anywhere: combine the mask that you are given."
)
def counts_the_tokens(padding, causal):
    lengths = padding.sum(dim=-1, keepdim=True)
    return (torch.arange(padding.size(-1), device=padding.device) < lengths) & causal


@exercise.misconception(
    "The rows of the sequences are mixed. `reshape` and `view` keep the order in memory: the batch "
    "has to come before the queries when you reshape."
)
def reshapes_queries_by_batch(padding, causal):
    both = causal[:, None] & padding[None, :, 0, 0]  # [queries, batch, keys]
    return both.reshape(padding.size(0), 1, *causal.shape)


@exercise.misconception(
    "With more or fewer queries than keys the call raises, or the mask is a square. How many rows "
    "has `causal`?"
)
def expands_to_a_square(padding, causal):
    keys = padding.size(-1)
    return padding.expand(-1, 1, keys, -1) & causal.expand(keys, keys)


@exercise.misconception(
    "You write into the caller's causal mask, and what you hide for one sequence stays hidden for "
    "those after it. Make a new mask for each."
)
def writes_into_the_causal_mask(padding, causal):
    masks = []
    for allowed in padding[:, 0, 0]:
        causal &= allowed
        masks.append(causal.clone())
    return torch.stack(masks)[:, None]


@exercise.misconception(
    "With one key the batch is taken for the keys. If you call `squeeze()`: it takes away every "
    "axis of length 1. Say which are to go."
)
def squeezes_the_padding(padding, causal):
    flat = padding.squeeze()
    return flat.reshape(-1, 1, 1, max(flat.shape[-1:], default=1)) & causal


@exercise.misconception(
    "Padding makes no difference to your mask. A key must be allowed by both masks."
)
def ignores_the_padding(padding, causal):
    return causal.expand(padding.size(0), 1, *causal.shape)


@exercise.misconception(
    "The causal mask makes no difference to yours: all rows of a sequence are alike. A key must be "
    "allowed by both masks."
)
def ignores_the_causal_mask(padding, causal):
    return padding.expand(-1, 1, causal.size(0), -1)


@exercise.misconception(
    "You take away two axes of `padding`. Shapes line up from the last axis: its batch then meets "
    "the queries."
)
def takes_two_axes_away(padding, causal):
    return padding[:, 0, 0] & causal


@exercise.misconception(
    "You take away axes of `padding`, perhaps by `squeeze()`. Shapes line up from the last axis: "
    "its batch, if any is left, then meets the queries."
)
def squeezes_and_combines(padding, causal):
    return padding.squeeze() & causal


@exercise.misconception(
    "Queries and keys of `causal` have changed places in yours. Its rows are the queries already."
)
def transposes_the_causal_mask(padding, causal):
    return padding & causal.T
