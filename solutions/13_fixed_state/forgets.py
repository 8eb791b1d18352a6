"""Memories to test, oracle and variants of `forgets`."""

import torch

from autograder.author import EVERY, UNTRIED, Exercise

from .memories import Memories

exercise = Exercise(
    "forgets",
    points=4,
    difficulty=2,
    minutes=20,
    returns=("the number of pairs",),
    read="13_fixed_state.html#where-it-bends",
)


@exercise.cases
def cases(rng):
    make = Memories(rng)
    yield make.example("the example of the text", 1.0)
    yield make.example("the example of the text, a tolerance of 10", 10.0)
    yield make("all pairs are held")
    yield make("each entry is off by three quarters", "answer += 0.75 * tolerance")
    yield make("the last four are held", "answer[place < n - 4] = 0")
    yield make("the first three are held", "answer[place >= 3] = 0")
    yield make.linear("a linear state")
    yield make.delta("a delta rule")
    yield make.half("a delta rule of half strength")
    yield make.softmax("softmax attention")
    one = "answer[(place == 3) & (n >= 6), {}] {}"
    yield make("too small in one entry of one pair", one.format(1, "-= 3 * tolerance"))
    yield make("too large in one entry of one pair", one.format(-1, "+= 2 * tolerance"))
    yield make("too large in the first entry of one pair", one.format(0, "+= 2 * tolerance"))
    little = "answer[(place == 5) & (n == 8)] -= 1.5 * tolerance"
    yield make("one of eight pairs is a little too small", little)
    yield make("all of five pairs are lost", "answer[n >= 5 + 0 * place] = 0")
    lost = "answer[(place == 1) & (n == {})] = 0"
    yield make("one of five pairs is lost, and none of six", lost.format(5))
    yield make("all pairs together are too many", lost.format(make.pairs))
    yield make("one entry is NaN", "answer[(place == 2) & (n > 3), 1] = math.nan")
    yield make.again("a key comes again")
    yield make.slots("four slots")
    yield make.large("large values", "answer[place < n - 4] += 3 * tolerance")
    yield make("nothing is held", "answer = 0 * answer")


@exercise.secret_cases
def secret_cases(rng):
    make = Memories(rng)
    late, lone = rng.integer(6, make.pairs), rng.integer(1, 4)
    yield make("the newest pair is lost", f"answer[(place == n - 1) & (n > {lone + 2})] = 0")
    yield make("the oldest pair is lost", f"answer[(place == 0) & (n >= {late})] = 0")
    yield make("one pair between others is lost", f"answer[(place == {lone}) & (n >= {late})] += 9")
    yield make("a pair is lost at two numbers", "answer[(place == 1) & ((n == 3) | (n == 8))] = 0")
    yield make("a pair is lost at one number, and from another on",
               "answer[(place == 1) & ((n == 4) | (n >= 8))] = 0")  # fmt: skip
    swap = f"answer[(place == {lone}) & (n == {late})] = values[0]"
    yield make("a pair returns the first value", swap)
    yield make("an answer is infinite", f"answer[(place == {lone}) & (n == {late}), 0] = math.inf")
    yield make("everything is NaN", f"answer[n >= {late} + 0 * place] = math.nan")
    errors = f"answer[(place == {lone}) & (n == {late})] += 5 * tolerance * sign"
    yield make("errors that add up to nothing", errors)
    yield make.fading("a state that fades")
    yield make.double("in float64", f"answer[place < n - {lone + 1}, 0] -= 2 * tolerance")
    yield make.double("in float64, all pairs are held")
    yield make.single("a single pair is held")
    yield make.single("a single pair is lost", "answer += 2 * tolerance")
    yield make.large("large values, all pairs are held")
    yield make.large("large values, and one is off by little",
                     f"answer[(place == {lone}) & (n > 4)] += 2 * tolerance", 2.0**-6)  # fmt: skip
    yield make.small("small values", f"answer[(place == {lone}) & (n > 4)] += 2 * tolerance")
    yield make.small("values below the tolerance are lost", "answer = 0 * answer", 4.0)


exercise.promise("called as layer(keys, values, query)", EVERY)
exercise.promise("How many queries are asked at once", UNTRIED)
exercise.promise("It always returns", UNTRIED)
exercise.promise("Some results may be", "one entry is NaN", "an answer is infinite")
exercise.promise("of all pairs, in the order", "in float64", "the last four are held")
exercise.promise("All entries are finite.", EVERY)
exercise.promise("Keys have", EVERY)
exercise.promise("A key may come again", "a key comes again")
exercise.promise("how far an entry of an answer", "each entry is off by three quarters")
exercise.promise(
    "the smallest n, from 1",
    "one of five pairs is lost, and none of six",
    "all pairs together are too many",
    "nothing is held",
)
exercise.promise("It is a Python int.", EVERY)
exercise.promise("None if there", "the example of the text, a tolerance of 10", "softmax attention")
exercise.promise("An entry is off by less", UNTRIED)


@exercise.oracle
def every_pair_of_every_number(layer, keys, values, tolerance):
    """Each pair by itself, for all numbers, before any of them is chosen."""
    losing = set()
    for n in range(1, len(keys) + 1):
        for pair in range(n):
            answer = layer(keys[:n].clone(), values[:n].clone(), keys[pair : pair + 1].clone())
            for found, wanted in zip(answer[0].tolist(), values[pair].tolist(), strict=True):
                if not wanted - tolerance <= found <= wanted + tolerance:
                    losing.add(n)
    return min(losing, default=None)


@exercise.variant
def by_allclose(layer, keys, values, tolerance):
    n = 0
    while n < keys.shape[0]:
        n += 1
        now, wanted = layer(keys[0:n], values[0:n], keys[0:n]), values[0:n]
        if not torch.allclose(now, wanted, rtol=0, atol=tolerance):
            return n
    return None


@exercise.variant
def recursive(layer, keys, values, tolerance):
    """None if the shorter lists are held, and this one."""

    def first(keys, values):
        n = keys.size(0)
        if n == 0:
            return None
        shorter = first(keys[:-1], values[:-1])
        if shorter is not None:
            return shorter
        held = [
            bool(((layer(keys, values, k[None])[0] - v).abs() < tolerance).all())
            for k, v in zip(keys, values, strict=True)
        ]
        return None if all(held) else n

    return first(keys, values)


@exercise.variant
def from_the_end(layer, keys, values, tolerance):
    answer = None
    for n in reversed(range(len(keys))):
        first = slice(None, n + 1)
        off = (values[first] - layer(keys[first], values[first], keys[first])).abs()
        if off.nan_to_num(nan=float("inf")).max().item() > tolerance:
            answer = n + 1
    return answer


@exercise.base
@exercise.variant
def all_at_once(layer, keys, values, tolerance):
    for n in range(1, len(keys) + 1):
        answer = layer(keys[:n], values[:n], keys[:n])
        off = (answer - values[:n]).abs()
        if not bool((off <= tolerance).all()):
            return n
    return None
