"""Specimens, oracle and known mistakes of `leaks_future`."""

import torch

from autograder.spec import Case, Exercise
from autograder.specimen import Specimen

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
    return f"F.scaled_dot_product_attention({HEADS}, attn_mask={allowed})[:, 0]"


def specimen(name, output, before="pass", after="pass"):
    lines = ["j = torch.arange(query.size(1), device=query.device)", "i = j[:, None]",
             before, f"output = {output}", after, "return output"]  # fmt: skip
    source = "\n    ".join(["def attend(query, key, value):", *lines])
    return Case(name, {"attention": Specimen(source + "\n")})


@exercise.cases
def cases(rng):
    yield specimen("torch's own causal attention", CAUSAL)
    yield specimen("attention without any mask", OPEN)
    yield specimen("each query sees one key too many", sees("j <= i + 1"))
    yield specimen("each query sees itself only", sees("j == i"))
    shift = "output = torch.cat([0 * value[:, :1], output[:, :-1]], 1)"
    yield specimen("each query sees only what came before it", sees("j <= i"), after=shift)
    yield specimen("the mean key is taken off all keys", CAUSAL, "key = key - key.mean(1, True)")
    centred = "value = value - value.mean(1, True)"
    yield specimen("the mean value is taken off all values", CAUSAL, centred)
    shares = "weights = torch.softmax(query @ key.mT / math.sqrt(query.size(-1)), -1)"
    yield specimen("masked after the softmax", "weights.tril() @ value", shares)
    faint = "output = output + 0.001 * value[:, -1:]"
    yield specimen("a faint trace of the last value", CAUSAL, after=faint)
    yield specimen("a mask made for 12 positions", sees("(j <= i) | (i >= 12)"))
    others = f"output = torch.cat([output[:1], {OPEN}[1:]])"
    yield specimen("only the first sequence is masked", CAUSAL, after=others)
    yield specimen("the first queries see one key too many", sees("j <= i + (i < 4)"))


@exercise.secret_cases
def secret_cases(rng):
    window, block, limit = rng.integer(2, 6), rng.integer(2, 8), rng.integer(6, 17)
    ahead, share = rng.integer(2, 5), rng.integer(5, 15) / 10000
    yield specimen("a sliding window", sees(f"(j <= i) & (j >= i - {window})"))
    yield specimen("finished blocks only", sees(f"j < (i // {block} * {block}).clamp(min=1)"))
    yield specimen("no softmax", LINEAR, "query, key = query.exp(), key.exp()")
    yield specimen("the mean of the past", "value.cumsum(1) / (i + 1)")
    yield specimen("several keys too many", sees(f"j <= i + {ahead}"))
    yield specimen("blocks see all of their block", sees(f"j < i // {block} * {block} + {block}"))
    yield specimen("a mask for few positions", sees(f"(j <= i) | (i >= {limit})"))
    scaled = "key = 4 * key / key.square().mean(1, True).sqrt()"
    yield specimen("keys scaled by their size over time", CAUSAL, scaled)
    trace = f"output = output + {share} * value.flip(1)"
    yield specimen("a faint trace of the values reversed", CAUSAL, after=trace)
    last = f"output = torch.cat([output[..., :-1], {OPEN}[..., -1:]], -1)"
    yield specimen("one feature is not masked", CAUSAL, after=last)
    yield specimen("the first query is not masked", sees("(j <= i) | (i == 0)"))
    low, some = rng.integer(0, 8), rng.integer(1, 6)
    band = f"({low} <= i) & (i < {low + some})"
    yield specimen("some see one key too many", sees(f"j <= i + ({band})"))


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


def changes(attention, drawn_anew=torch.ge, batch=3, length=20, parts=(True, True)):
    """For each position t: t, and how far each output moves, [batch, queries], once the keys and
    the values from t on are drawn anew; `parts` says whether keys and whether values are."""
    query, old, new = torch.randn(batch, length, 4), *torch.randn(2, 2, batch, length, 4)
    before = attention(query, *old)  # [batch, queries, d_v]
    position, part = torch.arange(length)[:, None], torch.tensor(parts)[:, None, None, None]
    for t in range(1, length):
        both = torch.where(drawn_anew(position, t) & part, new, old)  # [2, batch, keys, 4]
        yield t, (attention(query, *both) - before).abs().amax(dim=-1)


