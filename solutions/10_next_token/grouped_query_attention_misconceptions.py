"""Known mistakes of `grouped_query_attention`."""

import math

import torch  # noqa: F401

from .grouped_query_attention import exercise


@exercise.base
def right(query, key, value, mask):
    few, queries = key.size(1), query.size(2)
    group = query.size(1) // few
    root = math.sqrt(query.size(-1))
    folded = query.unflatten(1, (few, group)).flatten(2, 3)
    scores = (folded @ key.mT / root).unflatten(2, (group, queries))
    allowed = mask[:, :, None]
    nothing = ~allowed.any(dim=-1, keepdim=True)
    weights = scores.masked_fill(~(allowed | nothing), -math.inf).softmax(dim=-1)
    weights = weights.masked_fill(nothing, 0.0)
    output = weights.flatten(2, 3) @ value
    return output.unflatten(2, (group, queries)).flatten(1, 2)


# fmt: off
right.mistake("deals_heads_out_in_turn",
    {"(few, group)).flatten(2, 3)": "(group, few)).transpose(1, 2).flatten(2, 3)",
     ".flatten(1, 2)": ".transpose(1, 2).flatten(1, 2)"},
    "You assign the heads in turn: 0, 1, 0, 1. Which heads of queries are neighbours in a group?")
right.mistake("reverses_the_groups",
    {"few, queries =": "key, value = key.flip(1), value.flip(1)\n    few, queries ="},
    "The outputs belong to other heads: you process the groups in reverse order, or the heads "
    "come back in another order than they went in.")
right.mistake("returns_heads_in_another_order",
    {".flatten(1, 2)": ".transpose(1, 2).flatten(1, 2)"},
    "The heads get the right keys but come out in another order: you take one head from each "
    "group in turn. Undo what you did to the queries, in reverse order.")
right.mistake("averages_the_keys",
    {"few, queries =":
        "key, value = key.mean(1, keepdim=True), value.mean(1, keepdim=True)\n    few, queries ="},
    "You average keys and values over their heads. The heads of one group share a head of keys, "
    "but groups differ.")
right.mistake("averages_the_queries",
    {"group = query.size(1) // few":
        "many, group = query.size(1) // few, 1\n"
        "    query = query.unflatten(1, (few, many)).mean(dim=2)",
     ".flatten(1, 2)": ".flatten(1, 2).repeat_interleave(many, dim=1)"},
    "All heads of a group use the mean of their queries. They share keys, not queries.")
right.mistake("uses_the_first_for_all",
    {"few, queries =": "key, value = key[:, :1], value[:, :1]\n    few, queries ="},
    "All heads use the first head of keys and values. Each group has its own.")
right.mistake("needs_too_much_memory",
    {"few, queries =":
        "group = query.size(1) // key.size(1)\n"
        "    key, value = (x.repeat_interleave(group, dim=1) for x in (key, value))\n"
        "    few, queries ="},
    "A tensor is larger than allowed. Do you repeat keys and values for every head, perhaps by a "
    "product that broadcasts them? Or does a head meet keys other than its own? Reshape the "
    "queries instead.")
right.mistake("deals_values_out_in_turn",
    {"few, queries =":
        "group = query.size(1) // key.size(1)\n"
        "    key, value = key.repeat_interleave(group, dim=1), value.repeat(1, group, 1, 1)\n"
        "    few, queries ="},
    "You share keys within groups but assign values in turn. Treat both in the same way.")
right.mistake("forgets_to_divide", {"math.sqrt(query.size(-1))": "1.0"},
    "The scores are not divided by the root of d_k.")
right.mistake("divides_by_the_group_too",
    {"math.sqrt(query.size(-1))": "math.sqrt(query.size(-1)) * math.sqrt(group)"},
    "You divide the scores by the root of d_k times the heads of a group. Sharing keys does not "
    "make a dot product longer.")
right.mistake("divides_by_the_width_of_the_model",
    {"math.sqrt(query.size(-1))": "math.sqrt(query.size(-1)) * math.sqrt(query.size(1))"},
    "You divide the scores by the root of d_k times the heads, the width of the model. A dot "
    "product has d_k terms.")
