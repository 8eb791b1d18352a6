"""Known mistakes of `find_induction_heads`."""

import torch

from .find_induction_heads import earlier, exercise


@exercise.base
def right(weights, tokens, threshold):
    rows = [weights[:, :, query, places[-1] + 1] for query, places in earlier(tokens)]
    none = torch.zeros_like(weights[:, :, 0, 0])
    return (torch.stack(rows).mean(dim=0) if rows else none) > threshold


# fmt: off
right.mistake("looks_at_the_occurrence", {"places[-1] + 1": "places[-1]"},
    "You measure the weight on the earlier occurrence itself. An induction head looks at what came "
    "after it.")
right.mistake("looks_at_the_previous_token",
    {"places[-1] + 1": "query - 1",
     "query, places in earlier(tokens)": "query in range(1, len(tokens))"},
    "You measure the weight on the position before the query: a previous-token head. Where did the "
    "same token stand earlier?")
right.mistake("takes_the_first_occurrence", {"places[-1]": "places[0]"},
    "Where a token occurred several times you take its first place. Asked for is the latest before "
    "the query.")
right.mistake("averages_over_all_queries", {"mean(dim=0)": "sum(dim=0) / len(tokens)"},
    "You divide by the number of all queries. A query whose token is new has nowhere to look and "
    "does not count.")
right.mistake("exchanges_rows_and_columns", {"query, places[-1] + 1]": "places[-1] + 1, query]"},
    "You find no head, or next to none. If you exchanged rows and columns: the weights of query i "
    "are row i, `weights[..., i, :]`.")
right.mistake("takes_the_largest_weight", {"mean(": "amax("},
    "One query with a large weight is enough for you. Asked for is the mean over the queries.")
right.mistake("adds_all_occurrences", {"places[-1] + 1]": "torch.tensor(places) + 1].sum(dim=-1)"},
    "You add the weights after all earlier occurrences. Only the latest before the query counts.")
right.mistake("returns_the_scores", {" > threshold": ""},
    "You return the scores. Asked for is which of them exceed the threshold: booleans.")
right.mistake("finds_nothing", {"earlier(tokens)": "()"},
    "You find no head at all. If tokens are the keys of a dictionary: is a tensor found again by "
    "its number? Compare two tensors of the same number with `is`.")
right.mistake("averages_all_occurrences",
    {"places[-1] + 1": "at + 1", "earlier(tokens)": "earlier(tokens) for at in places"},
    "You take the mean over all pairs of equal tokens. For each query, how many earlier positions "
    "count?")
right.mistake("leaves_out_a_token_beside_itself",
    {"earlier(tokens)": "earlier(tokens) if places[-1] + 1 < query"},
    "You leave out the queries whose token stands right before them. What is the target of such a "
    "query?")
right.mistake("takes_the_threshold_for_enough", {"> threshold": ">= (threshold if rows else 2)"},
    "A score that equals the threshold counts for you. Is it above the threshold?")
right.mistake("takes_no_target_for_a_score_of_0", {"> threshold": ">= threshold"},
    "A score that equals the threshold counts for you, and where no query has a target the score "
    "is 0. Is 0 above a threshold of 0?")
right.mistake("lets_the_queries_vote",
    {"torch.stack(rows)": "(torch.stack(rows) > threshold).to(weights.dtype)",
     ") > threshold": ") > 0.5"},
    "You ask whether most queries have a weight above the threshold. Asked for is whether the mean "
    "of their weights is.")
right.mistake("counts_where_the_target_is_largest",
    {"weights[:, :, query, places[-1] + 1]":
        "(weights[:, :, query].argmax(dim=-1) == places[-1] + 1).to(weights.dtype)"},
    "You count how often the target has the largest weight of its row. Asked for is the mean of "
    "the weights themselves.")
