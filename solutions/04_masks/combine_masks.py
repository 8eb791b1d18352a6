"""Cases, oracle and known mistakes of `combine_masks`."""

import torch

from autograder.spec import Case, Exercise

exercise = Exercise(
    "combine_masks",
    points=1,
    difficulty=1,
    minutes=5,
    returns=("the mask",),
    read="04_masks.html#combined-mask",
)


def inputs(rng, batch, queries, keys):
    """Each sequence ends in padding; the causal mask has its corner at the last key."""
    lengths = rng.integers(1, keys, batch, 1)
    padding = (torch.arange(keys) < lengths)[:, None, None, :]  # [batch, 1, 1, keys]
    positions = torch.arange(keys - queries, keys)
    return {"padding": padding, "causal": torch.arange(keys) <= positions[:, None]}


@exercise.cases
def cases(rng):
    both = {"padding": torch.tensor([[[[True, True, False]]]]),
            "causal": torch.ones(3, 3).tril() == 1}  # fmt: skip
    yield Case("the example of the text", both)
    yield Case("more keys than queries", inputs(rng, 2, 3, 5))
    causal = rng.bools(6, 4)
    causal[0], causal[1] = False, True
    both = {"padding": rng.bools(2, 1, 1, 4), "causal": causal}
    yield Case("any two masks with more queries than keys", both)
    front = inputs(rng, 2, 4, 4)
    yield Case("padding at the front", {**front, "padding": front["padding"].flip(-1)})
    one = inputs(rng, 1, 1, 6)
    one["causal"][0, 0] = False
    yield Case("one sequence and one query", one)


@exercise.secret_cases
def secret_cases(rng):
    batch, queries, more = rng.integer(2, 5), rng.integer(5, 9), rng.integer(1, 4)
    yield Case("a larger batch", inputs(rng, batch, queries, queries + more))
    nothing = inputs(rng, batch, queries, queries)
    nothing["padding"][0] = False
    yield Case("a sequence of nothing but padding", nothing)
    padding = torch.tensor([True, False, True])[:, None, None, None]
    yield Case("one key", {"padding": padding, "causal": torch.ones(4, 1, dtype=torch.bool)})


@exercise.oracle
def pair_by_pair(padding, causal):
    batch, (queries, keys) = padding.size(0), causal.shape
    mask = torch.zeros(batch, 1, queries, keys, dtype=torch.bool)
    for sequence in range(batch):
        for query in range(queries):
            for key in range(keys):
                if padding[sequence, 0, 0, key] and causal[query, key]:
                    mask[sequence, 0, query, key] = True
    return mask


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


@exercise.variant
def logical_and(padding, causal):
    return torch.logical_and(causal[None, None], padding)


@exercise.variant
def neither_forbidden(padding, causal):
    return ~(~padding | ~causal)


@exercise.variant
def keeps_causal_where_not_padding(padding, causal):
    return torch.where(padding, causal, False)


@exercise.variant
def sequence_by_sequence(padding, causal):
    return torch.stack([(keys.squeeze(0) * causal).unsqueeze(0) for keys in padding])
