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
    "In a piece of several tokens, every query may see the whole piece. The first query must not "
    "see the later keys of the same piece.")
right.mistake("hides_the_own_key", {"at,": "at - 1,"},
    "In your mask a query does not see its own key. That key is in the column of its position. Is "
    "that column smaller than the position, or equal to it?")
right.mistake("opens_one_column_too_many", {"at,": "at + 1,"},
    "In your mask a query sees one column too many. The last column that it may see is that of "
    "its own position.")
right.mistake("begins_the_mask_anew", {"at,": "at - start[:, None],"},
    "Your mask starts at column 0 for each piece, as if the cache had been empty. The last column "
    "that a query may see is its position.")
right.mistake("marks_what_is_hidden", {"kept,": "kept, ~"},
    "Your mask is True where a query must not attend. In this course True means \"may attend\".")
right.mistake("opens_the_whole_room", {"at,": "at * 0 + cache.size(2),"},
    "Your mask opens every column of the cache, including those after the text. These contain "
    "nothing meaningful, even if they are not 0.")
right.mistake("hides_what_was_kept", {"cache)": "cache) & ~seen_from(start[:, None] - 1, cache)"},
    "Your mask opens only the columns of the piece. A query attends to everything that came "
    "before it in its row. What is the cache for?")
right.mistake("gives_all_rows_the_first_ones_mask", {"at,": "at[:1].expand_as(at),"},
    "All rows get the mask of the first row. `start` says where each row starts. Which axis of "
    "the mask is for the rows?")
right.mistake("gives_all_rows_the_longest_ones_mask", {"at,": "at.amax(0).expand_as(at),"},
    "All rows get the mask of the longest row. Shorter rows then attend to columns after their "
    "text.")
right.mistake("gives_all_tokens_the_first_ones_mask", {"at,": "start[:, None].expand_as(at),"},
    "All queries of the piece get the mask of the first one. This is right for one token, but the "
    "second may attend to one more column.")
right.mistake("gives_each_head_a_mask", {"cache)": "cache).repeat(1, query.size(1), 1, 1)"},
    "Your mask has a copy for each head. All heads share one: its second axis has length 1 and is "
    "broadcast.")
right.mistake("writes_all_rows_to_the_same_columns",
    {"turned_to(key, at), at)":
        "turned_to(key, at), positions_of(key, start[:1].expand_as(start)))"},
    "The angles are right for each row, but all rows write into the columns of the first row. In "
    "row b, position t belongs in column t.")
right.mistake("writes_all_rows_behind_the_longest",
    {"turned_to(key, at), at)":
        "turned_to(key, at), positions_of(key, start.max().expand_as(start)))"},
    "The angles are right for each row, but all rows write into the columns after the longest "
    "text. In row b, position t belongs in column t.")
right.mistake("writes_the_first_head_only", {"at), at": "at)[:, :1], at"},
    "Only head 0 of your cache has the new keys. `scatter` writes only as many entries as its "
    "index has. How long is the axis of the heads in yours?")


@exercise.misconception(
    "The new keys are in their columns, but the old content of those columns, and of the ones "
    "after them, is moved on. A column keeps its number: the new keys replace what was in their "
    "columns."
)
def pushes_the_rest_back(query, key, cache, start):
    at = positions_of(key, start)
    keys, room = turned_to(key, at), cache.size(2)
    parts = [(cache[b, :, :s], keys[b], cache[b, :, s:]) for b, s in enumerate(start.tolist())]
    kept = torch.stack([torch.cat(row, dim=1)[:, :room] for row in parts])
    return turned_to(query, at), kept, seen_from(at, cache)


right.mistake("writes_from_column_0", {"at), at": "at), at - start[:, None]"},
    "The angles are right, but the keys go into the columns from 0 on, whatever `start` says. A "
    "key belongs in the column of its position.")


@exercise.misconception(
    "The angles are right, but the keys go into the last columns of the cache. A key belongs in "
    "the column of its position, and the columns after it are not part of the text."
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
    "You rotate the whole cache once more. Its keys were rotated when they were stored, and their "
    "positions have not changed.")
right.mistake("puts_queries_at_0", {"query, at": "query, at - start[:, None]"},
    "Keys are at their positions, but queries are rotated as if the piece were the beginning of "
    "the text. At which position is the first query of row b?")
right.mistake("puts_keys_at_0", {"key, at": "key, at - start[:, None]"},
    "Queries are at their positions, but keys are rotated as if the piece were the beginning of "
    "the text. At which position is the first key of row b?")
right.mistake("rotates_each_piece_from_0",
    {"kept =": "early = at - start[:, None]\n    kept =",
     "key, at": "key, early",
     "query, at": "query, early"},
    "Columns and mask are right, but queries and keys are rotated as if each piece were the "
    "beginning of a text. How do your angles depend on `start`?")
right.mistake("rotates_one_too_far", {"key, at": "key, at + 1", "query, at": "query, at + 1"},
    "Queries and keys are rotated one position too far. If 2 positions are in the cache, they are "
    "0 and 1. What is the position of the next token?")
right.mistake("takes_the_start_of_the_first_row", {"key, start": "key, start[:1].expand_as(start)"},
    "All rows are treated as if they started where the first row does. Which axis of the "
    "positions belongs to the rows?")