def leaks(moved, tolerance=1e-5):
    """Whether an output before t moves."""
    return any(of_output[:, :t].max() > tolerance for t, of_output in moved)


@exercise.misconception(
    "Your function says True where there is no leak, and False where there is one. Read its name "
    "as a question: does it leak?"
)
def answers_the_opposite(attention):
    return not leaks(changes(attention))


@exercise.misconception(
    "You say True for nearly all that is right. If you change earlier positions and look at later "
    "ones: they may see them. That is the past, not the future."
)
def changes_the_past(attention):
    moved = changes(attention, torch.lt)
    return any(of_output[:, t:].max() > 1e-5 for t, of_output in moved)


@exercise.misconception(
    "You say True wherever a query sees itself, which it may. If you look at the output of the "
    "position that you changed: look at the queries before it."
)
def looks_at_the_changed_position(attention):
    return any(of_output[:, t].max() > 1e-5 for t, of_output in changes(attention))


@exercise.misconception(
    "You miss leaks through the values. If you change later keys only: the output is made of "
    "values, and they can leak while the weights are right."
)
def changes_keys_only(attention):
    return leaks(changes(attention, parts=(True, False)))


@exercise.misconception(
    "You miss leaks through the keys. If you change later values only: a later key can leak "
    "through the denominator of the softmax although its value has no weight."
)
def changes_values_only(attention):
    return leaks(changes(attention, parts=(False, True)))


@exercise.misconception(
    "You miss queries that see just one key too many. If you ask only whether the first query sees "
    "the last position: look at every query and every later position."
)
def looks_at_one_pair(attention):
    _, of_output = [*changes(attention)][-1]
    return bool(of_output[:, 0].max() > 1e-5)


@exercise.misconception(
    "You miss a leak that only early queries have. If you change only the last position, a query "
    "that sees one key too far does not reach it: change everything from t on, for every t."
)
def changes_the_last_position_only(attention):
    return leaks([*changes(attention)][-1:])


@exercise.misconception(
    "You miss a leak that begins at a later position. Try at least 20 positions, and every "
    "position t."
)
def tries_short_sequences_only(attention):
    return leaks(changes(attention, length=8))


@exercise.misconception(
    "You miss a faint leak. If your tolerance is wide: how large are rounding errors of float32?"
)
def tolerates_too_much(attention):
    return leaks(changes(attention), tolerance=0.01)


@exercise.misconception(
    "You find leaks where there are none. If you demand outputs that are equal to the last bit: "
    "the order of a sum changes its last bits, so allow for rounding."
)
def allows_no_rounding(attention):
    return leaks(changes(attention), tolerance=0)


@exercise.misconception(
    "You miss a leak that the first sequence does not have. Try several, and look at all of them."
)
def tries_one_sequence(attention):
    return leaks(changes(attention, batch=1))


@exercise.misconception(
    "Your function says True for every implementation. If you compare outputs of two unrelated "
    "inputs, they always differ: keep everything up to a position, change only what comes later, "
    "and look only at what comes before."
)
def draws_everything_anew(attention):
    before = attention(*torch.randn(3, 3, 20, 4))[:, :-1]
    after = attention(*torch.randn(3, 3, 20, 4))[:, :-1]
    return not torch.allclose(after, before, atol=1e-5)


@exercise.variant
def slopes_in_float32(attention):
    query, key, value = (torch.randn(2, 33, n) for n in (8, 8, 3))
    slopes = torch.autograd.functional.jacobian(
        lambda key, value: attention(query, key, value).sum(dim=(0, 2)), (key, value)
    )
    return any(slope.abs().amax(dim=(1, 3)).triu(1).max() > 1e-5 for slope in slopes)


@exercise.variant
def one_later_position_at_a_time(attention):
    query, key, value = torch.randn(3, 2, 24, 6).double().unbind()
    before, bumps = attention(query, key, value), torch.eye(24).double()
    for later in range(1, 24):
        after = attention(query, key + bumps[later, :, None], value - bumps[later, :, None])
        if (after - before)[:, :later].abs().max() > 1e-6:
            return True
    return False


@exercise.variant
def prefixes_agree(attention):
    query, key, value = torch.randn(3, 3, 30, 8).unbind()
    whole = attention(query, key, value)
    parts = [attention(query[:, :n], key[:, :n], value[:, :n]) for n in range(1, 30)]
    return not all(torch.allclose(whole[:, : p.size(1)], p, atol=2e-5) for p in parts)
