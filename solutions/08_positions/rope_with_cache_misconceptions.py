"""Known mistakes of `rope_with_cache` with angles, rows and the cache."""

import torch
from jaxtyping import Bool, Float, Int, Num
from torch import Tensor

from .rope_with_cache import exercise
from .rotate_misconceptions import phases_of, turned_by


def positions_of(
    new: Float[Tensor, "batch heads new d_k"], start: Int[Tensor, " batch"]
) -> Int[Tensor, "batch new"]:
    """Of the tokens of the piece in each row."""
    return start[:, None] + torch.arange(new.size(-2), device=start.device)


def turned_to(
    x: Float[Tensor, "batch heads new d_k"], positions: Num[Tensor, "batch new"]
) -> Float[Tensor, "batch heads new d_k"]:
    """Rotated to the positions of each row."""
    return turned_by(x, phases_of(x, positions[:, None], 10000.0))


def stored(
    cache: Float[Tensor, "batch heads room d_k"],
    keys: Float[Tensor, "batch heads new d_k"],
    columns: Int[Tensor, "batch new"],
) -> Float[Tensor, "batch heads room d_k"]:
    """The cache with the keys in these columns of each row."""
    return cache.scatter(2, columns[:, None, :, None].expand_as(keys), keys)


def seen_from(
    last: Int[Tensor, "batch new"], cache: Float[Tensor, "batch heads room d_k"]
) -> Bool[Tensor, "batch 1 new room"]:
    """Every column up to the last one of each query."""
    return torch.arange(cache.size(2), device=last.device) <= last[:, None, :, None]


@exercise.base
def right(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at, cache)


# fmt: off
right.mistake("opens_the_whole_piece", {"at,": "at[:, -1:].expand_as(at),"},
    "In a piece of several tokens every query may see all of the piece. The first of them must not "
    "see the keys that came with it and stand after it.")
right.mistake("hides_the_own_key", {"at,": "at - 1,"},
    "A query does not see its own key in your mask. It stands in the column of its position: is "
    "that column smaller than it, or equal?")
right.mistake("opens_one_column_too_many", {"at,": "at + 1,"},
    "A query sees one column too many in your mask: the last one that it may see is that of its "
    "own position.")
right.mistake("begins_the_mask_anew", {"at,": "at - start[:, None],"},
    "Your mask begins anew with the piece: queries see the columns from 0 on as if nothing had "
    "been in the cache. The last column that a query may see is its position.")
right.mistake("marks_what_is_hidden", {"kept,": "kept, ~"},
    "Your mask is True where a query must not attend. In this course True means may attend.")
right.mistake("opens_the_whole_room", {"at,": "at * 0 + cache.size(2),"},
    "Your mask opens every column of the room, also those behind the text. What stands there means "
    "nothing, even if it is not 0.")
right.mistake("hides_what_was_kept", {"cache)": "cache) & ~seen_from(start[:, None] - 1, cache)"},
    "Your mask opens the columns of the piece only. A query attends to all that came before it in "
    "its row: what is the cache kept for?")
right.mistake("gives_all_rows_the_first_ones_mask", {"at,": "at[:1].expand_as(at),"},
    "The mask of the first row is that of all rows in yours. Where each row starts is in `start`: "
    "which axis of the mask is for the rows?")
right.mistake("gives_all_rows_the_longest_ones_mask", {"at,": "at.amax(0).expand_as(at),"},
    "Your mask is that of the longest row for all. Shorter rows then attend to what stands behind "
    "their text.")
right.mistake("gives_all_tokens_the_first_ones_mask", {"at,": "start[:, None].expand_as(at),"},
    "All queries of the piece have the mask of the first one. Right for one token; the second one "
    "may attend to one column more.")
right.mistake("gives_each_head_a_mask", {"cache)": "cache).repeat(1, query.size(1), 1, 1)"},
    "Your mask has a copy for each head. All heads share one: its second axis has the length 1, "
    "and is broadcast.")
right.mistake("writes_all_rows_to_the_same_columns",
    {"turned_to(key, at), at)":
        "turned_to(key, at), positions_of(key, start[:1].expand_as(start)))"},
    "The angles are right for each row, but all rows write into the columns of the first. In row b "
    "position t belongs to column t.")
right.mistake("writes_all_rows_behind_the_longest",
    {"turned_to(key, at), at)":
        "turned_to(key, at), positions_of(key, start.max().expand_as(start)))"},
    "The angles are right for each row, but all rows write into the columns behind the longest "
    "text. In row b position t belongs to column t.")
