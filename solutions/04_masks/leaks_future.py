"""Specimens, oracle and right tests of `leaks_future`."""

import torch

from autograder.author import EVERY, UNTRIED, Case, Exercise, Specimen

exercise = Exercise(
    "leaks_future",
    points=5,
    difficulty=4,
    minutes=35,
    returns=("the answer",),
    read="04_masks.html#leaks",
)

HEADS = "query[:, None], key[:, None], value[:, None]"  # with an axis of heads it is faster
OPEN = f"F.scaled_dot_product_attention({HEADS})[:, 0]"
CAUSAL = f"F.scaled_dot_product_attention({HEADS}, is_causal=True)[:, 0]"
LINEAR = """((query[..., None, :] @ (key[..., None] * value[..., None, :]).cumsum(1)).squeeze(-2)
              / (query * key.cumsum(1)).sum(-1, keepdim=True))"""


def sees(allowed):
    """Attention in which query i sees the keys j for which a condition holds."""
    positions = "j, n = torch.arange(query.size(1), device=query.device), query.size(1)"
    before = f"{positions}\n    i = j[:, None]"
    return f"F.scaled_dot_product_attention({HEADS}, attn_mask={allowed})[:, 0]", before


def specimen(name, output, before="", after=""):
    """An implementation: what it does first, what it returns, and what it does to that."""
    lines = [line for line in (before, f"output = {output}", after, "return output") if line]
    source = "\n    ".join(["def attend(query, key, value):", *lines])
    return Case(name, {"attention": Specimen(source + "\n")})


def in_one(sequences="", features=""):
    """The causal output, but that of some sequences or features is not masked."""
    at = f"{sequences or ':'}, :, {features or ':'}"
    return f"output = output.clone(); output[{at}] = {OPEN}[{at}]"


def one_entry(number, query):
    """One feature of one query of one sequence depends on the next key or the next value."""
    sequence, of = number % 3, ("value", "key")[number % 2]
    at = f"{sequence} : {sequence + 1}, {query} : {query + 1}, -1:"
    trace = f"output = output.clone(); output[{at}] += {of}.roll(-1, 1)[{at}]"
    name = f"{number}: query {query} of sequence {sequence} sees the next {of}"
    return specimen(name, CAUSAL, after=trace)


@exercise.cases
def cases(rng):
    yield specimen("torch's own causal attention", CAUSAL)
    yield specimen("attention without any mask", OPEN)
    yield specimen("each query sees one key too many", *sees("j <= i + 1"))
    yield specimen("each value by itself", "1 * value")
    yield specimen("the sum of the past over the length", "value.cumsum(1) / query.size(1)")
    window, before = sees("(j < i) & (j >= i - 5) | (i + j == 0)")  # the shift leaves rounding
    shift = """last = value[:, -1:].detach()
    shift = 12 * last.tanh() + last * F.relu(last.abs() - 100)  # far out, rounding grows
    value = value + shift"""
    before, after = f"{before}\n    {shift}", "output = output - shift"
    yield specimen("a window on the past with rounding errors", window, before, after)
    centred = "value = value - value.mean(1, True)"
    yield specimen("the mean value is taken off all values", CAUSAL, centred)
    shares = "weights = torch.softmax(query @ key.mT / math.sqrt(query.size(-1)), -1)"
    yield specimen("masked after the softmax", "weights.tril() @ value", shares)
    yield specimen("the first query sees the second key", *sees("j <= i + (i == 0)"))
    yield specimen("query 5 sees key 6", *sees("j <= i + (i == 5)"))
    yield specimen("query 6 sees key 7", *sees("j <= i + (i == 6)"))
    yield specimen("each query sees the key seven ahead", *sees("(j <= i) | (j == i + 7)"))
    yield specimen("a mask for 16 positions", *sees("(j <= i) | (i >= 16)"))
    yield specimen("the second sequence is not masked", CAUSAL, after=in_one("1:2"))
    yield specimen("the third sequence is not masked", CAUSAL, after=in_one("2:3"))
    faint = """half, output = query.size(1) // 2, output.clone()
    output[-1, half:-1, -1] += 0.0004 * torch.sin(value[-1, half + 1:, -1])"""
    yield specimen("a faint trace in one feature of the last sequence", CAUSAL, after=faint)
    factor = "output = output * (1 + 0.00015 * torch.sin(3 * key[..., :1]).flip(1))"
    yield specimen("a faint factor", CAUSAL, after=factor)


