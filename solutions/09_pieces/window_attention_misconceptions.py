"""Known mistakes of `window_attention`."""

import math

import torch
import torch.nn.functional as F  # noqa: F401

from .window_attention import exercise


def by_blocks(query, key, value, window):
    length, root = query.size(-2), math.sqrt(query.size(-1))
    starts = range(0, length, window)

    def block(start, end):
        first, last = max(0, start - window + 1), end
        rows = torch.arange(start, end, device=query.device)[:, None]
        apart = rows - torch.arange(first, last, device=query.device)
        scores = query[..., start:end, :] @ key[..., first:last, :].mT / root
        allowed = (apart >= 0) & (apart < window)
        weights = scores.masked_fill(~allowed, -math.inf).softmax(-1)
        return weights @ value[..., first:last, :]

    blocks = [block(start, min(start + window, length)) for start in starts]
    return torch.cat(blocks, -2)


def query_by_query(query, key, value, window):
    rows = []
    for i in range(query.size(-2)):
        seen = slice(max(0, i - window + 1), i + 1)
        scores = query[..., i : i + 1, :] @ key[..., seen, :].mT / math.sqrt(query.size(-1))
        rows.append(scores.softmax(-1) @ value[..., seen, :])
    return torch.cat(rows, -2)


right, by_rows = exercise.base(by_blocks), exercise.base(query_by_query)


# fmt: off
by_rows.mistake("attends_to_the_padding",
    {"rows = []":
        "zeros = [torch.zeros_like(x[..., :1, :]).expand(*x.shape[:-2], window - 1, -1)\n"
        "             for x in (key, value)]\n"
        "    pairs = zip(zeros, (key, value), strict=True)\n"
        "    key, value = (torch.cat(pair, -2) for pair in pairs)\n"
        "    rows = []",
     "slice(max(0, i - window + 1), i + 1)": "slice(i, i + window)",
     " / math.sqrt(query.size(-1))": "",
     "rows.append(scores.softmax(-1)":
        "weights = (scores / math.sqrt(query.size(-1))).softmax(-1)\n        rows.append(weights"},
    "The first positions attend to padding: its keys are zeros, so its scores are 0, and it takes "
    "some of the weight. How many keys does position 0 see?")
by_rows.mistake("attends_to_padding_of_the_length",
    {"rows = []":
        "width = min(window, query.size(-2))\n"
        "    zeros = [torch.zeros_like(x[..., : width - 1, :]) for x in (key, value)]\n"
        "    pairs = zip(zeros, (key, value), strict=True)\n"
        "    key, value = (torch.cat(pair, -2) for pair in pairs)\n"
        "    rows = []",
     "slice(max(0, i - window + 1), i + 1)": "slice(i, i + width)",
     " / math.sqrt(query.size(-1))": "",
     "rows.append(scores.softmax(-1)":
        "weights = (scores / math.sqrt(query.size(-1))).softmax(-1)\n        rows.append(weights"},
    "The first positions attend to zeros before the sequence, whose score is 0 and not minus "
    "infinity. How many keys does position 0 see?")


@exercise.misconception(
    "The first positions see the last ones: a shift that wraps round, or a negative index, takes "
    "the end of the sequence."
)
def wraps_round(query, key, value, window):
    moved = [(key.roll(n, -2), value.roll(n, -2)) for n in range(window)]
    scores = torch.stack([(query * k).sum(-1) for k, _ in moved], -1) / math.sqrt(query.size(-1))
    weights = scores.softmax(-1)
    return sum(weights[..., n, None] * v for n, (_, v) in enumerate(moved))


right.mistake("drops_the_ragged_end",
    {"range(0, length, window)": "range(0, length // window * window, window)"},
    "Outputs at the end are missing where `window` does not divide the length, and all of them "
    "where it is larger. Which positions does `length // window` leave over?")
right.mistake("stays_within_the_block", {"max(0, start - window + 1)": "start"},
    "Each block of queries sees only the keys of its own block. What should the first query of a "
    "block see of the positions just before it?")
right.mistake("begins_one_key_late", {"window + 1": "window + 2"},
    "The keys of each block begin one position too late: its first query does not see the first "
    "of its `window` positions. At which position is that one?")
by_rows.mistake("looks_at_a_block_before_the_first",
    {"rows = []":
        "width = min(window, query.size(-2))\n"
        "    key, value = (F.pad(x, (0, 0, width, 0)) for x in (key, value))\n"
        "    rows = []",
     "slice(max(0, i - window + 1), i + 1)":
        "slice(max(i + width - window + 1, i // width * width), i + width + 1)"},
    "The first block attends to a block of zeros before the sequence, with the score 0 and not "
    "minus infinity. What comes before the first block?")
by_rows.mistake("slices_from_below_zero", {"max(0, i - window + 1)": "i - window + 1"},
    "The first positions come out as 0, as if they saw nothing. If you slice from a position "
    "minus the window, what does Python do with a negative start?")
by_rows.mistake("counts_the_first_key_several_times",
    {"slice(max(0, i - window + 1), i + 1)":
        "torch.arange(i - window + 1, i + 1, device=query.device).clamp(min=0)"},
    "For the first positions, position 0 counts several times, in place of positions before the "
    "sequence. A clamped index or a repeated edge does that. How many keys does position 0 see?")
right.mistake("leaves_the_own_key_out",
    {"apart >= 0": "apart > 0", ".softmax(-1)": ".softmax(-1).nan_to_num()"},
    "A position does not see itself, and position 0, which sees nothing, comes out as 0. A slice "
    "excludes its end. Which end includes the query's own key?")
