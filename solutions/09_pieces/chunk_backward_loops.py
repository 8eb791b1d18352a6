"""Known mistakes in the chunks `chunk_backward` takes and holds, and what they differ from."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from .chunk_backward import exercise


def later(
    query: Float[Tensor, "... queries d_k"], start: int, keys: int
) -> Bool[Tensor, "queries chunk"]:
    """Which of the keys from `start` on come after which query."""
    position = torch.arange(query.size(-2), device=query.device)[:, None]
    return torch.arange(start, start + keys, device=query.device) > position


def backwards(query, key, value, output, grad_output, log_sum, chunk, causal):
    """A chunk whose gradients are missing at the end gets zeros."""
    root = math.sqrt(query.size(-1))

    def weights_of(keys, start):
        weights = (query @ keys.mT / root - log_sum[..., None]).exp()
        if causal:
            weights = weights.masked_fill(later(query, start, keys.size(-2)), 0.0)
        return weights

    def behind(weights, slopes):
        return weights * (slopes - (grad_output * output).sum(-1, keepdim=True)) / root

    def chunks():
        for start in range(0, key.size(-2), chunk):
            keys, values = (x[..., start : start + chunk, :] for x in (key, value))
            weights = weights_of(keys, start)
            grad_scores = behind(weights, grad_output @ values.mT)
            yield grad_scores @ keys, grad_scores.mT @ query, weights.mT @ grad_output

    of_query, of_key, of_value = zip(*chunks(), strict=True)
    missing = (0, 0, 0, key.size(-2) - sum(part.size(-2) for part in of_key))
    grad_key, grad_value = (F.pad(torch.cat(x, -2), missing) for x in (of_key, of_value))
    return sum(of_query), grad_key, grad_value


right = exercise.base(backwards)


def one_over_another(parts, like):
    result = torch.zeros_like(like)
    for part in parts:
        result[..., : part.size(-2), :] += part
    return result


# fmt: off
right.mistake("computes_all_weights",
    {"root =":
        "_ = backwards(query, key, value, output, grad_output, log_sum, key.size(-2), causal)\n"
        "    root ="},
    "The gradients are right, but all weights exist at once. Which step can you do for the keys "
    "of one chunk alone?")
right.mistake("keeps_the_weights_of_all_chunks",
    {"root =": "kept = []\n    root =",
     "return weights *": "found = weights *",
     "True)) / root":
        "True)) / root\n        kept.extend((weights, slopes, found))\n        return found"},
    "The gradients are right, and each tensor is small, but you hold the weights of all chunks at "
    "once. Which steps need only the weights of one chunk?")
right.mistake("writes_a_product_out",
    {"yield": "found =",
     "weights.mT @ grad_output":
        "weights.mT @ grad_output\n"
        "            _ = grad_output[..., :, None, :] * values[..., None, :, :]\n"
        "            yield found"},
    "The gradients are right, but you store a product of each query, key of a chunk and feature, "
    "and sum afterwards. Which operation sums while it multiplies?")
right.mistake("keeps_the_last_chunk_for_the_query",
    {"F.pad(torch.cat(x, -2), missing)": "torch.cat(x, -2)", "sum(of_query)": "of_query[-1]"},
    "The gradient of query comes from the last chunk alone: each chunk overwrites the result of "
    "the one before. Which chunks does a query's output depend on?")
right.mistake("adds_the_chunks_of_keys_up",
    {"F.pad(torch.cat(x, -2), missing) for x in (of_key, of_value)":
        "one_over_another(*x) for x in ((of_key, key), (of_value, value))"},
    "The gradients of keys and values are those of one chunk, or sums over several chunks. Each "
    "chunk has its own keys. Which part of the result belongs to them?")


@exercise.misconception(
    "The last keys get no gradient where `chunk` does not divide their number. Which keys does "
    "`keys // chunk` leave over?"
)
def drops_the_ragged_end(query, key, value, output, grad_output, log_sum, chunk, causal):
    whole = max(key.size(-2) // chunk, 1) * chunk
    rest = output, grad_output, log_sum, chunk, causal
    found = backwards(query, key[..., :whole, :], value[..., :whole, :], *rest)
    grad_key, grad_value = torch.zeros_like(key), torch.zeros_like(value)
    grad_key[..., :whole, :], grad_value[..., :whole, :] = found[1], found[2]
    return found[0], grad_key, grad_value


@exercise.misconception(
    "Only full chunks get gradients: the remaining keys get none, and if `chunk` is larger than "
    "the number of keys, no key does. Where does your loop end?"
)
def takes_full_chunks_only(query, key, value, output, grad_output, log_sum, chunk, causal):
    grads = [torch.zeros_like(x) for x in (query, key, value)]
    whole = key.size(-2) // chunk * chunk
    if whole:
        rest = output, grad_output, log_sum, chunk, causal
        found = backwards(query, key[..., :whole, :], value[..., :whole, :], *rest)
        grads[0] += found[0]
        grads[1][..., :whole, :], grads[2][..., :whole, :] = found[1:]
    return tuple(grads)


right.mistake("keeps_what_each_chunk_gives_the_query",
    {"F.pad(torch.cat(x, -2), missing)": "torch.cat(x, -2)",
     "sum(of_query)": "torch.stack(of_query).sum(0)"},
    "The gradients are right, but you keep each chunk's contribution to the gradient of `query` "
    "and sum them at the end. There may be many chunks. Add each contribution to one tensor as "
    "you go.")
right.mistake("leaves_out_chunks_seen_in_part",
    {", chunk):\n":
        ", chunk):\n"
        "            if causal and start > max(query.size(-2) - chunk, 0):\n"
        "                break\n"},
    "With `causal`, you leave out a chunk because it extends beyond the last query. Its first "
    "keys may still be seen. From which chunk on can no query see anything?")
right.mistake("leaves_out_ragged_chunks_if_causal",
    {", chunk):\n":
        ", chunk):\n"
        "            if causal and start > max(min(query.size(-2), key.size(-2)) - chunk, 0):\n"
        "                break\n"},
    "With `causal`, you leave out a chunk that is not full or extends beyond the last query. Its "
    "first keys may still be seen. From which chunk on can no query see anything?")
right.mistake("leaves_out_the_last_chunk_seen",
    {", chunk):\n":
        ", chunk):\n"
        "            if causal and start >= max(query.size(-2) - chunk, 1):\n"
        "                break\n"},
    "With `causal`, the loop ends one chunk too early where a chunk ends at the last query. Do "
    "you compare with `>` or `>=`, and with the chunk's first key or its last?")
right.mistake("leaves_out_the_last_key_seen",
    {", chunk):\n":
        ", chunk):\n"
        "            if causal and start >= max(query.size(-2) - 1, 1):\n"
        "                break\n"},
    "With `causal`, you leave out a chunk whose first key is the last one that is seen. The last "
    "query has the number queries - 1. Which keys did it see in the forward pass?")