right.mistake("writes_the_first_head_only", {"at), at": "at)[:, :1], at"},
    "Only head 0 of your cache has the new keys. `scatter` writes as much as its index has entries "
    "for: how long is the axis of the heads in yours?")


@exercise.misconception(
    "The new keys are in their columns, but what stood there, and behind, is moved on. A column "
    "keeps its number: what stood in those of the new keys is replaced."
)
def pushes_the_rest_back(query, key, cache, start):
    at = positions_of(key, start)
    keys, room = turned_to(key, at), cache.size(2)
    parts = [(cache[b, :, :s], keys[b], cache[b, :, s:]) for b, s in enumerate(start.tolist())]
    kept = torch.stack([torch.cat(row, dim=1)[:, :room] for row in parts])
    return turned_to(query, at), kept, seen_from(at, cache)


right.mistake("writes_from_column_0", {"at), at": "at), at - start[:, None]"},
    "The angles are right, but the keys go to the columns from 0 on, whatever `start` says. A key "
    "goes to the column of its position.")


@exercise.misconception(
    "The angles are right, but the keys go to the last columns of the cache. A key goes to the "
    "column of its position, and what stands behind it is no part of the text."
)
def writes_to_the_last_columns(query, key, cache, start):
    at, new = positions_of(key, start), key.size(-2)
    columns = torch.arange(cache.size(2) - new, cache.size(2), device=start.device).expand_as(at)
    kept = stored(cache, turned_to(key, at), columns)
    return turned_to(query, at), kept, seen_from(columns, cache)


right.mistake("rotates_cached_keys_again",
    {"stored(cache, turned_to(key, at), at)":
        "turned_to(stored(cache, key, at), torch.arange(cache.size(2), "
        "device=start.device).expand(len(start), -1))"},
    "You rotate the whole cache once more. Its keys were rotated when they came, and they have not "
    "moved since.")
right.mistake("puts_queries_at_0", {"query, at": "query, at - start[:, None]"},
    "Keys are at their positions, but queries are rotated as if the piece were the beginning of "
    "the text. Where does the first query of row b stand?")
right.mistake("puts_keys_at_0", {"key, at": "key, at - start[:, None]"},
    "Queries are at their positions, but keys are rotated as if the piece were the beginning of "
    "the text. Where does the first key of row b stand?")
right.mistake("rotates_each_piece_from_0",
    {"kept =": "early = at - start[:, None]\n    kept =",
     "key, at": "key, early",
     "query, at": "query, early"},
    "Columns and mask are right, but queries and keys are rotated as if each piece were the "
    "beginning of a text. What do the angles know of `start`?")
right.mistake("rotates_one_too_far", {"key, at": "key, at + 1", "query, at": "query, at + 1"},
    "Queries and keys are rotated one position too far. If 2 positions are in the cache, they are "
    "0 and 1: where does the next token stand?")
right.mistake("takes_the_start_of_the_first_row", {"key, start": "key, start[:1].expand_as(start)"},
    "All rows are treated as if they started where the first one does. Which axis of the positions "
    "belongs to the rows?")
right.mistake("takes_the_largest_start", {"key, start": "key, start.max().expand_as(start)"},
    "All rows are treated as if they started where the longest one does. Shorter texts then have a "
    "gap. What do you do with `start` besides taking its maximum?")
right.mistake("gives_a_piece_one_position",
    {"kept =": "first = start[:, None].expand_as(at)\n    kept =",
     "turned_to(key, at)": "turned_to(key, first)",
     "turned_to(query, at)": "turned_to(query, first)"},
    "All tokens of a piece get the position of the first one. Right for one token; which positions "
    "have those that follow?")
right.mistake("stores_plain_keys", {"turned_to(key, at)": "key"},
    "The keys in the cache are those that came, not rotated. The cache holds rotated keys: what "
    "will the next query take them for?")
right.mistake("rotates_keys_only", {"turned_to(query, at)": "query.clone()"},
    "The queries come back as they were. A score depends on the distance only if both sides are "
    "rotated.")
right.mistake("joins_at_the_end",
    {"stored(": "torch.cat([", "at), at": "at)], dim=2", "at, cache": "at, kept"},
    "The new keys are put behind the whole cache, so that it grows. It has room: in row b the next "
    "free column is `start[b]`.")
right.mistake("forgets_what_was_kept", {"cache, turned_to": "torch.zeros_like(cache), turned_to"},
    "Nothing but the new keys is in your cache: what row b had before `start[b]` is gone. What do "
    "you write into?")
right.mistake("clears_what_is_behind",
    {"kept,": "kept.masked_fill(~seen_from(at[:, -1:], cache).transpose(2, 3), 0),"},
    "You set the columns behind the new keys to 0. They are to stay as they were: the mask sees to "
    "it that nobody looks at them.")
