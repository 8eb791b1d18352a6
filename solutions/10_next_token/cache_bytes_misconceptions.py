"""Known mistakes of `cache_bytes`."""

import torch

from .cache_bytes import exercise


def size_of(dtype):
    return getattr(torch, dtype).itemsize


@exercise.misconception("You count one of two: a cache holds keys, and what else?")
def forgets_the_values(layers, kv_heads, d_k, length, dtype):
    return layers * kv_heads * d_k * length * size_of(dtype)


@exercise.misconception("You count one layer. Each layer has keys and values of its own.")
def forgets_the_layers(layers, kv_heads, d_k, length, dtype):
    return 2 * kv_heads * d_k * length * size_of(dtype)


@exercise.misconception("You count one head. Each head that has keys keeps its own.")
def forgets_the_heads(layers, kv_heads, d_k, length, dtype):
    return 2 * layers * d_k * length * size_of(dtype)


@exercise.misconception("That is what one token adds. How many tokens are in the cache?")
def counts_one_token(layers, kv_heads, d_k, length, dtype):
    return 2 * layers * kv_heads * d_k * size_of(dtype)


@exercise.misconception("You count one number for each head and token. How wide is a key?")
def forgets_the_width(layers, kv_heads, d_k, length, dtype):
    return 2 * layers * kv_heads * length * size_of(dtype)


@exercise.misconception("You count numbers. How many bytes does one take in this dtype?")
def counts_numbers(layers, kv_heads, d_k, length, dtype):
    return 2 * layers * kv_heads * d_k * length


@exercise.misconception("That is bits. A byte has eight of them.")
def counts_bits(layers, kv_heads, d_k, length, dtype):
    return 16 * layers * kv_heads * d_k * length * size_of(dtype)


@exercise.misconception("You take four bytes a number, whatever the dtype is.")
def always_float32(layers, kv_heads, d_k, length, dtype):
    return 8 * layers * kv_heads * d_k * length


@exercise.misconception("You take two bytes a number, whatever the dtype is.")
def always_half(layers, kv_heads, d_k, length, dtype):
    return 4 * layers * kv_heads * d_k * length


@exercise.misconception(
    "You count scores, one for each pair of tokens. Are these kept, or keys and values?"
)
def counts_pairs(layers, kv_heads, d_k, length, dtype):
    return layers * kv_heads * length**2 * size_of(dtype)


@exercise.misconception(
    'The dtype is a text here, such as "float16". `getattr(torch, dtype)` is the dtype itself.'
)
def takes_the_text_for_a_dtype(layers, kv_heads, d_k, length, dtype):
    return 2 * layers * kv_heads * d_k * length * dtype.itemsize


@exercise.misconception(
    "Somewhere the number is a float, and a float counts exactly only up to 2**53. Bytes are "
    "whole numbers: `//` keeps them whole, `/` does not."
)
def goes_through_a_float(layers, kv_heads, d_k, length, dtype):
    return 2.0 * layers * kv_heads * d_k * length * size_of(dtype)


@exercise.misconception(
    "A very large number wraps round: a tensor of int64 counts to 2**63 - 1, and Python's own "
    "numbers go on. Multiply these."
)
def wraps_round_in_int64(layers, kv_heads, d_k, length, dtype):
    return torch.tensor([2, layers, kv_heads, d_k, length, size_of(dtype)]).prod().item()


@exercise.misconception(
    "You count a token that is not in the cache. `length` is the number of all that are kept."
)
def counts_one_token_more(layers, kv_heads, d_k, length, dtype):
    return 2 * layers * kv_heads * d_k * (length + 1) * size_of(dtype)


@exercise.misconception(
    "The size of a number is wrong in bfloat16. How many bits does its name say?"
)
def takes_bfloat16_for_float32(layers, kv_heads, d_k, length, dtype):
    size = 4 if dtype == "bfloat16" else size_of(dtype)
    return 2 * layers * kv_heads * d_k * length * size


@exercise.misconception(
    "The bytes grow with the square of the length. A further token adds one key and one value to "
    "each head."
)
def squares_the_length(layers, kv_heads, d_k, length, dtype):
    return 2 * layers * kv_heads * d_k * length**2 * size_of(dtype)