right.mistake("divides_by_d_k", {"math.sqrt(query.size(-1))": "query.size(-1)"},
    "You divide the scores by d_k. The formula divides by its root.")
right.mistake("divides_by_the_width_of_values",
    {"math.sqrt(query.size(-1))": "math.sqrt(value.size(-1))"},
    "You divide by the root of the width of the values. Which width is d_k?")
right.mistake("turns_the_mask_round", {"mask[:, :, None]": "~mask[:, :, None]"},
    "The mask is inverted. True means \"may attend\".")
right.mistake("ignores_the_mask", {"mask[:, :, None]": "torch.ones_like(mask)[:, :, None]"},
    "The mask changes nothing.")
right.mistake("fills_with_0", {"~(allowed | nothing), -math.inf": "~allowed, 0.0"},
    "Hidden keys get the score 0, whose exponential is not 0. Which score gives the weight 0?")
right.mistake("fills_with_a_number", {"~(allowed | nothing), -math.inf": "~allowed, -1e4"},
    "Where all scores are far below 0, hidden keys win, because the number that they get is not "
    "low enough. Minus infinity is below every score.")
right.mistake("masks_after_the_softmax",
    {".masked_fill(~(allowed | nothing), -math.inf).softmax(dim=-1)\n"
     "    weights = weights.masked_fill(nothing, 0.0)":
        ".softmax(dim=-1) * allowed",
     "    nothing = ~allowed.any(dim=-1, keepdim=True)\n": ""},
    "You mask after the softmax. Hidden keys have had their share by then, so the remaining "
    "weights do not sum to 1.")
right.mistake("normalises_over_queries", {".softmax(dim=-1)": ".softmax(dim=-2)"},
    "In your result the weights of a key sum to 1 over the queries. The weights of a query should "
    "sum to 1 over the keys: `dim=-1`.")
right.mistake("leaves_nan",
    {"~(allowed | nothing)": "~allowed",
     "    weights = weights.masked_fill(nothing, 0.0)\n": "",
     "    nothing = ~allowed.any(dim=-1, keepdim=True)\n": ""},
    "A query that may attend to nothing gets NaN: all its scores are minus infinity. It should "
    "get zeros.")
right.mistake("averages_hidden_values",
    {"~(allowed | nothing), -math.inf": "~allowed, torch.finfo(scores.dtype).min",
     "    weights = weights.masked_fill(nothing, 0.0)\n": "",
     "    nothing = ~allowed.any(dim=-1, keepdim=True)\n": ""},
    "A query that may attend to nothing gets an average of values that it may not see. It should "
    "get zeros.")
right.mistake("averages_the_outputs",
    {".flatten(1, 2)": ".flatten(1, 2).unflatten(1, (few, group)).mean(dim=2)"},
    "You sum or average the result over the heads of a group. There should be as many output "
    "heads as query heads.")
right.mistake("unfolds_in_another_order",
    {"(folded @ key.mT / root).unflatten(2, (group, queries))":
        "(folded @ key.mT / root).unflatten(2, (queries, group)).transpose(2, 3)",
     "weights.flatten(2, 3)": "weights.transpose(2, 3).flatten(2, 3)",
     "output.unflatten(2, (group, queries))":
        "output.unflatten(2, (queries, group)).transpose(2, 3)"},
    "You unfold heads and queries of a group in another order than you folded them in, so weights "
    "and outputs end up at other queries.")
right.mistake("fills_with_a_number_and_averages",
    {"~(allowed | nothing), -math.inf": "~allowed, -1e4",
     "    weights = weights.masked_fill(nothing, 0.0)\n": "",
     "    nothing = ~allowed.any(dim=-1, keepdim=True)\n": ""},
    "You fill with a number instead of minus infinity. Scores may be lower, and a query that may "
    "attend to nothing gets an average of values that it may not see.")
right.mistake("fills_with_minus_a_billion",
    {"~(allowed | nothing), -math.inf": "~allowed, -1e9",
     "    weights = weights.masked_fill(nothing, 0.0)\n": "",
     "    nothing = ~allowed.any(dim=-1, keepdim=True)\n": ""},
    "Minus a billion is not minus infinity: float16 cannot represent it, scores may be lower, and "
    "a query that may attend to nothing gets an average of values that it may not see.")