right.mistake("writes_into_the_callers_cache",
    {"stored(cache, turned_to(key, at), at)":
        "cache.scatter_(2, at[:, None, :, None].expand_as(key), turned_to(key, at))"},
    "The result is right, but you wrote into the caller's cache. Asked for is a new one.")


@exercise.misconception(
    "Your positions lack an axis for the heads, so that they meet the heads instead of the rows. "
    "Of (batch, new) and (batch, heads, new, d_k): which axes meet?"
)
def lets_positions_meet_the_heads(query, key, cache, start):
    at = positions_of(key, start)
    q, k = (turned_by(x, phases_of(x, at, 10000.0)) for x in (query, key))
    return q, stored(cache, k, at), seen_from(at, cache)


@exercise.misconception(
    "Columns and mask are right, but the rotation pairs entry r with entry r + d_k/2. Here "
    "neighbours are pairs, as in `rotate`, which you may call."
)
def pairs_the_halves_in_the_cache(query, key, cache, start):
    at = positions_of(key, start)

    def turn(x):
        order = torch.arange(x.size(-1), device=x.device).view(2, -1).mT.reshape(-1)
        return turned_to(x[..., order], at)[..., order.argsort()]

    return turn(query), stored(cache, turn(key), at), seen_from(at, cache)


right.mistake("has_positions_of_the_dtype_of_the_keys",
    {"kept =": "rough = at.to(key.dtype).double()\n    kept =",
     "turned_to(key, at)": "turned_to(key, rough)",
     "turned_to(query, at)": "turned_to(query, rough)"},
    "Near positions are right, far ones are not in half precision: your positions or angles have "
    "the dtype of the keys. bfloat16 has no 257, and float16 no 2049. In which dtype does exercise "
    "1 want angles?")
right.mistake("makes_positions_on_the_cpu",
    {"positions_of(key, start)": "start[:, None] + torch.arange(key.size(-2))"},
    "A tensor is made on the CPU, wherever the inputs are. Which argument does `torch.arange` take "
    "for this?")


@exercise.misconception(
    "All is one position too early: if 2 positions are in the cache, they are 0 and 1, and the "
    "next token stands at 2. The newest key in the cache is overwritten."
)
def begins_one_too_early(query, key, cache, start):
    at = positions_of(key, start) - 1
    kept = cache.clone()
    for row, columns in enumerate(at):
        kept[row, :, columns] = turned_to(key, at)[row]
    return turned_to(query, at), kept, seen_from(at, cache)


@exercise.misconception(
    "You take `start` for the position of the last token of the piece, or for what is there with "
    "it. It says how many positions were there before."
)
def ends_where_it_should_begin(query, key, cache, start):
    at = (positions_of(key, start) - key.size(2)).clamp(min=0)
    kept = cache.clone()
    for row, columns in enumerate(at):
        kept[row, :, columns] = turned_to(key, at)[row]
    return turned_to(query, at), kept, seen_from(at, cache)


right.mistake("takes_the_room_for_the_text",
    {"key, start": "key, start * 0 + cache.size(2) - key.size(2)"},
    "The piece stands in the last columns of the room, with the angles of those. Behind each text "
    "there may be free columns: where does row b go on?")
right.mistake("adds_rows_to_tokens",
    {"positions_of(key, start)":
        "(start + torch.arange(key.size(2), device=start.device)).expand(len(start), -1)"},
    "You add `start` and the places in the piece entry by entry, so that rows meet tokens. It fits "
    "only if there are as many of both. Every row meets every token: what needs a new axis?")
right.mistake("writes_heads_for_tokens",
    {"= stored(cache, turned_to(key, at), at)":
        ", rows = cache.clone(), torch.arange(len(start), device=start.device)[:, None]\n"
        "    kept[rows, :, at] = turned_to(key, at)"},
    "Keys do not fit where you write them, or heads and tokens change places. An index for the "
    "rows and one for the columns, with `:` between, put both in front: (batch, new, heads, d_k).")
right.mistake("rotates_queries_one_too_far", {"query, at": "query, at + 1"},
    "Queries are rotated one position too far, keys are not. The first query of a piece stands "
    "where its first key stands.")


@exercise.misconception(
    "Queries and keys are rotated with another base than the exercise's. Which base does the text "
    "name?"
)
def has_another_base(query, key, cache, start):
    at = positions_of(key, start)
    turned_query, turned_key = (
        turned_by(x, phases_of(x, at[:, None], 500000.0)) for x in (query, key)
    )
    return turned_query, stored(cache, turned_key, at), seen_from(at, cache)
