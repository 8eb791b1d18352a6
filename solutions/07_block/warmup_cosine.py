"""Cases, oracle and variants of `warmup_cosine`."""

import math

import torch

from autograder.author import Case, Exercise

exercise = Exercise(
    "warmup_cosine",
    points=3,
    difficulty=2,
    minutes=15,
    returns=("the learning rate",),
    read="07_block.html#schedule",
)


def case(name, step, warmup, total, peak=1.0):
    return Case(name, {"step": step, "peak": peak, "warmup": warmup, "total": total})


@exercise.cases
def cases(rng):
    yield case("step 0 of the text", 0, 4, 12)
    yield case("on the way up", 2, 4, 12)
    yield case("the last step of warm-up", 3, 4, 12)
    yield case("the first step of the way down", 4, 4, 12)
    yield case("one after the first step of the way down", 5, 4, 12)
    yield case("half of the way down", 8, 4, 12)
    yield case("a quarter of the way down", 6, 4, 12)
    yield case("the last step above zero", 11, 4, 12)
    yield case("step total", 12, 4, 12)
    yield case("long after the end", 20, 4, 12)
    yield case("a whole turn after the end", 16, 4, 10)
    yield case("step 0 without warm-up", 0, 0, 9, 0.5)
    yield case("on the way down without warm-up", 4, 0, 9, 0.5)
    yield case("a small peak", 7, 5, 20, 0.003)


@exercise.secret_cases
def secret_cases(rng):
    warmup = rng.integer(6, 40)
    total = warmup + rng.integer(60, 200)
    peak = rng.integer(2, 90) / 1e4
    places = {
        "the first step": 0,
        "before the middle of warm-up": warmup // 3,
        "the join": warmup,
        "one after the join": warmup + 1,
        "later": rng.integer(warmup + 5, total - 5),
        "one before the end": total - 1,
        "the end": total,
        "one after the end": total + 1,
        "beyond": 2 * total + 1,
    }
    for name, step in places.items():
        yield case(name, step, warmup, total, peak)
    yield case("one step of warm-up", 0, 1, 9, 2.0)
    yield case("nothing but warm-up and one step", 6, 6, 7, 0.1)
    yield case("a million steps", 700_001, 2000, 1_000_000, peak)


exercise.promise("from 0 on; it may be `total`", "step 0 of the text", "long after the end")
exercise.promise("the highest rate, above 0.", "a small peak", "the first step of the way down")
exercise.promise(
    "how many steps the way", "step 0 without warm-up", "on the way down without warm-up"
)
exercise.promise(
    "The last of them has the peak.", "the last step of warm-up", "one step of warm-up"
)
exercise.promise(
    "the first step with the rate", "the last step above zero", "step total", "the end"
)
exercise.promise(
    "the rate, a Python", "one before the end", "half of the way down", "a quarter of the way down"
)


@exercise.oracle
def one_after_another(step, peak, warmup, total):
    """All rates of warm-up; behind them a sine of the half angle, squared."""
    ups = [peak * k / warmup for k in range(1, warmup + 1)]
    if step < len(ups):
        return ups[step]
    left = max(total - step, 0) / (total - warmup)
    return peak * math.sin(math.pi / 2 * left) ** 2


@exercise.variant
def the_smaller_of_two(step, peak, warmup, total):
    up = (step + 1) / max(warmup, 1)
    along = (min(max(step, warmup), total) - warmup) / (total - warmup)
    return peak * min(up, 0.5 + 0.5 * math.cos(along * math.pi))


@exercise.variant
def with_tensors(step, peak, warmup, total):
    rates = torch.cat([
        torch.linspace(0, 1, warmup + 1, dtype=torch.float64)[1:],
        torch.linspace(0, math.pi, total - warmup + 1, dtype=torch.float64).cos() / 2 + 0.5,
    ])  # fmt: skip
    return peak * rates[min(step, total)].item()


@exercise.variant
def case_by_case(step, peak, warmup, total):
    if step >= total:
        return 0.0
    if step >= warmup:
        angle = math.pi * (step - warmup) / (total - warmup)
        return peak * math.cos(angle / 2) ** 2
    slope = peak / warmup
    return slope + slope * step


@exercise.variant
def looked_up_in_a_list(step, peak, warmup, total):
    def half_cosine(n):
        return [(math.cos(math.pi * k / n) + 1.0) * 0.5 for k in range(n)]

    factors = [(n + 1.0) / warmup for n in range(warmup)]
    factors += half_cosine(total - warmup)
    return factors[step] * peak if step < len(factors) else 0.0
