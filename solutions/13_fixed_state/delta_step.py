"""Cases, oracle and variants of `delta_step`."""

import torch

from autograder.author import EVERY, Case, Exercise

exercise = Exercise(
    "delta_step",
    points=3,
    difficulty=2,
    minutes=15,
    returns=("the new state",),
    read="13_fixed_state.html#a-delta-step",
)


def draw(rng, shape, d_k, d_v, dtype=torch.float32, **strengths):
    """Write strengths and decays in eighths, or those that are given."""
    drawn = {
        "state": rng.normal(*shape, d_k, d_v, dtype=dtype),
        "key": rng.normal(*shape, d_k, dtype=dtype),
        "value": rng.normal(*shape, d_v, dtype=dtype),
        "beta": rng.integers(1, 8, *shape).to(dtype) / 8,
        "decay": rng.integers(1, 8, *shape).to(dtype) / 8,
    }
    given = {name: torch.full(shape, number, dtype=dtype) for name, number in strengths.items()}
    return {**drawn, **given}


def example():
    return {
        "state": torch.tensor([[2.0, 4], [6, 8]]),
        "key": torch.tensor([0.0, 1]),
        "value": torch.tensor([5.0, 0]),
        "beta": torch.tensor(0.25),
        "decay": torch.tensor(0.5),
    }


def of_length_1(inputs):
    """Keys of length 1 that are exact in every dtype: one half in each of four places."""
    inputs["key"] = inputs["key"].sign() / 2
    return inputs


@exercise.cases
def cases(rng):
    yield Case("the example of the text", example())
    yield Case("a batch", draw(rng, (2,), 3, 5), gradient=True)
    yield Case("batch and heads", draw(rng, (2, 3), 5, 4))
    yield Case("a key of length 1 with beta 1", of_length_1(draw(rng, (3,), 4, 2, beta=1.0)))
    yield Case("no decay", draw(rng, (2,), 4, 3, decay=1.0))
    yield Case("half precision", draw(rng, (3,), 8, 5, torch.float16))


@exercise.secret_cases
def secret_cases(rng):
    d_k = rng.integer(4, 7)
    yield Case("other widths", draw(rng, (3,), d_k, d_k - 2), gradient=True)
    yield Case("wide values", draw(rng, (3, 2), 4, 7), gradient=True)
    yield Case("no leading axis", draw(rng, (), 6, 4), gradient=True)
    yield Case("three leading axes", draw(rng, (2, 4, 3), 5, 6))
    yield Case("nothing written", draw(rng, (2,), 3, 4, beta=0.0))
    yield Case("all written, no decay", draw(rng, (2,), 5, 3, beta=1.0, decay=1.0))
    yield Case("float64", draw(rng, (2,), 5, 3, torch.float64))
    yield Case("bfloat16", draw(rng, (2,), 6, 5, torch.bfloat16))
    yield Case("as many of everything", draw(rng, (4, 4), 4, 4))
    yield Case("one feature", draw(rng, (3,), 1, 2))


exercise.promise(
    "the five are of one dtype",
    "half precision",
    "bfloat16",
    "float64",
    "a batch",
    "no leading axis",
    "three leading axes",
)
exercise.promise("They are not changed.", EVERY)
exercise.promise("it is used as it comes", "a batch", "a key of length 1 with beta 1")
exercise.promise("what belongs to the key", "a key of length 1 with beta 1", "a batch")
exercise.promise("the write strength, from 0 to 1", "nothing written", "a batch")
exercise.promise("what the state is multiplied by", "no decay", "a batch", "nothing written")
exercise.promise(
    "a new tensor", "half precision", "float64", "bfloat16", "batch and heads", "wide values"
)
exercise.promise("Half precision may be computed", "half precision", "bfloat16")
exercise.promise("Gradients flow to all five.", "a batch", "other widths", "no leading axis")


@exercise.oracle
def as_a_matrix(state, key, value, beta, decay):
    """The identity less beta k^T k, times what is left of the state, plus beta k^T v."""
    k, b = key[..., :, None], beta[..., None, None]
    erases = torch.eye(key.size(-1), dtype=key.dtype) - b * k * k.mT
    left = decay[..., None, None] * state
    rows = [(erases[..., i, :, None] * left).sum(-2) for i in range(key.size(-1))]
    return torch.stack(rows, -2) + b * k * value[..., None, :]


@exercise.variant
def by_einsum(state, key, value, beta, decay):
    state = torch.einsum("...,...kv->...kv", decay, state)
    change = value - torch.einsum("...k,...kv->...v", key, state)
    return state + torch.einsum("...,...k,...v->...kv", beta, key, change)


@exercise.variant
def reads_and_decays_the_reading(state, key, value, beta, decay):
    """What is read from the decayed state is what is read, decayed."""
    read = (key.unsqueeze(-1) * state).sum(dim=-2) * decay.unsqueeze(-1)
    write = key * beta.unsqueeze(-1)
    kept = state * decay[..., None, None]
    return kept + write.unsqueeze(-1) * (value - read).unsqueeze(-2)


@exercise.variant
def erases_and_then_writes(state, key, value, beta, decay):
    """By matrix products, half precision in float32."""
    wide = torch.promote_types(state.dtype, torch.float32)
    row = key.to(wide)[..., None, :]
    strength = beta.to(wide)[..., None, None]
    new = state.to(wide) * decay.to(wide)[..., None, None]
    erased = new - strength * (row.transpose(-1, -2) @ (row @ new))
    return (erased + strength * (row.mT @ value.to(wide)[..., None, :])).to(state.dtype)


@exercise.variant
def row_by_row(state, key, value, beta, decay):
    """Each row of the state, which belongs to one feature of the key."""
    read = torch.zeros_like(value)
    for feature in range(key.shape[-1]):
        read = read + key[..., feature, None] * decay[..., None] * state[..., feature, :]
    rows = []
    for feature in range(key.shape[-1]):
        kept = decay[..., None] * state[..., feature, :]
        rows.append(kept + (beta * key[..., feature])[..., None] * (value - read))
    return torch.stack(rows, dim=-2)


@exercise.variant
def one_state_at_a_time(state, key, value, beta, decay):
    """Leading axes as one."""
    flat = state.flatten(0, -3) if state.dim() > 2 else state.unsqueeze(0)
    keys, values = key.reshape(-1, key.size(-1)), value.reshape(-1, value.size(-1))
    new = []
    for s, k, v, b, a in zip(flat, keys, values, beta.flatten(), decay.flatten(), strict=True):
        kept = a * s
        new.append(kept + b * torch.outer(k, v - k @ kept))
    return torch.stack(new).reshape(state.shape)
