"""Known mistakes of `linear_attention`."""

import torch
import torch.nn.functional as F  # noqa: F401

from .linear_attention import exercise


@exercise.base
def right(query, key, value, causal):
    written = key[..., None] * value[..., None, :]
    state = written.cumsum(-3) if causal else written.sum(-3, keepdim=True)
    sums = key.cumsum(-2) if causal else key.sum(-2, keepdim=True)
    summed = (query[..., None] * state).sum(-2)
    total = (query * sums).sum(-1, keepdim=True)
    return summed / total.masked_fill(total == 0, 1.0)


# fmt: off
right.mistake("does_not_normalise", {"summed / total.masked_fill(total == 0, 1.0)": "summed"},
    "You return the weighted sum of the values. Divide it by the sum of the weights, which are "
    "the dot products of the query with the keys.")
right.mistake("normalises_by_all_keys",
    {"key.cumsum(-2) if causal else key.sum(-2, keepdim=True)": "key.sum(-2, keepdim=True)"},
    "With `causal`, you divide by the sum over all keys. A query divides by the sum over the keys "
    "that it may attend to.")
right.mistake("sums_all_values",
    {"written.cumsum(-3) if causal else written.sum(-3, keepdim=True)":
        "written.sum(-3, keepdim=True)"},
    "With `causal`, the normaliser stops at the query's own token, but the weighted sum of values "
    "runs over all tokens.")
right.mistake("ignores_causal",
    {"written.cumsum(-3) if causal else written.sum(-3, keepdim=True)":
        "written.sum(-3, keepdim=True)",
     "key.cumsum(-2) if causal else key.sum(-2, keepdim=True)": "key.sum(-2, keepdim=True)"},
    "`causal` changes nothing in your result.")
right.mistake("is_always_causal",
    {"written.cumsum(-3) if causal else written.sum(-3, keepdim=True)": "written.cumsum(-3)",
     "key.cumsum(-2) if causal else key.sum(-2, keepdim=True)": "key.cumsum(-2)"},
    "You stop at the query's own token even where `causal` is False, or the call raises an "
    "exception there. Then a query attends to all keys, and there may be more of them or fewer.")
right.mistake("adds_a_small_number", {"total.masked_fill(total == 0, 1.0)": "(total + 1e-6)"},
    "You add a small number to the normaliser. The normaliser may be smaller than that number, "
    "which then decides the result. Treat exactly 0 as a case of its own.")
right.mistake("adds_a_tiny_number", {"total.masked_fill(total == 0, 1.0)": "(total + 1e-12)"},
    "The number that you add to the normaliser is too large for tiny queries, and in half "
    "precision it is 0. Treat exactly 0 as a case of its own.")
right.mistake("adds_a_hundred_millionth", {"total.masked_fill(total == 0, 1.0)": "(total + 1e-8)"},
    "You add 1e-8 to the normaliser. That is much more than the normaliser of a tiny query. Treat "
    "exactly 0 as a case of its own.")
right.mistake("clamps_at_a_hundred_millionth",
    {"total.masked_fill(total == 0, 1.0)": "total.clamp(min=1e-8)"},
    "You raise each normaliser to at least 1e-8. A tiny query has a smaller one. Replace only a "
    "normaliser of exactly 0.")
right.mistake("clamps_at_the_precision",
    {"total.masked_fill(total == 0, 1.0)": "total.clamp(min=torch.finfo(total.dtype).eps)"},
    "`eps` of a dtype is its precision near 1, and far from its smallest number. A tiny query has "
    "a smaller normaliser. Replace only a normaliser of exactly 0.")
right.mistake("clamps_the_normaliser",
    {"total.masked_fill(total == 0, 1.0)": "total.clamp(min=1e-6)"},
    "You replace each normaliser below a bound by that bound. A tiny query has a tiny normaliser, "
    "and the two cancel. Replace only a normaliser of exactly 0.")
right.mistake("takes_small_for_zero",
    {"total == 0": "total < 1e-6"},
    "You treat a small normaliser as 0. A tiny query has a tiny normaliser, and its output is as "
    "large as any other. Ask for exactly 0.")
right.mistake("divides_by_0", {"total.masked_fill(total == 0, 1.0)": "total"},
    "A query whose dot products are all 0 gets NaN from 0 / 0. It should get zeros.")
