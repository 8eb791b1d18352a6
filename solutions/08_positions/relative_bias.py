"""Cases, oracle and variants of `relative_bias`."""

import torch

from autograder.author import EVERY, Case, Exercise

exercise = Exercise(
    "relative_bias",
    points=3,
    difficulty=2,
    minutes=20,
    returns=("the bias",),
    read="08_positions.html#a-bias-by-distance",
)


def case(name, table, queries, keys, gradient=False):
    return Case(name, {"table": table, "queries": queries, "keys": keys}, gradient=gradient)


@exercise.cases
def cases(rng):
    yield case("the example of the text", torch.tensor([[10.0, 20, 30]]), 2, 4)
    yield case("a table for all offsets", rng.normal(2, 9), 5, 5, gradient=True)
    yield case("offsets beyond the reach", rng.normal(3, 5), 7, 7, gradient=True)
    yield case("fewer queries than keys", rng.normal(4, 7), 3, 8)
    yield case("more queries than keys", rng.normal(3, 7), 6, 2)
    yield case("half precision", rng.normal(2, 7, dtype=torch.float16), 4, 6)


@exercise.secret_cases
def secret_cases(rng):
    queries, more = rng.integer(3, 6), rng.integer(2, 6)
    yield case("a reach of 0", rng.normal(4, 1), 2, 3, gradient=True)
    yield case("one query and one key", rng.normal(3, 5), 1, 1)
    yield case("a cache", rng.normal(2, 11), queries, queries + more, gradient=True)
    yield case("one new token", rng.normal(5, 9), 1, queries + more)
    yield case("a far reach", rng.normal(2, 601), queries, 300)  # int8 has no 128, uint8 no 256
    yield case("as many of everything", rng.normal(5, 5), 5, 5)
    yield case("bfloat16", rng.normal(2, 5, dtype=torch.bfloat16), 6, 4)
    yield case("float64", rng.normal(3, 5, dtype=torch.float64), 3, 6)


exercise.promise("of float16, bfloat16", "half precision", "bfloat16", "float64")
exercise.promise("The number of offsets", "a reach of 0", "one query and one key")
exercise.promise("Not changed.", EVERY)
exercise.promise("at least 1, any of them", "fewer queries than keys", "more queries than keys")
exercise.promise("The last query is at", "fewer queries than keys", "more queries than keys")
exercise.promise("the entry of each head's", "offsets beyond the reach", "a far reach")
exercise.promise("In the dtype and on the device", "half precision", "bfloat16", "float64")
exercise.promise(
    "Gradients reach the table", "a table for all offsets", "offsets beyond the reach", "a cache"
)


@exercise.oracle
def entry_by_entry(table, queries, keys):
    reach = (table.size(1) - 1) // 2

    def entry(row, query, key):
        offset = key - (keys - queries + query)
        return row[reach + max(-reach, min(offset, reach))]

    entries = [entry(row, i, j) for row in table for i in range(queries) for j in range(keys)]
    return torch.stack(entries).view(len(table), queries, keys)


@exercise.variant
def windows_of_one_line(table, queries, keys):
    """Every row of the bias is a piece of the same line, one step further to the left."""
    reach = table.shape[1] // 2
    left, right = max(keys - 1 - reach, 0), max(queries - 1 - reach, 0)
    line = torch.cat([table[:, :1].expand(-1, left), table, table[:, -1:].expand(-1, right)], 1)
    zero = left + reach - (keys - 1)
    rows = [line[:, zero + queries - 1 - i :][:, :keys] for i in range(queries)]
    return torch.stack(rows, dim=1)


@exercise.variant
def gathered(table, queries, keys):
    heads, offsets = table.shape
    here = torch.arange(queries, device=table.device) + keys - queries
    there = torch.arange(keys, device=table.device)
    column = (there.view(1, -1) - here.view(-1, 1) + offsets // 2).clamp(0, offsets - 1)
    flat = column.reshape(1, -1).expand(heads, -1)
    return table.gather(1, flat).reshape(heads, queries, keys)


@exercise.variant
def by_one_hot_vectors(table, queries, keys):
    most = (table.size(-1) - 1) // 2
    i = torch.arange(-queries, 0, device=table.device)
    j = torch.arange(-keys, 0, device=table.device)
    distance = torch.clip(i[:, None] - j[None, :], min=-most, max=most)
    chosen = torch.nn.functional.one_hot(most - distance, table.size(-1)).to(table.dtype)
    return torch.einsum("ho,qko->hqk", table, chosen)


@exercise.variant
def row_after_row(table, queries, keys):
    middle = table.size(1) // 2
    bias = table.new_zeros(table.size(0), queries, keys)
    for q in range(queries):
        for k in range(keys):
            step = k - q - (keys - queries)
            step = middle if step > middle else -middle if step < -middle else step
            bias[:, q, k] = table[:, middle + step]
    return bias
