"""Known mistakes of `cache_bytes`."""

import torch

from .cache_bytes import exercise


def size_of(dtype):
    return getattr(torch, dtype).itemsize


@exercise.base
def right(layers, kv_heads, d_k, length, dtype):
    return 2 * layers * kv_heads * d_k * length * size_of(dtype)


# fmt: off
right.mistake("forgets_the_values", {"2 * layers": "layers"},
    "You count only half: a cache holds keys, and what else?")
right.mistake("forgets_the_layers", {"* layers *": "*"},
    "You count one layer. Each layer has its own keys and values.")
right.mistake("forgets_the_heads", {"kv_heads * d_k": "d_k"},
    "You count one head. Each head of keys and values has its own.")
right.mistake("counts_one_token", {"* length *": "*"},
    "You count what one token adds. How many tokens are in the cache?")
right.mistake("forgets_the_width", {"* d_k *": "*"},
    "You count one number for each head and token. How wide is a key?")
right.mistake("counts_numbers", {" * size_of(dtype)": ""},
    "You count numbers. How many bytes does one take in this dtype?")
right.mistake("counts_bits", {"2": "16"},
    "Your result is in bits. A byte has eight of them.")
right.mistake("always_float32", {"2": "8", " * size_of(dtype)": ""},
    "You count four bytes per number, whatever the dtype is.")
right.mistake("always_half", {"2": "4", " * size_of(dtype)": ""},
    "You count two bytes per number, whatever the dtype is.")
right.mistake("counts_pairs", {"2 * layers": "layers", "d_k * length": "length**2"},
    "You count scores, one for each pair of tokens. Does a cache keep scores, or keys and values?")
right.mistake("takes_the_text_for_a_dtype", {"size_of(dtype)": "dtype.itemsize"},
    "The dtype is a string here, such as \"float16\". `getattr(torch, dtype)` is the dtype itself.")
right.mistake("goes_through_a_float", {"2": "2.0"},
    "Somewhere your number is a float, which counts exactly only up to 2**53. Bytes are whole "
    "numbers: `//` keeps them whole, but `/` does not.")
right.mistake("wraps_round_in_int64",
    {"2 * layers * kv_heads * d_k * length * size_of(dtype)":
        "torch.tensor([2, layers, kv_heads, d_k, length, size_of(dtype)]).prod().item()"},
    "A very large number wraps round: an int64 tensor counts only to 2**63 - 1, but Python's own "
    "integers have no limit. Multiply those.")
right.mistake("counts_one_token_more", {"* length": "* (length + 1)"},
    "You count a token that is not in the cache. `length` is the number of all tokens kept.")
right.mistake("takes_bfloat16_for_float32",
    {"size_of(dtype)": '(4 if dtype == "bfloat16" else size_of(dtype))'},
    "The size of a number is wrong in bfloat16. How many bits does its name give?")
right.mistake("squares_the_length", {"* length": "* length**2"},
    "Your bytes grow with the square of the length. Each further token adds one key and one value "
    "per head.")
