"""Which columns `rope_with_cache` writes and shows: its parts, and known mistakes of these."""

import torch
from jaxtyping import Bool, Float, Int, Num
from torch import Tensor

from .rope_with_cache import exercise
from .rotate_angles import phases_of, turned_by


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


@exercise.misconception(
    "In a piece of several tokens every query may see all of the piece. The first of them must not "
    "see the keys that came with it and stand after it."
)
def opens_the_whole_piece(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at[:, -1:].expand_as(at), cache)


@exercise.misconception(
    "A query does not see its own key in your mask. It stands in the column of its position: is "
    "that column smaller than it, or equal?"
)
def hides_the_own_key(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at - 1, cache)


@exercise.misconception(
    "A query sees one column too many in your mask: the last one that it may see is that of its "
    "own position."
)
def opens_one_column_too_many(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at + 1, cache)


@exercise.misconception(
    "Your mask begins anew with the piece: queries see the columns from 0 on as if nothing had "
    "been in the cache. The last column that a query may see is its position."
)
def begins_the_mask_anew(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at - start[:, None], cache)


@exercise.misconception(
    "Your mask is True where a query must not attend. In this course True means may attend."
)
def marks_what_is_hidden(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, ~seen_from(at, cache)


@exercise.misconception(
    "Your mask opens every column of the room, also those behind the text. What stands there means "
    "nothing, even if it is not 0."
)
def opens_the_whole_room(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at * 0 + cache.size(2), cache)


@exercise.misconception(
    "Your mask opens the columns of the piece only. A query attends to all that came before it in "
    "its row: what is the cache kept for?"
)
def hides_what_was_kept(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    mask = seen_from(at, cache) & ~seen_from(start[:, None] - 1, cache)
    return turned_to(query, at), kept, mask


@exercise.misconception(
    "The mask of the first row is that of all rows in yours. Where each row starts is in `start`: "
    "which axis of the mask is for the rows?"
)
def gives_all_rows_the_first_ones_mask(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at[:1].expand_as(at), cache)


@exercise.misconception(
    "Your mask is that of the longest row for all. Shorter rows then attend to what stands behind "
    "their text."
)
def gives_all_rows_the_longest_ones_mask(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at.amax(0).expand_as(at), cache)


@exercise.misconception(
    "All queries of the piece have the mask of the first one. Right for one token; the second one "
    "may attend to one column more."
)
def gives_all_tokens_the_first_ones_mask(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(start[:, None].expand_as(at), cache)


@exercise.misconception(
    "Your mask has a copy for each head. All heads share one: its second axis has the length 1, "
    "and is broadcast."
)
def gives_each_head_a_mask(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at, cache).repeat(1, query.size(1), 1, 1)


@exercise.misconception(
    "The angles are right for each row, but all rows write into the columns of the first. In row b "
    "position t belongs to column t."
)
def writes_all_rows_to_the_same_columns(query, key, cache, start):
    at = positions_of(key, start)
    columns = positions_of(key, start[:1].expand_as(start))
    return turned_to(query, at), stored(cache, turned_to(key, at), columns), seen_from(at, cache)


@exercise.misconception(
    "The angles are right for each row, but all rows write into the columns behind the longest "
    "text. In row b position t belongs to column t."
)
def writes_all_rows_behind_the_longest(query, key, cache, start):
    at = positions_of(key, start)
    columns = positions_of(key, start.max().expand_as(start))
    return turned_to(query, at), stored(cache, turned_to(key, at), columns), seen_from(at, cache)


@exercise.misconception(
    "Only head 0 of your cache has the new keys. `scatter` writes as much as its index has entries "
    "for: how long is the axis of the heads in yours?"
)
def writes_the_first_head_only(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at)[:, :1], at)
    return turned_to(query, at), kept, seen_from(at, cache)


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


@exercise.misconception(
    "The angles are right, but the keys go to the columns from 0 on, whatever `start` says. A key "
    "goes to the column of its position."
)
def writes_from_column_0(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at - start[:, None])
    return turned_to(query, at), kept, seen_from(at, cache)


@exercise.misconception(
    "The angles are right, but the keys go to the last columns of the cache. A key goes to the "
    "column of its position, and what stands behind it is no part of the text."
)
def writes_to_the_last_columns(query, key, cache, start):
    at, new = positions_of(key, start), key.size(-2)
    columns = torch.arange(cache.size(2) - new, cache.size(2), device=start.device).expand_as(at)
    kept = stored(cache, turned_to(key, at), columns)
    return turned_to(query, at), kept, seen_from(columns, cache)
