"""Known mistakes of `relative_bias`."""

import torch
from jaxtyping import Int
from torch import Tensor

from .relative_bias import exercise


def offsets_of(queries: int, keys: int, like: Tensor) -> Int[Tensor, "queries keys"]:
    """Position of the key less that of the query."""
    positions = torch.arange(keys - queries, keys, device=like.device)
    return torch.arange(keys, device=like.device) - positions[:, None]


@exercise.base
def right(table, queries, keys):
    reach = table.size(1) // 2
    return table[:, offsets_of(queries, keys, table).clamp(-reach, reach) + reach]


@exercise.base
def step_by_step(table, queries, keys):
    reach = table.size(1) // 2
    i = torch.arange(queries, device=table.device)[:, None] + keys - queries
    offset = torch.arange(keys, device=table.device) - i
    return table[:, offset.clamp(-reach, reach) + reach]


@exercise.base
def by_columns(table, queries, keys):
    reach = table.size(1) // 2
    columns = offsets_of(queries, keys, table).clamp(-reach, reach) + reach
    return table[:, columns]


# fmt: off
right.mistake("looks_up_the_opposite_offset",
    {"offsets_of(queries, keys, table)": "(-offsets_of(queries, keys, table))"},
    "Earlier keys get the numbers of later ones. Which offsets are to the left of the middle of "
    "the table? If you compute the query's position minus the key's, note that the offset is the "
    "reverse.")
right.mistake("lets_a_negative_index_wrap", {" + reach": ""},
    "You use an offset as the column itself. A negative index counts from the end, without an "
    "error. Which column holds the offset 0?")
right.mistake("does_not_limit_the_offsets",
    {"reach = table.size(1) // 2\n    return": "return",
     ".clamp(-reach, reach) + reach": "+ table.size(1) // 2"},
    "Offsets beyond the reach have no column in the table, or get a wrong one, counted from the "
    "end. They share the number of the farthest offset in their direction.")


@exercise.misconception(
    "In your result, an offset beyond the reach wraps round to the other end of the table, as "
    "with `%`. It should share the number of the farthest offset in its direction."
)
def wraps_far_offsets(table, queries, keys):
    columns = (offsets_of(queries, keys, table) + table.size(1) // 2) % table.size(1)
    return table[:, columns]


step_by_step.mistake("lines_up_the_first_ones", {" + keys - queries": ""},
    "You place the first query at the first key. The queries are the newest tokens, and the last "
    "one is at the position of the last key.")
step_by_step.mistake("moves_the_queries_the_wrong_way", {"keys - queries": "queries - keys"},
    "With fewer queries than keys you shift the queries the wrong way, before the first key. "
    "Should `queries - keys` be added or subtracted?")
step_by_step.mistake("never_puts_a_query_before_the_keys",
    {"keys - queries": "max(keys - queries, 0)"},
    "The result is right unless there are more queries than keys. In that case, too, the last "
    "query is at the position of the last key, and the first ones come before every key.")
step_by_step.mistake("holds_the_first_queries_at_0",
    {"queries, device": "keys - queries, keys, device",
     "[:, None] + keys - queries": ".clamp(min=0)",
     "- i": "- i[:, None]"},
    "The result is right unless there are more queries than keys. Then you put all queries before "
    "the keys at position 0, but each has its own position, below 0.")
right.mistake("forgets_the_direction", {"clamp(-reach, reach)": "abs().clamp(max=reach)"},
    "Earlier and later keys get the same number because you take the absolute offset. Half of the "
    "table is then never used.")
right.mistake("limits_at_0", {"-reach": "0"},
    "All earlier keys share one number because you limit the offset at 0. How far may it go in "
    "either direction?")
right.mistake("reaches_one_too_few",
    {"return": "less = max(reach - 1, 0)\n    return", "reach, reach": "less, less"},
    "The first and the last column of the table are never used: your limit is one too small. What "
    "is the reach of a table with 5 columns?")
right.mistake("has_a_smaller_reach", {"table.size(1) // 2": "max(table.size(1) // 2 - 1, 0)"},
    "Your reach is one too small, and so is the column of the offset 0. A table with 5 columns "
    "has the reach 2.")
by_columns.mistake("gives_far_offsets_0",
    {"table)": "table)\n    return table[:, columns",
     "reach\n    return table[:, columns]": "reach] * (columns.abs() <= reach)"},
    "In your result, offsets beyond the reach have the bias 0. They should share the number of "
    "the farthest offset in their direction.")
right.mistake("limits_later_keys_only", {"-reach,": "max="},
    "You limit only the offsets of later keys. Those of earlier keys become negative columns, "
    "which count from the end. Limit them at -reach, too.")
by_columns.mistake("centres_at_the_length",
    {"reach = table.size(1) // 2\n    columns": "columns",
     ".clamp(-reach, reach) + reach": "+ keys - 1",
     ", columns": ", columns.clamp(0, table.size(1) - 1)"},
    "You assume that the offset 0 is in column keys - 1, as if the table had been made for this "
    "length. Where is the middle of the table?")
right.mistake("leaves_the_heads_last", {"table[:,": "table.T["},
    "In your result the heads are the last axis. Which axis of the table do you index?")
by_columns.mistake("takes_one_row_for_all_heads",
    {"table[:, columns]": "table[0, columns].expand(table.size(0), -1, -1)"},
    "All heads have the numbers of the first one. Each head has its own row.")
by_columns.mistake("hides_later_keys",
    {"table)": "table)\n    return table[:, columns",
     "reach\n    return table[:, columns]": "reach].masked_fill(columns > 0, -torch.inf)"},
    "You hide later keys. This table has numbers for them, too, since an encoder uses them.")
right.mistake("limits_later_keys_one_too_early", {"reach, reach": "reach, max(reach - 1, -reach)"},
    "Later keys are limited to reach - 1, so the last column of the table is never used. A clamp "
    "includes its bounds.")
right.mistake("cannot_be_learned", {"return table": "return table.detach()"},
    "The numbers are right, but no gradient reaches the table, so it cannot be learned. Which of "
    "these do you use: `detach`, `.tolist()`, `.item()`, `torch.tensor`?")
right.mistake("always_gives_float32", {"reach]": "reach].float()"},
    "The numbers are right, but the bias is always float32. What is the dtype of the table?")
right.mistake("fills_it_in_on_the_cpu",
    {"return": "return torch.zeros(table.size(0), queries, keys, dtype=table.dtype) +"},
    "You create the bias on the CPU, wherever the table is. Which argument says where a new "
    "tensor is created?")


@exercise.misconception(
    "Near offsets are right, but farther ones share a column although the table has one for each. "
    "If you use buckets of growing width, as some models do, note that here only offsets beyond "
    "the reach share a column."
)
def makes_growing_buckets(table, queries, keys):
    reach = table.size(1) // 2
    offsets = offsets_of(queries, keys, table)
    beyond = (offsets.abs() - reach // 2).clamp(min=0).float().log1p().long()
    grown = offsets.sign() * (reach // 2 + beyond)
    columns = torch.where(offsets.abs() <= reach // 2, offsets, grown)
    return table[:, columns.clamp(-reach, reach) + reach]


@exercise.misconception(
    "A query's own key gets no bias. The offset 0 has its own number. Which column is it in?"
)
def leaves_out_the_own_key(table, queries, keys):
    reach, offsets = table.size(1) // 2, offsets_of(queries, keys, table)
    return table[:, offsets.clamp(-reach, reach) + reach] * (offsets != 0)
