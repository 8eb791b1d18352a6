"""Known mistakes of `rope_with_cache` with angles, rows and the cache."""

import torch

from .rope_with_cache import exercise
from .rope_with_cache_columns import positions_of, seen_from, stored, turned_to
from .rotate_angles import phases_of, turned_by


@exercise.misconception(
    "You rotate the whole cache once more. Its keys were rotated when they came, and they have not "
    "moved since."
)
def rotates_cached_keys_again(query, key, cache, start):
    at = positions_of(key, start)
    everywhere = torch.arange(cache.size(2), device=start.device).expand(len(start), -1)
    kept = turned_to(stored(cache, key, at), everywhere)
    return turned_to(query, at), kept, seen_from(at, cache)


@exercise.misconception(
    "Keys are at their positions, but queries are rotated as if the piece were the beginning of "
    "the text. Where does the first query of row b stand?"
)
def puts_queries_at_0(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at - start[:, None]), kept, seen_from(at, cache)


@exercise.misconception(
    "Queries are at their positions, but keys are rotated as if the piece were the beginning of "
    "the text. Where does the first key of row b stand?"
)
def puts_keys_at_0(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at - start[:, None]), at)
    return turned_to(query, at), kept, seen_from(at, cache)


@exercise.misconception(
    "Columns and mask are right, but queries and keys are rotated as if each piece were the "
    "beginning of a text. What do the angles know of `start`?"
)
def rotates_each_piece_from_0(query, key, cache, start):
    at = positions_of(key, start)
    early = at - start[:, None]
    kept = stored(cache, turned_to(key, early), at)
    return turned_to(query, early), kept, seen_from(at, cache)


@exercise.misconception(
    "Queries and keys are rotated one position too far. If 2 positions are in the cache, they are "
    "0 and 1: where does the next token stand?"
)
def rotates_one_too_far(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at + 1), at)
    return turned_to(query, at + 1), kept, seen_from(at, cache)


@exercise.misconception(
    "All rows are treated as if they started where the first one does. Which axis of the positions "
    "belongs to the rows?"
)
def takes_the_start_of_the_first_row(query, key, cache, start):
    at = positions_of(key, start[:1].expand_as(start))
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at, cache)


@exercise.misconception(
    "All rows are treated as if they started where the longest one does. Shorter texts then have a "
    "gap. What do you do with `start` besides taking its maximum?"
)
def takes_the_largest_start(query, key, cache, start):
    at = positions_of(key, start.max().expand_as(start))
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at, cache)


@exercise.misconception(
    "All tokens of a piece get the position of the first one. Right for one token; which positions "
    "have those that follow?"
)
def gives_a_piece_one_position(query, key, cache, start):
    at = positions_of(key, start)
    first = start[:, None].expand_as(at)
    return turned_to(query, first), stored(cache, turned_to(key, first), at), seen_from(at, cache)


@exercise.misconception(
    "The keys in the cache are those that came, not rotated. The cache holds rotated keys: what "
    "will the next query take them for?"
)
def stores_plain_keys(query, key, cache, start):
    at = positions_of(key, start)
    return turned_to(query, at), stored(cache, key, at), seen_from(at, cache)


@exercise.misconception(
    "The queries come back as they were. A score depends on the distance only if both sides are "
    "rotated."
)
def rotates_keys_only(query, key, cache, start):
    at = positions_of(key, start)
    return query.clone(), stored(cache, turned_to(key, at), at), seen_from(at, cache)


@exercise.misconception(
    "The new keys are put behind the whole cache, so that it grows. It has room: in row b the next "
    "free column is `start[b]`."
)
def joins_at_the_end(query, key, cache, start):
    at = positions_of(key, start)
    kept = torch.cat([cache, turned_to(key, at)], dim=2)
    return turned_to(query, at), kept, seen_from(at, kept)


@exercise.misconception(
    "Nothing but the new keys is in your cache: what row b had before `start[b]` is gone. What do "
    "you write into?"
)
def forgets_what_was_kept(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(torch.zeros_like(cache), turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at, cache)


@exercise.misconception(
    "You set the columns behind the new keys to 0. They are to stay as they were: the mask sees to "
    "it that nobody looks at them."
)
def clears_what_is_behind(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    free = ~seen_from(at[:, -1:], cache).transpose(2, 3)
    return turned_to(query, at), kept.masked_fill(free, 0), seen_from(at, cache)


@exercise.misconception(
    "The result is right, but you wrote into the caller's cache. Asked for is a new one."
)
def writes_into_the_callers_cache(query, key, cache, start):
    at = positions_of(key, start)
    kept = cache.scatter_(2, at[:, None, :, None].expand_as(key), turned_to(key, at))
    return turned_to(query, at), kept, seen_from(at, cache)


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


@exercise.misconception(
    "Near positions are right, far ones are not in half precision: your positions or angles have "
    "the dtype of the keys. bfloat16 has no 257, and float16 no 2049. In which dtype does "
    "exercise 1 want angles?"
)
def has_positions_of_the_dtype_of_the_keys(query, key, cache, start):
    at = positions_of(key, start)
    rough = at.to(key.dtype).double()
    return turned_to(query, rough), stored(cache, turned_to(key, rough), at), seen_from(at, cache)


@exercise.misconception(
    "A tensor is made on the CPU, wherever the inputs are. Which argument does `torch.arange` take "
    "for this?"
)
def makes_positions_on_the_cpu(query, key, cache, start):
    at = start[:, None] + torch.arange(key.size(-2))
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at, cache)


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


@exercise.misconception(
    "The piece stands in the last columns of the room, with the angles of those. Behind each text "
    "there may be free columns: where does row b go on?"
)
def takes_the_room_for_the_text(query, key, cache, start):
    at = positions_of(key, (start * 0) + cache.size(2) - key.size(2))
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at, cache)


@exercise.misconception(
    "You add `start` and the places in the piece entry by entry, so that rows meet tokens. It fits "
    "only if there are as many of both. Every row meets every token: what needs a new axis?"
)
def adds_rows_to_tokens(query, key, cache, start):
    at = (start + torch.arange(key.size(2), device=start.device)).expand(len(start), -1)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at), kept, seen_from(at, cache)


@exercise.misconception(
    "Keys do not fit where you write them, or heads and tokens change places. An index for the "
    "rows and one for the columns, with `:` between, put both in front: (batch, new, heads, d_k)."
)
def writes_heads_for_tokens(query, key, cache, start):
    at = positions_of(key, start)
    kept, rows = cache.clone(), torch.arange(len(start), device=start.device)[:, None]
    kept[rows, :, at] = turned_to(key, at)
    return turned_to(query, at), kept, seen_from(at, cache)


@exercise.misconception(
    "Queries are rotated one position too far, keys are not. The first query of a piece stands "
    "where its first key stands."
)
def rotates_queries_one_too_far(query, key, cache, start):
    at = positions_of(key, start)
    kept = stored(cache, turned_to(key, at), at)
    return turned_to(query, at + 1), kept, seen_from(at, cache)


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