right.mistake("replaces_nan_afterwards",
    {"summed / total.masked_fill(total == 0, 1.0)": "torch.nan_to_num(summed / total)"},
    "The zeros are right, but you replace NaN after the division, and the gradient still passes "
    "through 0 / 0. Replace the normaliser before you divide.")
right.mistake("averages_where_nothing_is_seen",
    {"return summed /":
        "count = torch.arange(1, value.size(-2) + 1, device=value.device)[:, None]\n"
        "    mean = value.cumsum(-2) / count if causal else value.mean(-2, keepdim=True)\n"
        "    summed = torch.where(total == 0, mean.to(value.dtype), summed)\n"
        "    return summed /"},
    "Where all dot products are 0, you return the mean of the values. The output should be zeros "
    "there.")
right.mistake("leaves_out_its_own_token",
    {"written.cumsum(-3) if": "written.cumsum(-3) - written if",
     "key.cumsum(-2) if": "key.cumsum(-2) - key if"},
    "With `causal`, a query does not see its own token. Query i sees the keys 0 to i, including i.")
right.mistake("leaves_its_own_token_out_of_the_values",
    {"written.cumsum(-3) if": "written.cumsum(-3) - written if"},
    "With `causal`, you read the state before the query's own token is added to it, but the "
    "normaliser already counts that token. Add first, in both.")
right.mistake("leaves_its_own_token_out_of_the_normaliser",
    {"key.cumsum(-2) if": "key.cumsum(-2) - key if"},
    "With `causal`, the normaliser leaves out the query's own token, but the weighted sum has it.")
right.mistake("sees_the_later_tokens",
    {"written.cumsum(-3) if": "written.flip(-3).cumsum(-3).flip(-3) if",
     "key.cumsum(-2) if": "key.flip(-2).cumsum(-2).flip(-2) if"},
    "With `causal`, a query sees its own token and later ones. It should see its own and earlier "
    "ones.")
right.mistake("maps_to_features_again",
    {"written = key": "query, key = F.elu(query) + 1, F.elu(key) + 1\n    written = key"},
    "You apply elu + 1 to queries and keys. A feature map was applied to them already: use them "
    "as they come.")
right.mistake("takes_exponentials",
    {"written = key": "query, key = query.exp(), key.exp()\n    written = key"},
    "You take exponentials of queries and keys. A feature map was applied to them already: use "
    "them as they come.")
right.mistake("takes_the_softmax_of_features",
    {"written = key": "query, key = query.softmax(-1), key.softmax(-1)\n    written = key"},
    "You take the softmax of each query and key over its features. There is no softmax in linear "
    "attention: dot products are divided by their sum.")
right.mistake("softmax_of_features_and_of_tokens",
    {"written = key": "query, key = query.softmax(-1), key.softmax(-2)\n    written = key"},
    "You take the softmax of queries over features and of keys over tokens. Here they are used as "
    "they come, and dot products are divided by their sum.")


@exercise.misconception(
    "This is softmax attention: you take exponentials of the scaled dot products. Linear "
    "attention divides the dot products themselves by their sum."
)
def attends_with_softmax(query, key, value, causal):
    scores = query @ key.mT / query.size(-1) ** 0.5
    if causal:
        scores = scores + torch.full_like(scores, float("-inf")).triu(1)
    return scores.softmax(-1) @ value


@exercise.misconception(
    "You take the softmax of the dot products. Linear attention has none: it divides the dot "
    "products themselves by their sum."
)
def attends_with_unscaled_softmax(query, key, value, causal):
    scores = query @ key.mT
    if causal:
        scores = scores + torch.full_like(scores, float("-inf")).triu(1)
    return scores.softmax(-1) @ value


@exercise.misconception(
    "The weights of each key sum to 1 over the queries. The weights of a query should sum to 1 "
    "over the keys that it may attend to."
)
def normalises_over_queries(query, key, value, causal):
    scores = query @ key.mT
    scores = scores.tril() if causal else scores
    total = scores.sum(-2, keepdim=True)
    return scores / total.masked_fill(total == 0, 1.0) @ value


right.mistake("divides_by_the_root_of_d_k",
    {"return summed /": "return summed / query.size(-1) ** 0.5 /"},
    "You divide the weighted sum by the root of d_k, but the normaliser has no such factor. In "
    "both it would cancel, so leave it out.")
