"""Cases, oracle and known mistakes of `combine_masks`."""

import torch

from autograder.author import EVERY, Case, Exercise

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


exercise.promise("which keys of each sequence", EVERY)
exercise.promise("It is not changed.", EVERY)
exercise.promise(
    "which keys each query", "more keys than queries", "any two masks with more queries than keys"
)
exercise.promise("Boolean mask on the device", EVERY)
exercise.promise("Rows are queries.", "more keys than queries")
exercise.promise(
    "A row in which no key", "padding at the front", "a sequence of nothing but padding"
)


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
