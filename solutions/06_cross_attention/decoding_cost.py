"""Cases, oracle and variants of `decoding_cost`."""

import torch
from torch.utils.flop_counter import FlopCounterMode

from autograder.author import EVERY, Case, Exercise

exercise = Exercise(
    "decoding_cost",
    points=4,
    difficulty=3,
    minutes=20,
    returns=("the count of multiply-adds", "the count of bytes"),
    read="06_cost.html#what-caches-save",
)

WAYS = {"both caches": (True, True), "neither cache": (False, False),
        "its own cache only": (True, False), "the memory's cache only": (False, True)}  # fmt: skip


def case(name, lengths, widths, num_heads, way, itemsize=4):
    """lengths: of the text and of the memory. widths: d_model, d_memory. way: which caches."""
    inputs = dict(zip(("tokens", "memory"), lengths, strict=True))
    inputs |= dict(zip(("d_model", "d_memory"), widths, strict=True))
    own, memory = WAYS[way]
    inputs |= {"num_heads": num_heads, "itemsize": itemsize}
    return Case(name, {**inputs, "keep_own": own, "keep_memory": memory})


@exercise.cases
def cases(rng):
    yield case("the text's example with both caches", (2, 4), (2, 3), 1, "both caches")
    yield case("the text's example with neither", (2, 4), (2, 3), 1, "neither cache")
    for way in WAYS:
        yield case(f"three heads and {way}", (5, 7), (12, 10), 3, way, 2)


@exercise.secret_cases
def secret_cases(rng):
    for way in WAYS:
        heads, lengths = rng.integer(2, 6), (rng.integer(6, 12), rng.integer(12, 20))
        widths = heads * rng.integer(3, 9), rng.integer(2, 40)
        yield case(f"other sizes and {way}", lengths, widths, heads, way, 8)
        one = (1, rng.integer(2, 9))
        yield case(f"one token and {way}", one, (rng.integer(3, 9), 4), 1, way)
    # more than a float can count
    yield case("widths of millions", (9, 11), (90_000_003, 70_000_001), 3, "both caches")
    yield case("a memory of one", (rng.integer(3, 7), 1), (8, 5), 4, "the memory's cache only")


exercise.promise("how many steps there are, at least 1.", "one token and both caches")
exercise.promise("tokens of the memory", "a memory of one")
exercise.promise("widths of a token of the text", "three heads and both caches")
exercise.promise("of both attentions", "three heads and both caches", "other sizes and both caches")
exercise.promise(
    "bytes of one number.", "three heads and both caches", "other sizes and both caches"
)
exercise.promise(
    "which of the two caches", "three heads and neither cache", "three heads and its own cache only"
)
exercise.promise("multiply-adds of all steps", EVERY)


def attended(query, kept, num_heads):
    """Weights are left out: a softmax is no product."""
    every = (x.unflatten(1, (num_heads, -1)).transpose(0, 1) for x in (query, *kept))
    split, key, value = every  # [heads, length, d_k]
    return ((split @ key.mT) @ value).transpose(0, 1).flatten(1)


@exercise.oracle
def counted_while_it_runs(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    """torch counts what a layer does that writes step by step, with tensors that hold no data."""
    text, seen = (torch.zeros(n, device="meta") for n in ((tokens, d_model), (memory, d_memory)))
    W, W_memory = text.new_zeros(d_model, d_model), seen.new_zeros(d_memory, d_model)
    kept, ready = [text[:0]] * 2, [text[:0]] * 2  # keys and values
    with FlopCounterMode(display=False) as counter:
        for step in range(tokens):
            new = text[step : step + 1] if keep_own else text[: step + 1]
            past = kept if keep_own else [text[:0]] * 2
            kept = [torch.cat([old, new @ W]) for old in past]
            found = attended(new @ W, kept, num_heads) @ W
            if step == 0 or not keep_memory:
                ready = [seen @ W_memory for _ in "kv"]
            attended(found @ W, ready, num_heads) @ W
    held = kept * keep_own + ready * keep_memory
    return counter.get_total_flops() // 2, sum(x.numel() for x in held) * itemsize


@exercise.variant
def summed_in_closed_form(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    n, m, d = tokens, memory, d_model
    first = n * (n + 1) // 2
    second = n * (n + 1) * (2 * n + 1) // 6
    positions, pairs = (n, first) if keep_own else (first, second)
    times = 1 if keep_memory else n
    work = positions * (6 * d * d + 2 * m * d) + 2 * d * pairs + times * 2 * m * d * d_memory
    kept = 2 * d * ((n if keep_own else 0) + (m if keep_memory else 0))
    return work, kept * itemsize


@exercise.variant
def product_by_product(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    d_k = d_model // num_heads
    products = []  # rows, terms, columns of each
    for t in range(1, tokens + 1):
        new = 1 if keep_own else t
        products += [(new, d_model, d_model)] * 6
        for length in (t, memory):
            products += [(new, d_k, length), (new, length, d_k)] * num_heads
        if t == 1 or not keep_memory:
            products += [(memory, d_memory, d_model)] * 2
    kept = 0
    if keep_own:
        kept += 2 * num_heads * tokens * d_k
    if keep_memory:
        kept += 2 * num_heads * memory * d_k
    return sum(a * b * c for a, b, c in products), kept * itemsize


@exercise.variant
def each_step_by_a_helper(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    def attention(queries, keys):
        return queries * d_model * (2 * d_model + 2 * keys)

    def projected(length, width):
        return 2 * length * width * d_model

    total, size = 0, 0
    if keep_memory:
        total, size = projected(memory, d_memory), 2 * memory * d_model
    for t in range(tokens):
        rows = 1 if keep_own else t + 1
        total += projected(rows, d_model) + attention(rows, t + 1) + attention(rows, memory)
        if not keep_memory:
            total += projected(memory, d_memory)
        if keep_own:
            size += 2 * d_model
    return total, size * itemsize