right.mistake("takes_the_largest_start", {"key, start": "key, start.max().expand_as(start)"},
    "All rows are treated as if they started where the longest row does, so shorter texts have a "
    "gap. What else can you do with `start` than take its maximum?")
right.mistake("gives_a_piece_one_position",
    {"kept =": "first = start[:, None].expand_as(at)\n    kept =",
     "turned_to(key, at)": "turned_to(key, first)",
     "turned_to(query, at)": "turned_to(query, first)"},
    "All tokens of a piece get the position of the first one. This is right for one token. Which "
    "positions do the following ones have?")
right.mistake("stores_plain_keys", {"turned_to(key, at)": "key"},
    "You store the new keys without rotating them. The cache holds rotated keys, and the next "
    "query will expect them to be rotated.")
right.mistake("rotates_keys_only", {"turned_to(query, at)": "query.clone()"},
    "You return the queries unrotated. A score depends on the distance only if both sides are "
    "rotated.")
right.mistake("joins_at_the_end",
    {"stored(": "torch.cat([", "at), at": "at)], dim=2", "at, cache": "at, kept"},
    "You append the new keys to the whole cache, so it grows. It has free columns: in row b the "
    "next one is `start[b]`.")
right.mistake("forgets_what_was_kept", {"cache, turned_to": "torch.zeros_like(cache), turned_to"},
    "Your cache contains nothing but the new keys: what row b had before `start[b]` is gone. "
    "Which tensor do you write into?")
right.mistake("clears_what_is_behind",
    {"kept,": "kept.masked_fill(~seen_from(at[:, -1:], cache).transpose(2, 3), 0),"},
    "You set the columns after the new keys to 0. They should stay as they were: the mask keeps "
    "every query from seeing them.")
right.mistake("writes_into_the_callers_cache",
    {"stored(cache, turned_to(key, at), at)":
        "cache.scatter_(2, at[:, None, :, None].expand_as(key), turned_to(key, at))"},
    "The result is right, but you wrote into the caller's cache. The exercise asks for a new one.")


@exercise.misconception(
    "Your positions lack an axis for the heads, so their rows meet the heads. For (batch, new) "
    "and (batch, heads, new, d_k), which axes meet?"
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
    "In half precision, near positions are right, but far ones are not: your positions or angles "
    "have the dtype of the keys. bfloat16 has no 257, and float16 no 2049. Which dtype does "
    "exercise 1 use for angles?")
right.mistake("makes_positions_on_the_cpu",
    {"positions_of(key, start)": "start[:, None] + torch.arange(key.size(-2))"},
    "A tensor is created on the CPU, wherever the inputs are. Which argument of `torch.arange` "
    "prevents this?")


@exercise.misconception(
    "Everything is one position too early: if 2 positions are in the cache, they are 0 and 1, and "
    "the next token is at 2. You overwrite the newest key in the cache."
)
def begins_one_too_early(query, key, cache, start):
    at = positions_of(key, start) - 1
    kept = cache.clone()
    for row, columns in enumerate(at):
        kept[row, :, columns] = turned_to(key, at)[row]
    return turned_to(query, at), kept, seen_from(at, cache)


@exercise.misconception(
    "You treat `start` as the position of the last token of the piece, or as the number of "
    "positions including the piece. It says how many positions were in the cache before."
)
def ends_where_it_should_begin(query, key, cache, start):
    at = (positions_of(key, start) - key.size(2)).clamp(min=0)
    kept = cache.clone()
    for row, columns in enumerate(at):
        kept[row, :, columns] = turned_to(key, at)[row]
    return turned_to(query, at), kept, seen_from(at, cache)


right.mistake("takes_the_room_for_the_text",
    {"key, start": "key, start * 0 + cache.size(2) - key.size(2)"},
    "You put the piece into the last columns of the cache, with their angles. There may be free "
    "columns after each text. Where does row b continue?")
right.mistake("adds_rows_to_tokens",
    {"positions_of(key, start)":
        "(start + torch.arange(key.size(2), device=start.device)).expand(len(start), -1)"},
    "You add `start` and the positions within the piece entry by entry, which combines rows with "
    "tokens. That fits only if there are equally many of both. Every row needs every token, so "
    "which of them needs a new axis?")
right.mistake("writes_heads_for_tokens",
    {"= stored(cache, turned_to(key, at), at)":
        ", rows = cache.clone(), torch.arange(len(start), device=start.device)[:, None]\n"
        "    kept[rows, :, at] = turned_to(key, at)"},
    "Keys do not fit where you write them, or heads and tokens change places. An index for the "
    "rows and one for the columns, with `:` between them, put both in front: (batch, new, heads, "
    "d_k).")
right.mistake("rotates_queries_one_too_far", {"query, at": "query, at + 1"},
    "Queries are rotated one position too far, but keys are not. The first query of a piece has "
    "the same position as its first key.")


@exercise.misconception(
    "You rotate queries and keys with another base than the exercise. Which base does the text "
    "give?"
)
def has_another_base(query, key, cache, start):
    at = positions_of(key, start)
    turned_query, turned_key = (
        turned_by(x, phases_of(x, at[:, None], 500000.0)) for x in (query, key)
    )
    return turned_query, stored(cache, turned_key, at), seen_from(at, cache)