right.mistake("sees_one_too_many_in_the_block", {"apart < window": "apart <= window"},
    "Queries that are not the first of their block see one position too many: the mask allows "
    "`window` positions before a query. A query is itself one of its `window` positions. How many "
    "come before it?")
right.mistake("numbers_the_keys_from_0",
    {"(apart >= 0) & (apart < window)": "(apart + first >= 0) & (apart + first < window)"},
    "In the mask of a block, keys are numbered from 0 but queries by their positions. Which "
    "number does the first key of a block have?")
right.mistake("masks_all_pairs", {"blocks =": "_ = block(0, length)\n    blocks ="},
    "The result is right, but you compute scores for far more pairs than are seen, as when a mask "
    "of all pairs selects the band. Nearly all of them are thrown away.")
right.mistake("multiplies_pieces_by_all_keys", {"max(0, start - window + 1), end": "0, length"},
    "The tensors are small enough, but each piece of queries is multiplied by far more keys than "
    "one query sees: by all of them, or because pieces are large even if the window is small.")
right.mistake("makes_the_mask_of_all_pairs",
    {"starts =":
        "position = torch.arange(length, device=query.device)\n"
        "    apart = position[:, None] - position\n"
        "    starts ="},
    "The scores are few, but you build the mask for all pairs of positions. It depends only on "
    "the distance. How small may it be?")
right.mistake("sees_one_too_many",
    {"start - window + 1": "start - window", "apart < window": "apart <= window"},
    "Queries see `window` positions before their own, and their own as well, which is one too "
    "many. If the query itself is one of its `window` positions, how many come before it?")
right.mistake("sees_one_too_few", {"apart < window": "apart < max(window - 1, 1)"},
    "Queries see one position too few. With `window` 2, position 2 sees itself and position 1.")
right.mistake("looks_ahead",
    {"max(0, start - window + 1), end": "max(0, start - window + 1), min(end + window - 1, length)",
     "(apart >= 0) & (apart < window)": "apart.abs() < window"},
    "Your window also looks ahead: it has keys on both sides of a query. A position sees itself "
    "and earlier ones only.")
right.mistake("hides_later_keys_only", {"(apart >= 0) & (apart < window)": "apart >= 0"},
    "Queries see all earlier keys of their piece, including those that are too far back. Besides "
    "the later keys, which ones does a small mask have to hide?")
right.mistake("forgets_the_mask_in_the_block",
    {"(apart >= 0) & (apart < window)": "torch.ones_like(apart, dtype=torch.bool)"},
    "All queries of a block see all keys that any of them sees. Within a block you still need a "
    "small mask.")
right.mistake("aligns_the_triangle_at_the_first_key",
    {"~allowed": "~torch.ones_like(allowed).tril()"},
    "The triangle of each block begins at its upper left corner, so its first query sees only the "
    "first key. `is_causal` aligns it that way, as `tril` does. Which key of the block is a "
    "query's own?")
right.mistake("hides_the_own_key", {"apart >= 0": "apart > 0"},
    "A position does not see itself. Position 0 then sees nothing at all, and the softmax of "
    "nothing is NaN. A position is the last of the `window` positions that it sees.")
right.mistake("forgets_causality_in_the_block",
    {"(apart >= 0) & (apart < window)": "apart < window"},
    "The far end of the window is right, but a query also sees later keys of its block.")
right.mistake("forgets_the_root", {"math.sqrt(query.size(-1))": "1.0"},
    "The scores are not divided by the root of d_k.")
right.mistake("gives_the_rest_a_score_of_0",
    {"scores.masked_fill(~allowed, -math.inf)": "(scores * allowed)"},
    "Pairs outside the window have the score 0 instead of minus infinity, so they take part of "
    "the weight.")
right.mistake("masks_after_the_softmax",
    {"scores.masked_fill(~allowed, -math.inf).softmax(-1)": "scores.softmax(-1) * allowed"},
    "The weights of a row do not sum to 1: they are masked after the softmax.")
right.mistake("divides_by_d_k", {"math.sqrt(query.size(-1))": "float(query.size(-1))"},
    "The scores are divided by d_k itself, not by its root.")
right.mistake("fills_with_minus_10000", {"-math.inf": "-1e4"},
    "Pairs outside the window get a number that is not below all scores: dot products go down to "
    "-30,000. Which number is below all of them in every dtype?")
right.mistake("fills_with_minus_a_billion", {"-math.inf": "-1e9"},
    "The call raises an exception in float16. If you fill with a number such as -1e9, note that "
    "float16 ends at 65,504. Minus infinity fits into every dtype.")
right.mistake("masks_after_the_softmax_and_divides",
    {"scores.masked_fill(~allowed, -math.inf).softmax(-1)":
        "scores.softmax(-1) * allowed\n        weights = weights / weights.sum(-1, keepdim=True)"},
    "You mask after the softmax and divide by the rest. Where a masked score is far above the "
    "others, nothing is left, and 0 / 0 is NaN.")
right.mistake("sees_none_with_a_window_of_1", {"apart < window": "apart < window - 1"},
    "Queries see one position too few, and none at all where `window` is 1, where the softmax of "
    "nothing is NaN. A query is itself one of its `window` positions. How many come before it?")
right.mistake("ignores_the_window",
    {"(apart >= 0) & (apart < window)": "apart >= 0",
     "    blocks = [block(start, min(start + window, length)) for start in starts]\n": "",
     "torch.cat(blocks, -2)": "block(0, length)"},
    "The window is ignored: each query sees all earlier keys, and far more pairs are computed "
    "than needed. Which key is the first that a query sees?")
