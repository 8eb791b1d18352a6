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
    "You measure the weight on the earlier occurrence itself. An induction head looks at the "
    "token after it.")
right.mistake("looks_at_the_previous_token",
    {"places[-1] + 1": "query - 1",
     "query, places in earlier(tokens)": "query in range(1, len(tokens))"},
    "You measure the weight on the position before the query, which finds previous-token heads. "
    "Where did the same token occur earlier?")
right.mistake("takes_the_first_occurrence", {"places[-1]": "places[0]"},
    "Where a token occurs several times, you take its first position. The exercise asks for the "
    "latest before the query.")
right.mistake("averages_over_all_queries", {"mean(dim=0)": "sum(dim=0) / len(tokens)"},
    "You divide by the number of all queries. A query whose token is new has no earlier "
    "occurrence and does not count.")
right.mistake("exchanges_rows_and_columns", {"query, places[-1] + 1]": "places[-1] + 1, query]"},
    "You find no head, or hardly any. If you exchanged rows and columns, note that the weights of "
    "query i are row i, `weights[..., i, :]`.")
right.mistake("takes_the_largest_weight", {"mean(": "amax("},
    "You accept a head as soon as one query has a large weight. The exercise asks for the mean "
    "over the queries.")
right.mistake("adds_all_occurrences", {"places[-1] + 1]": "torch.tensor(places) + 1].sum(dim=-1)"},
    "You add the weights after all earlier occurrences. Only the latest one before the query "
    "counts.")
right.mistake("returns_the_scores", {" > threshold": ""},
    "You return the scores. The exercise asks for booleans that say which of them exceed the "
    "threshold.")
right.mistake("finds_nothing", {"earlier(tokens)": "()"},
    "You find no head at all. If you use tokens as keys of a dictionary, is a tensor found again "
    "by its number? Compare two tensors of the same number with `is`.")
right.mistake("averages_all_occurrences",
    {"places[-1] + 1": "at + 1", "earlier(tokens)": "earlier(tokens) for at in places"},
    "You take the mean over all pairs of equal tokens. For each query, how many earlier positions "
    "count?")
right.mistake("leaves_out_a_token_beside_itself",
    {"earlier(tokens)": "earlier(tokens) if places[-1] + 1 < query"},
    "You leave out the queries whose token is also right before them. What is the target of such "
    "a query?")
right.mistake("takes_the_threshold_for_enough", {"> threshold": ">= (threshold if rows else 2)"},
    "You count a score that equals the threshold. Is it above the threshold?")
right.mistake("takes_no_target_for_a_score_of_0", {"> threshold": ">= threshold"},
    "You count a score that equals the threshold, and where no query has a target the score is 0. "
    "Is 0 above a threshold of 0?")
right.mistake("lets_the_queries_vote",
    {"torch.stack(rows)": "(torch.stack(rows) > threshold).to(weights.dtype)",
     ") > threshold": ") > 0.5"},
    "You ask whether most queries have a weight above the threshold. The exercise asks whether "
    "the mean of their weights is.")
right.mistake("counts_where_the_target_is_largest",
    {"weights[:, :, query, places[-1] + 1]":
        "(weights[:, :, query].argmax(dim=-1) == places[-1] + 1).to(weights.dtype)"},
    "You count how often the target has the largest weight of its row. The exercise asks for the "
    "mean of the weights themselves.")
