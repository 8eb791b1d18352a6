"""Cases, oracle and variants of `alibi_bias`."""

import math

import torch

from autograder.author import EVERY, Case, Exercise, Finite, Group

exercise = Exercise(
    "alibi_bias",
    points=4,
    difficulty=3,
    minutes=25,
    returns=("the bias",),
    read="08_positions.html#a-bias-by-distance",
    properties=(Finite(),),
    groups=(
        Group(
            "numbers of heads that are no power of two",
            1,
            cases=("three heads", "six heads", "twelve heads", "one more than a power of two",
                   "one less than a power of two"),
        ),
    ),
)  # fmt: skip


def case(name, num_heads, queries, keys):
    return Case(name, {"num_heads": num_heads, "queries": queries, "keys": keys})


@exercise.cases
def cases(rng):
    yield case("one head, the example of the text", 1, 2, 3)
    yield case("eight heads", 8, 5, 5)
    yield case("two heads and a cache", 2, 3, 7)
    yield case("four heads and one new token", 4, 1, 6)
    yield case("three heads", 3, 4, 4)
    yield case("six heads", 6, 2, 5)


@exercise.secret_cases
def secret_cases(rng):
    queries, more = rng.integer(3, 6), rng.integer(2, 6)
    yield case("as many of everything", 4, 4, 4)
    yield case("one query and one key", 2, 1, 1)
    yield case("a long text", 2, 2, 300)  # int8 has no 128, and bfloat16 no 257
    yield case("sixteen heads and a cache", 16, queries, queries + more)
    yield case("twelve heads", 12, queries, queries + more)
    yield case("one more than a power of two", 2 ** rng.integer(2, 5) + 1, 2, 4)
    yield case("one less than a power of two", 2 ** rng.integer(3, 6) - 1, 3, 4)
    yield case("most heads", 64, 2, 3)


exercise.promise(
    "at least 1 and at most", "one head, the example of the text", "most heads", "twelve heads"
)
exercise.promise("at least 1, the newest", "four heads and one new token", "one query and one key")
exercise.promise("not fewer than `queries`.", "two heads and a cache", "a long text", "eight heads")
exercise.promise("float32 bias, for each head", EVERY)
exercise.promise("A query's own key has 0.", EVERY)


@exercise.oracle
def head_by_head(num_heads, queries, keys):
    """With slopes as a recursion, as the authors' code has them."""

    def slopes(heads):
        if heads & (heads - 1) == 0:
            first = 2.0 ** -(8 / heads)
            return [first**a for a in range(1, heads + 1)]
        power = 1 << (heads.bit_length() - 1)
        return slopes(power) + slopes(2 * power)[0::2][: heads - power]

    bias = torch.full((num_heads, queries, keys), -math.inf)
    for head, slope in enumerate(slopes(num_heads)):
        for query in range(queries):
            for key in range(keys - queries + query + 1):
                bias[head, query, key] = -slope * (keys - queries + query - key)
    return bias


@exercise.variant
def slopes_in_a_loop(num_heads, queries, keys):
    p = 1
    while p * 2 <= num_heads:
        p *= 2
    slopes = []
    for head in range(num_heads):
        exponent = 8 * (head + 1) / p if head < p else 4 * (2 * (head - p) + 1) / p
        slopes.append(0.5**exponent)
    i = torch.arange(queries).unsqueeze(1) + (keys - queries)
    j = torch.arange(keys).unsqueeze(0)
    bias = torch.tensor(slopes).view(-1, 1, 1) * (j - i)
    return torch.where(j > i, torch.tensor(float("-inf")), bias)


@exercise.variant
def rows_cut_from_a_square(num_heads, queries, keys):
    power = 2 ** math.floor(math.log(num_heads, 2) + 1e-9)
    exponents = [8.0 / power * n for n in range(1, power + 1)]
    exponents += [4.0 / power * n for n in range(1, 2 * power + 1)][::2]
    slopes = torch.exp2(-torch.tensor(exponents[:num_heads]))
    line = torch.arange(keys, dtype=torch.float32)
    square = torch.einsum("h,ij->hij", slopes, -(line[:, None] - line[None, :]))
    square += torch.full((keys, keys), -torch.inf).triu(1)
    return square[:, -queries:]


@exercise.variant
def a_mask_added(num_heads, queries, keys):
    lower = 2 ** (num_heads.bit_length() - 1)
    table = torch.logspace(-4 / lower, -8, 2 * lower, base=2.0)  # the slopes of twice as many
    chosen = torch.cat([table[1::2], table[0::2]])[:num_heads]
    back = torch.arange(keys - 1, -1, -1) - torch.arange(queries - 1, -1, -1)[:, None]
    hidden = torch.zeros(queries, keys).masked_fill(back < 0, float("-inf"))
    return -chosen[:, None, None] * back + hidden
