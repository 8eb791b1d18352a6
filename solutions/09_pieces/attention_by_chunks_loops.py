"""Known mistakes in the chunks `attention_by_chunks` takes and holds, and what they differ from."""

import math

import torch
import torch.nn.functional as F  # noqa: F401

from .attention_by_chunks import exercise


def numbers(like, start, count):
    """Of so many positions, on the device of a tensor."""
    return torch.arange(start, start + count, device=like.device)


def by_chunks(query, key, value, chunk, causal):
    position = numbers(query, 0, query.size(-2))[:, None]
    maximum = query.new_full(query.shape[:-1], -math.inf)
    total, summed = torch.zeros_like(maximum), query.new_zeros(*query.shape[:-1], value.size(-1))
    starts = range(0, key.size(-2), chunk)

    def values(start):
        return value[..., start : start + chunk, :]

    def scores(start):
        keys = key[..., start : start + chunk, :]
        found = query @ keys.mT / math.sqrt(query.size(-1))
        if causal:
            found = found.masked_fill(numbers(key, start, keys.size(-2)) > position, -math.inf)
        return found

    def add(scores, values):
        nonlocal maximum, total, summed
        new = torch.maximum(maximum, scores.amax(-1))
        fade, shares = (maximum - new).exp(), (scores - new[..., None]).exp()
        total = total * fade + shares.sum(-1)
        summed = summed * fade[..., None] + shares @ values
        maximum = new

    for start in starts:
        add(scores(start), values(start))
    return summed / total[..., None], maximum + total.log()


right = exercise.base(by_chunks)


@exercise.misconception(
    "The numbers are right, but the scores of all pairs exist at once. If you multiply only the "
    "keys of one chunk, how large is the largest tensor?"
)
def computes_all_scores(query, key, value, chunk, causal):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if causal:
        ones = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device)
        scores = scores.masked_fill(~ones.tril(), -math.inf)
    _ = scores.softmax(-1) @ value, scores.logsumexp(-1)
    return by_chunks(query, key, value, chunk, causal)  # with the same last digits as others'


@exercise.misconception(
    "The numbers are right, and each tensor is small, but you hold the scores of all chunks at "
    "once. What do you still need of a chunk when the next one comes?"
)
def keeps_the_scores_of_all_chunks(query, key, value, chunk, causal):
    scores = [query @ part.mT / math.sqrt(query.size(-1)) for part in key.split(chunk, dim=-2)]
    if causal:
        ones = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool, device=query.device)
        masks = ones.tril().split(chunk, dim=-1)
        scores = [s.masked_fill(~mask, -math.inf) for s, mask in zip(scores, masks, strict=True)]
    return by_chunks(query, key, value, chunk, causal)


# fmt: off
right.mistake("writes_a_product_out",
    {"new = torch.maximum(maximum, scores.amax(-1))":
        "_ = scores[..., None] * values[..., None, :, :]\n"
        "        new = torch.maximum(maximum, scores.amax(-1))"},
    "The numbers are right, but you store a product of each query, key of a chunk and feature, "
    "and sum afterwards. Which operation sums while it multiplies?")
right.mistake("drops_the_ragged_end",
    {"range(0, key.size(-2), chunk)": "range(0, max(key.size(-2) // chunk, 1) * chunk, chunk)"},
    "The last keys are missing where `chunk` does not divide their number. Which keys does `keys "
    "// chunk` leave over?")
right.mistake("takes_full_chunks_only",
    {"range(0, key.size(-2), chunk)": "range(0, key.size(-2) - chunk + 1, chunk)"},
    "You process only full chunks. The remaining keys do not count, and if `chunk` is larger than "
    "the number of keys, no key does. Where does your loop end?")
right.mistake("keeps_the_last_chunk",
    {"for start in starts:\n        add(scores(start), values(start))":
        "last = starts[-1]\n    found = scores(last)",
     "return summed / total[..., None], maximum + total.log()":
        "return found.softmax(-1).nan_to_num() @ values(last), found.logsumexp(-1)"},
    "You return the result of the last chunk. Keep the sums of the chunks before it, and merge "
    "them.")
right.mistake("merges_all_parts_at_the_end",
    {"for start in starts:":
        "parts = [scores(start).exp() @ values(start) for start in starts]\n"
        "    _ = torch.stack(parts).sum(0)\n"
        "    for start in starts:"},
    "The numbers are right, but for each chunk you keep a result as wide as the output until the "
    "end, and there may be many chunks. What do you still need of a chunk when the next one comes?")
right.mistake("counts_the_padding",
    {"position =":
        "missing = (0, 0, 0, -key.size(-2) % chunk)\n"
        "    key, value = F.pad(key, missing), F.pad(value, missing)\n"
        "    position ="},
    "If `chunk` does not divide the number of keys, more keys count than there are. If you pad "
    "the keys with zeros, note that such a key has the score 0, not minus infinity.")
right.mistake("leaves_out_chunks_seen_in_part",
    {"in starts:\n":
        "in starts:\n"
        "        if causal and start > max(query.size(-2) - chunk, 0):\n"
        "            break\n"},
    "With `causal`, you leave out a chunk because it extends beyond the last query. Its first "
    "keys may still be seen. From which chunk on can no query see anything?")
right.mistake("leaves_out_the_last_chunk_seen",
    {"in starts:\n":
        "in starts:\n"
        "        if causal and start >= max(query.size(-2) - chunk, 1):\n"
        "            break\n"},
    "With `causal`, the loop ends one chunk too early where a chunk ends at the last query. Do "
    "you compare with `>` or `>=`, and with the chunk's first key or its last?")
right.mistake("leaves_out_the_last_key_seen",
    {"in starts:\n":
        "in starts:\n"
        "        if causal and start >= max(query.size(-2) - 1, 1):\n"
        "            break\n"},
    "With `causal`, you leave out a chunk whose first key is the last one that is seen. The last "
    "query has the number queries - 1. Which keys does it see?")
