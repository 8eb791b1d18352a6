"""Known mistakes of `find_induction_heads`."""

import torch
from jaxtyping import Float
from torch import Tensor

from .find_induction_heads import earlier, exercise


def mean_of(
    rows: list[Float[Tensor, "layers heads"]], weights: Float[Tensor, "layers heads queries keys"]
) -> Float[Tensor, "layers heads"]:
    """Zeros if there are none."""
    return torch.stack(rows).mean(dim=0) if rows else torch.zeros_like(weights[:, :, 0, 0])


@exercise.misconception(
    "You measure the weight on the earlier occurrence itself. An induction head looks at what came "
    "after it."
)
def looks_at_the_occurrence(weights, tokens, threshold):
    rows = [weights[:, :, query, places[-1]] for query, places in earlier(tokens)]
    return mean_of(rows, weights) > threshold


@exercise.misconception(
    "You measure the weight on the position before the query: a previous-token head. Where did the "
    "same token stand earlier?"
)
def looks_at_the_previous_token(weights, tokens, threshold):
    return weights.diagonal(offset=-1, dim1=2, dim2=3).mean(dim=-1) > threshold


@exercise.misconception(
    "Where a token occurred several times you take its first place. Asked for is the latest before "
    "the query."
)
def takes_the_first_occurrence(weights, tokens, threshold):
    rows = [weights[:, :, query, places[0] + 1] for query, places in earlier(tokens)]
    return mean_of(rows, weights) > threshold


@exercise.misconception(
    "You divide by the number of all queries. A query whose token is new has nowhere to look and "
    "does not count."
)
def averages_over_all_queries(weights, tokens, threshold):
    total = torch.zeros_like(weights[:, :, 0, 0])
    for query, places in earlier(tokens):
        total = total + weights[:, :, query, places[-1] + 1]
    return total / len(tokens) > threshold


@exercise.misconception(
    "You find no head, or next to none. If you exchanged rows and columns: the weights of query i "
    "are row i, `weights[..., i, :]`."
)
def exchanges_rows_and_columns(weights, tokens, threshold):
    rows = [weights[:, :, places[-1] + 1, query] for query, places in earlier(tokens)]
    return mean_of(rows, weights) > threshold


@exercise.misconception(
    "One query with a large weight is enough for you. Asked for is the mean over the queries."
)
def takes_the_largest_weight(weights, tokens, threshold):
    rows = [weights[:, :, query, places[-1] + 1] for query, places in earlier(tokens)]
    none = torch.zeros_like(weights[:, :, 0, 0])
    return (torch.stack(rows).amax(dim=0) if rows else none) > threshold


@exercise.misconception(
    "You add the weights after all earlier occurrences. Only the latest before the query counts."
)
def adds_all_occurrences(weights, tokens, threshold):
    rows = [
        weights[:, :, query, torch.tensor(places) + 1].sum(dim=-1)
        for query, places in earlier(tokens)
    ]
    return mean_of(rows, weights) > threshold


@exercise.misconception(
    "You return the scores. Asked for is which of them exceed the threshold: booleans."
)
def returns_the_scores(weights, tokens, threshold):
    rows = [weights[:, :, query, places[-1] + 1] for query, places in earlier(tokens)]
    return mean_of(rows, weights)


@exercise.misconception(
    "You find no head at all. If tokens are the keys of a dictionary: is a tensor found again by "
    "its number? Compare two tensors of the same number with `is`."
)
def finds_nothing(weights, tokens, threshold):
    return torch.zeros_like(weights[:, :, 0, 0], dtype=torch.bool)


@exercise.misconception(
    "You take the mean over all pairs of equal tokens. For each query, how many earlier positions "
    "count?"
)
def averages_all_occurrences(weights, tokens, threshold):
    rows = [weights[:, :, query, at + 1] for query, places in earlier(tokens) for at in places]
    return mean_of(rows, weights) > threshold


@exercise.misconception(
    "You leave out the queries whose token stands right before them. What is the target of such a "
    "query?"
)
def leaves_out_a_token_beside_itself(weights, tokens, threshold):
    rows = [weights[:, :, query, places[-1] + 1]
            for query, places in earlier(tokens) if places[-1] + 1 < query]  # fmt: skip
    return mean_of(rows, weights) > threshold


@exercise.misconception(
    "A score that equals the threshold counts for you. Is it above the threshold?"
)
def takes_the_threshold_for_enough(weights, tokens, threshold):
    rows = [weights[:, :, query, places[-1] + 1] for query, places in earlier(tokens)]
    return mean_of(rows, weights) >= (threshold if rows else 2)


@exercise.misconception(
    "A score that equals the threshold counts for you, and where no query has a target the score "
    "is 0. Is 0 above a threshold of 0?"
)
def takes_no_target_for_a_score_of_0(weights, tokens, threshold):
    rows = [weights[:, :, query, places[-1] + 1] for query, places in earlier(tokens)]
    return mean_of(rows, weights) >= threshold


@exercise.misconception(
    "You ask whether most queries have a weight above the threshold. Asked for is whether the mean "
    "of their weights is."
)
def lets_the_queries_vote(weights, tokens, threshold):
    rows = [weights[:, :, query, places[-1] + 1] for query, places in earlier(tokens)]
    return mean_of([(row > threshold).to(weights.dtype) for row in rows], weights) > 0.5


@exercise.misconception(
    "You count how often the target has the largest weight of its row. Asked for is the mean of "
    "the weights themselves."
)
def counts_where_the_target_is_largest(weights, tokens, threshold):
    rows = [weights[:, :, query].argmax(dim=-1) == places[-1] + 1
            for query, places in earlier(tokens)]  # fmt: skip
    return mean_of([row.to(weights.dtype) for row in rows], weights) > threshold