right.mistake("divides_by_the_number_of_keys",
    {"return summed / total.masked_fill(total == 0, 1.0)":
        "seen = torch.arange(1, key.size(-2) + 1, device=key.device).to(key.dtype)[:, None]\n"
        "    return summed / (seen if causal else key.size(-2))"},
    "You divide by the number of keys. Divide by the sum of the query's dot products with them.")
right.mistake("normalises_each_feature",
    {"query[..., None] * state).sum(-2)":
        "query[..., None] * state / sums.masked_fill(sums == 0, 1.0)[..., None]).sum(-2)",
     "summed / total.masked_fill(total == 0, 1.0)": "summed"},
    "You divide the state by the sum of the keys, feature by feature. First multiply the query by "
    "both, then divide the two results.")
right.mistake("divides_by_the_sum_of_the_keys",
    {"(query * sums).sum(-1, keepdim=True)": "sums.sum(-1, keepdim=True)"},
    "The normaliser does not depend on the query: you divide by the sum of all features of the "
    "keys. Multiply each key by the query first.")
right.mistake("divides_by_the_sum_of_the_query",
    {"(query * sums).sum(-1, keepdim=True)": "query.sum(-1, keepdim=True)"},
    "You divide by the sum of the query's features. Divide by the sum of its dot products with "
    "the keys.")
right.mistake("divides_by_the_root_of_squares",
    {"return summed / total.masked_fill(total == 0, 1.0)":
        "return F.normalize(summed, dim=-1)"},
    "You bring each output to length 1. Divide by the sum of the dot products instead.")
right.mistake("normalises_the_keys",
    {"written =":
        "every = key.sum(-2, keepdim=True)\n"
        "    key = key / every.masked_fill(every == 0, 1.0)\n"
        "    written =",
     "summed / total.masked_fill(total == 0, 1.0)": "summed"},
    "You divide the keys by their sum, feature by feature, before they meet the query. What you "
    "divide by should depend on the query, too.")
right.mistake("sums_over_the_features",
    {"written.cumsum(-3)": "written.cumsum(-2)"},
    "With `causal`, the running sum of the states is along the features instead of the tokens. "
    "Which axis of (..., length, d_k, d_v) holds the tokens?")
right.mistake("sums_over_the_first_axis",
    {"written.cumsum(-3)": "written.cumsum(0)", "key.cumsum(-2)": "key.cumsum(0)"},
    "With `causal`, the running sums are along the first axis, which is the batch if there is one. "
    "Count axes from the end.")
right.mistake("sums_before_it_multiplies",
    {"written =": "key, value = key.cumsum(-2), value.cumsum(-2)\n    written =",
     "written.cumsum(-3) if causal else written.sum(-3, keepdim=True)":
        "written if causal else written[..., -1:, :, :]",
     "key.cumsum(-2) if causal else key.sum(-2, keepdim=True)":
        "key if causal else key[..., -1:, :]"},
    "You sum keys and values separately and then multiply the sums. Each key meets its own value "
    "only: multiply first, then sum the products.")


@exercise.misconception(
    "The result is right, but you compute a number for each pair of tokens, and their number "
    "grows with the square of the length. Multiply keys by values first: (K^T V), or its running "
    "sum with `causal`."
)
def multiplies_queries_by_keys(query, key, value, causal):
    scores = query @ key.mT
    scores = scores.tril() if causal else scores
    total = scores.sum(-1, keepdim=True)
    return scores @ value / total.masked_fill(total == 0, 1.0)


@exercise.misconception(
    "The result is right, but each query goes through all keys that it may attend to. A running "
    "state already holds what the earlier queries went through: add one token to it and go on."
)
def starts_again_for_each_query(query, key, value, causal):
    rows = []
    for i in range(query.size(-2)):
        seen = slice(0, i + 1 if causal else key.size(-2))
        scores = query[..., i : i + 1, :] @ key[..., seen, :].mT
        total = scores.sum(-1, keepdim=True)
        rows.append(scores @ value[..., seen, :] / total.masked_fill(total == 0, 1.0))
    return torch.cat(rows, -2)


@exercise.misconception(
    "With `causal`, later keys get minus infinity. That is right before a softmax. Here there is "
    "none, and a key that does not count has the weight 0."
)
def hides_by_minus_infinity(query, key, value, causal):
    scores = query @ key.mT
    if causal:
        scores = scores + torch.full_like(scores, float("-inf")).triu(1)
    total = scores.sum(-1, keepdim=True)
    return scores @ value / total.masked_fill(total == 0, 1.0)
