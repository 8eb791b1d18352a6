"""Cases, oracle and known mistakes of `merge_heads`."""

import torch

from autograder.author import EVERY, Case, Exercise

exercise = Exercise(
    "merge_heads",
    points=2,
    difficulty=2,
    minutes=10,
    returns=("the merged heads",),
    read="05_multi_head.html#view-and-transpose",
)


def inputs(rng, *shape, dtype=torch.float32):
    return {"heads": rng.normal(*shape, dtype=dtype)}


@exercise.cases
def cases(rng):
    example = torch.tensor([[[[0.0, 1], [4, 5]], [[2, 3], [6, 7]]]])
    yield Case("every dimension different", inputs(rng, 2, 3, 5, 4), gradient=True)
    yield Case("the example of the text", {"heads": example})
    yield Case("one head and one query", inputs(rng, 3, 1, 1, 6))
    yield Case("heads of width 1", inputs(rng, 2, 4, 3, 1))
    yield Case("half precision", inputs(rng, 2, 3, 3, 5, dtype=torch.float16))


@exercise.secret_cases
def secret_cases(rng):
    queries, d_v = rng.integer(6, 10), rng.integer(3, 6)
    yield Case("as many heads as their width", inputs(rng, 3, d_v, queries, d_v), gradient=True)
    yield Case("many heads in bfloat16", inputs(rng, 2, 12, queries, d_v, dtype=torch.bfloat16))
    yield Case("one sequence in float64", inputs(rng, 1, 3, queries, d_v, dtype=torch.float64))


exercise.promise(
    "the result of each head", "half precision", "many heads in bfloat16", "one sequence in float64"
)
exercise.promise("It is not changed.", EVERY)
exercise.promise("For each query heads", "every dimension different", "the example of the text")


@exercise.oracle
def token_by_token(heads):
    rows = [torch.cat([head[query] for head in sequence])
            for sequence in heads for query in range(heads.size(2))]  # fmt: skip
    return torch.stack(rows).unflatten(0, (heads.size(0), -1))


@exercise.base
def right(heads):
    return heads.transpose(1, 2).flatten(2)


# fmt: off
right.mistake("joins_without_a_transpose",
    {"transpose(1, 2).flatten(2)": "reshape(heads.size(0), heads.size(2), -1)"},
    "The shape is right, but a row holds numbers of several tokens: the heads were joined in the "
    "order of memory. Which two axes have to be next to each other before they are joined?")
right.mistake("views_what_was_transposed", {"flatten(2)": "view(heads.size(0), heads.size(2), -1)"},
    "`view` needs the numbers in memory in the order of its axes, and after a transpose they are "
    "not. Keep the transpose. Which function makes a copy in the new order?")
right.mistake("shuffles_the_features", {"transpose(1, 2)": "permute(0, 2, 3, 1)"},
    "The features of the heads alternate: the first feature of each head, then the second of "
    "each, and so on. Which of the two joined axes should change slowest?")
right.mistake("joins_along_the_queries", {"transpose(1, 2).flatten(2)": "flatten(1, 2)"},
    "You join the heads and the queries, so the result is long and narrow. A token's features "
    "from all heads belong side by side.")
right.mistake("takes_heads_for_queries", {"transpose(1, 2).": ""},
    "You join the queries and the features, so each head becomes one row. Which axis of `heads` "
    "counts the heads, and which the queries?")
right.mistake("adds_the_heads", {"transpose(1, 2).flatten(2)": "sum(dim=1)"},
    "You add the heads up. Each head keeps its own features, so put them side by side.")
right.mistake("averages_the_heads", {"transpose(1, 2).flatten(2)": "mean(dim=1)"},
    "You average the heads. Each head keeps its own features, so put them side by side.")
right.mistake("does_not_join", {".flatten(2)": ""},
    "The two axes changed places but were not joined. The result should have three axes.")
right.mistake("joins_the_batch",
    {"heads.transpose(1, 2).flatten(2)": "torch.cat(heads.unbind(), dim=-1)"},
    "You put the sequences of the batch side by side, and the axis of heads is still there. If "
    "you loop over `heads`, which of its axes does the loop run over?")
right.mistake("puts_the_last_head_first", {"heads.": "heads.flip(1)."},
    "The heads are in reverse order: head 0 comes last. If you add them one by one, on which side "
    "does each new head go?")
# fmt: on


@exercise.variant
def transposed_and_viewed(heads):
    batch, num_heads, queries, d_v = heads.shape
    return heads.transpose(1, 2).contiguous().view(batch, queries, num_heads * d_v)


@exercise.variant
def heads_concatenated(heads):
    return torch.cat(heads.unbind(dim=1), dim=-1)


@exercise.variant
def permuted_and_flattened(heads):
    return torch.einsum("bhqd->bqhd", heads).flatten(start_dim=-2)


@exercise.variant
def written_part_by_part(heads):
    batch, num_heads, queries, d_v = heads.shape
    merged = heads.new_zeros(batch, queries, num_heads * d_v)
    for head in range(num_heads):
        merged[..., head * d_v : (head + 1) * d_v] = heads[:, head]
    return merged
