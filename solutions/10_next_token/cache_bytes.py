"""Cases, oracle and variants of `cache_bytes`."""

import torch

from autograder.author import Case, Exercise

exercise = Exercise(
    "cache_bytes",
    points=2,
    difficulty=1,
    minutes=8,
    returns=("the number of bytes",),
    read="10_next_token.html#bytes-a-token",
)


def case(name, dtype, *sizes):
    names = ("layers", "kv_heads", "d_k", "length")
    return Case(name, {**dict(zip(names, sizes, strict=True)), "dtype": dtype})


@exercise.cases
def cases(rng):
    yield case("the example of the text", "float16", 2, 3, 4, 5)
    yield case("four bytes a number", "float32", 5, 2, 7, 11)
    yield case("one byte a number", "int8", 3, 4, 6, 9)
    yield case("nothing written yet", "bfloat16", 4, 2, 8, 0)
    yield case("a large model", "bfloat16", 32, 8, 128, 8192)


@exercise.secret_cases
def secret_cases(rng):
    for dtype in ("bfloat16", "float64", "float16", "int8", "float32"):
        sizes = [rng.integer(low, low + 5) for low in (2, 7, 12, 17)]
        yield case(f"other sizes in {dtype}", dtype, *sizes)
    yield case("one of everything", "int8", 1, 1, 1, 1)
    yield case("more than a float can count", "float64", 127, 1009, 100003, 1000000007)


exercise.promise("of the model, at least 1.", "one of everything", "other sizes in float16")
exercise.promise("heads of keys and values", "four bytes a number", "one of everything")
exercise.promise("numbers in a key, and in a value", "four bytes a number", "one of everything")
exercise.promise("tokens whose keys and values", "nothing written yet", "a large model")
exercise.promise(
    "the name of their dtype",
    "one byte a number",
    "other sizes in float16",
    "other sizes in float64",
)
exercise.promise(
    "the exact number of bytes", "more than a float can count", "the example of the text"
)


@exercise.oracle
def bytes_of_tensors(layers, kv_heads, d_k, length, dtype):
    """torch says what the tensors would hold, which hold nothing here."""
    shape = (kv_heads, length, d_k)
    pair = [torch.empty(shape, dtype=getattr(torch, dtype), device="meta") for _ in "kv"]
    return layers * sum(x.numel() * x.element_size() for x in pair)


@exercise.variant
def by_a_table(layers, kv_heads, d_k, length, dtype):
    size = {"int8": 1, "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}[dtype]
    return 2 * layers * kv_heads * d_k * length * size


@exercise.variant
def by_the_bits(layers, kv_heads, d_k, length, dtype):
    bits = int("".join(c for c in dtype if c.isdigit()))
    width = kv_heads * d_k
    per_token = layers * (width + width) * bits // 8
    return length * per_token


@exercise.variant
def layer_by_layer(layers, kv_heads, d_k, length, dtype):
    one = torch.zeros((), dtype=getattr(torch, dtype))
    total = 0
    for _ in range(layers):
        for _ in ("keys", "values"):
            total += kv_heads * length * d_k * one.itemsize
    return total