@exercise.secret_cases
def secret_cases(rng):
    block, ahead = rng.integer(3, 8), rng.integer(5, 7)
    finished, before = sees(f"(j < i // {block} * {block}) | (i + j == 0)")
    mean = "value.cumsum(1) / torch.arange(1, query.size(1) + 1)[:, None]"
    right = [(finished, before), (LINEAR, "query, key = query.exp(), key.exp()"), (mean, "")]
    yield specimen("another view of the past", *right[rng.integer(0, 3)])
    odd = (1, 3)[rng.integer(0, 2)]
    yield specimen("an odd query sees one key too many", *sees(f"j <= i + (i == {odd})"))
    yield specimen("the last query but one sees the last key", *sees("j <= i + (i == n - 2)"))
    limit = rng.integer(15, 17)
    yield specimen("late queries see two keys too many", *sees(f"j <= i + 2 * (i >= {limit})"))
    yield specimen("each query sees a key further ahead", *sees(f"(j <= i) | (j == i + {ahead})"))
    feature = ("0", "-1")[rng.integer(0, 2)]
    yield specimen("one feature is not masked", CAUSAL, after=in_one(features=feature))
    share = rng.integer(20, 40) / 100000
    trace = f"output = output + {share} * torch.sin(value).flip(1)"
    yield specimen("a faint trace of the values reversed", CAUSAL, after=trace)
    for number in range(8):
        yield one_entry(number, rng.integer(8, 19))
    scaled = "key = 4 * key / key.square().mean(1, True).sqrt()"
    yield specimen("keys scaled by their size over time", CAUSAL, scaled)


exercise.promise("called as attention(query, key, value)", UNTRIED)
exercise.promise("It accepts any batch", UNTRIED)
exercise.promise("It always returns the same for the same inputs", UNTRIED)
exercise.promise(
    "It may ignore the keys", "each value by itself", "the sum of the past over the length"
)
exercise.promise("True if it leaks, else", EVERY)
exercise.promise(
    "With standard normal", "a faint trace in one feature of the last sequence", "a faint factor"
)
exercise.promise("Other inputs, such as large", "a window on the past with rounding errors")
exercise.promise("Every leak shows in one of the first", "the second sequence is not masked")
exercise.promise("Keep it quick: a hundred", UNTRIED)
exercise.promise("All implementations together", UNTRIED)


@exercise.oracle
def derivatives(attention):
    """Of every query's output with respect to later keys and values, in float64."""
    generator = torch.Generator().manual_seed(1)
    for length in (2, 9, 24):
        tensors = torch.randn(4, 3, length, 5, generator=generator, dtype=torch.float64)
        query, *both, direction = tensors.requires_grad_()
        along = (attention(query, *both) * direction).sum(dim=(0, 2))
        for i in range(length - 1):
            slopes = torch.autograd.grad(along[i], both, retain_graph=True, materialize_grads=True)
            if max(slope[:, i + 1 :].abs().max() for slope in slopes) > 1e-9:
                return True
    return False


@exercise.variant
def slopes_in_float32(attention):
    query, key, value = (torch.randn(3, 32, n) for n in (8, 8, 3))
    slopes = torch.autograd.functional.jacobian(
        lambda key, value: attention(query, key, value).sum(dim=(0, 2)), (key, value)
    )
    return any(slope.abs().amax(dim=(1, 3)).triu(1).max() > 1e-5 for slope in slopes)


@exercise.variant
def one_later_position_at_a_time(attention):
    query, key, value = torch.randn(3, 3, 24, 6).double().unbind()
    before, bumps = attention(query, key, value), torch.eye(24).double()
    for later in range(1, 24):
        after = attention(query, key + bumps[later, :, None], value - bumps[later, :, None])
        if (after - before)[:, :later].abs().max() > 1e-6:
            return True
    return False


@exercise.variant
def one_query_at_a_time(attention):
    query, key, value, other_key, other_value = torch.randn(5, 4, 22, 5).unbind()
    for i in range(21):
        later = (torch.arange(22) > i)[:, None]
        keys, values = torch.where(later, other_key, key), torch.where(later, other_value, value)
        before, after = attention(query, key, value)[:, i], attention(query, keys, values)[:, i]
        if not torch.allclose(before, after, rtol=0, atol=3e-5):
            return True
    return False
