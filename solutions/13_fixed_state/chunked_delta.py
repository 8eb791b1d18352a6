"""Cases, oracle and variants of `chunked_delta`."""

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, CostAtMost, Exercise, Finite, Group, Specimen

exercise = Exercise(
    "chunked_delta",
    points=5,
    difficulty=4,
    minutes=40,
    returns=("output", "the state afterwards"),
    read="13_fixed_state.html#in-chunks",
    properties=(Finite(),),
    groups=(
        Group(
            "a chunk at a time",
            2,
            cases=("a long sequence",),
            properties=(CostAtMost("largest", 1.0, "A tensor has more entries than allowed."),),
        ),
    ),
)

# Raises where too many operations use the state, so that the card says how many there were.
COUNTING = Specimen("""
def counting(answer, query, key, value, beta, state, chunk):
    sizes = [tuple(state.shape[-2:]), tuple(state.mT.shape[-2:])]
    leaves = torch.utils._pytree.tree_leaves
    uses = 0

    class Counter(torch.utils._python_dispatch.TorchDispatchMode):
        _should_skip_dynamo = classmethod(lambda cls: False)  # else torch loads its compiler

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            nonlocal uses
            result = func(*args, **(kwargs or {}))
            tensors = [x for x in leaves((args, kwargs, result)) if isinstance(x, torch.Tensor)]
            uses += any(tuple(x.shape[-2:]) in sizes for x in tensors)
            return result

    with Counter():
        returned = answer(query, key, value, beta, state, chunk)
    chunks = -(-query.size(-2) // chunk)
    if uses > 30 * chunks:
        raise RuntimeError(
            f"{uses} operations use the state in {chunks} chunks; {30 * chunks} are allowed."
        )
    return returned
""")


def draw(rng, shape, length, d_k, d_v, dtype=torch.float32):
    """What is computed is computed in float64 and then rounded: it is the same everywhere."""
    key = rng.normal(*shape, length, d_k, dtype=torch.float64)
    return {
        "query": rng.normal(*shape, length, d_k, dtype=dtype),
        "key": (key / key.norm(dim=-1, keepdim=True)).to(dtype),
        "value": rng.normal(*shape, length, d_v, dtype=dtype),
        "beta": rng.normal(*shape, length, dtype=torch.float64).sigmoid().to(dtype),
        "state": rng.normal(*shape, d_k, d_v, dtype=dtype),
    }


def case(name, inputs, chunk, gradient=False, through=None):
    return Case(name, {**inputs, "chunk": chunk}, gradient=gradient, through=through)


def example():
    key = torch.tensor([[1.0, 0.0], [0.6, 0.8]])
    return {
        "query": key.clone(),
        "key": key,
        "value": torch.tensor([[10.0], [20.0]]),
        "beta": torch.tensor([1.0, 0.5]),
        "state": torch.zeros(2, 1),
    }


def empty(inputs):
    return inputs | {"state": torch.zeros_like(inputs["state"])}


def extreme(inputs):
    """Every third token writes nothing, and the next one all that is missing."""
    inputs["beta"][..., ::3] = 0
    inputs["beta"][..., 1::3] = 1
    return inputs


def alike(inputs):
    """All keys but the first have a large part in common with it."""
    key = inputs["key"].double()
    key[..., 1:, :] += 2 * key[..., :1, :]
    inputs["key"] = (key / key.norm(dim=-1, keepdim=True)).to(inputs["key"])
    return inputs


@exercise.cases
def cases(rng):
    yield case("the example of the text", example(), 2)
    yield case("one chunk from an empty state", empty(draw(rng, (2,), 5, 6, 3)), 5)
    yield case("one chunk", draw(rng, (2,), 6, 5, 4), 6)
    yield case("chunks that fit", draw(rng, (2,), 9, 5, 6), 3)
    yield case("a ragged end", draw(rng, (2, 3), 11, 5, 6), 4, gradient=True)
    yield case("one token a chunk", draw(rng, (3,), 5, 4, 2), 1)
    yield case("a chunk larger than the length", draw(rng, (3,), 5, 4, 6), 9)
    yield case("strengths 0 and 1", extreme(draw(rng, (2,), 10, 6, 3)), 5, gradient=True)
    yield case("keys that are alike", alike(draw(rng, (2,), 7, 6, 3)), 4)
    yield case("a long sequence", draw(rng, (), 156, 44, 6), 40, through=COUNTING)


@exercise.secret_cases
def secret_cases(rng):
    length, chunk = rng.integer(9, 14), rng.integer(3, 5)
    yield case("other sizes", draw(rng, (2,), length, 6, 5), chunk, gradient=True)
    yield case("float64", draw(rng, (2, 4), 10, 3, 5, torch.float64), 3)
    yield case("no leading axes", draw(rng, (), 7, 6, 5), 3)
    yield case("one token", draw(rng, (3,), 1, 4, 5), 2)
    yield case("more leading axes", draw(rng, (2, 1, 3), 8, 4, 7), 5)
    yield case("an empty state and a ragged end", empty(draw(rng, (4,), 8, 3, 2)), 6)


exercise.promise("of one dtype (float32 or float64)", "a ragged end", "float64")
exercise.promise("The leading axes are the same", "no leading axes", "more leading axes")
exercise.promise("Each key has length 1.", "keys that are alike", "chunks that fit")
exercise.promise("how strongly each token writes", "strengths 0 and 1")
exercise.promise("before the first token; it", "one chunk", "one chunk from an empty state")
exercise.promise("The five are not changed.", EVERY)
exercise.promise("how many tokens at a time", "one token a chunk", "chunks that fit")
exercise.promise("It need not divide", "a ragged end", "a chunk larger than the length")
exercise.promise("row t is what query t reads", "one chunk", "one token")
exercise.promise("after the last token", "chunks that fit", "a ragged end")
exercise.promise("Both in the dtype and on the device", "a ragged end", "float64")
exercise.promise("Gradients flow to query", "a ragged end", "strengths 0 and 1", "other sizes")
exercise.promise("at most 120", "a long sequence")
exercise.promise("operation returns a tensor with", "a long sequence")


@exercise.oracle
def token_after_token(query, key, value, beta, state, chunk):
    """By the definition. What is allocated is all that is allowed.

    With a further axis at the end, no tensor has the shape of the state.
    """
    length, memory, outputs = query.size(-2), state[..., None], []
    if length > chunk:
        query.new_empty(length * length - 1)
    for t in range(length):
        q, k = query[..., t, :, None, None], key[..., t, :, None, None]
        missing = value[..., t, None, :, None] - (k * memory).sum(-3, keepdim=True)
        memory = memory + k * (beta[..., t, None, None, None] * missing)
        outputs.append((q * memory).sum((-3, -1)))
    return torch.stack(outputs, -2), memory[..., 0]


@exercise.variant
def row_by_row(query, key, value, beta, state, chunk):
    """Substitution: each row of the writes from those above it."""
    outputs = []
    pieces = (x.split(chunk, dim=-2) for x in (query, key, value, beta.unsqueeze(-1)))
    for q, k, v, b in zip(*pieces, strict=True):
        overlap = k @ k.transpose(-2, -1)
        right = b * (v - k @ state)
        rows = [right[..., 0, :]]
        for t in range(1, k.shape[-2]):
            above = torch.stack(rows, dim=-2)
            known = (overlap[..., t, :t, None] * above).sum(dim=-2)
            rows.append(right[..., t, :] - b[..., t, :] * known)
        u = torch.stack(rows, dim=-2)
        outputs.append(q @ state + torch.tril(q @ k.transpose(-2, -1)) @ u)
        state = state + k.transpose(-2, -1) @ u
    return torch.cat(outputs, dim=-2), state


@exercise.variant
def all_inverses_first(query, key, value, beta, state, chunk):
    """Chunks padded to one length; their inverses do not wait for the state."""
    length = query.shape[-2]
    count = -(-length // chunk)
    more = count * chunk - length
    q, k, v = (F.pad(x, (0, 0, 0, more)).unflatten(-2, (count, chunk)) for x in (query, key, value))
    b = F.pad(beta, (0, more)).unflatten(-1, (count, chunk)).unsqueeze(-1)
    one = torch.eye(chunk, dtype=query.dtype, device=query.device)
    inverse = torch.linalg.inv(one + (b * k @ k.mT).tril(-1))
    plain, reads = inverse @ (b * v), inverse @ (b * k)
    within = (q @ k.mT).tril()
    rows = []
    for i in range(count):
        u = plain[..., i, :, :] - reads[..., i, :, :] @ state
        rows.append(q[..., i, :, :] @ state + within[..., i, :, :] @ u)
        state = state + k[..., i, :, :].mT @ u
    return torch.cat(rows, dim=-2)[..., :length, :], state


@exercise.variant
def by_einsum(query, key, value, beta, state, chunk):
    outputs, last = [], query.size(-2)
    for start in range(0, last, chunk):
        at = torch.arange(start, min(start + chunk, last), device=query.device)
        q, k, v, b = query[..., at, :], key[..., at, :], value[..., at, :], beta[..., at]
        before = at[:, None] > at
        system = torch.einsum("...t,...tk,...sk->...ts", b, k, k) * before
        system = system + torch.diag_embed(torch.ones_like(b))
        right = v - torch.einsum("...tk,...kv->...tv", k, state)
        u = torch.linalg.solve(system, torch.einsum("...t,...tv->...tv", b, right))
        seen = torch.where(at[:, None] >= at, torch.einsum("...tk,...sk->...ts", q, k), 0.0)
        read = torch.einsum("...tk,...kv->...tv", q, state)
        outputs.append(read + torch.einsum("...ts,...sv->...tv", seen, u))
        state = state + torch.einsum("...tk,...tv->...kv", k, u)
    return torch.cat(outputs, -2), state


@exercise.variant
def inverse_by_doubling(query, key, value, beta, state, chunk):
    """(I + N)^-1 as the product of I - N, I + N^2, I + N^4 and so on; the state is transposed."""
    memory, parts = state.mT, []
    for start in range(0, value.size(-2), chunk):
        q, k, v = (x.narrow(-2, start, min(chunk, x.size(-2) - start)) for x in (query, key, value))
        b = beta[..., start : start + chunk].unsqueeze(-1)
        power = -torch.tril(b * torch.matmul(k, k.mT), diagonal=-1)
        u = b * (v - torch.matmul(k, memory.mT))
        done = 1
        while done < k.size(-2):
            u = u + torch.matmul(power, u)
            power, done = torch.matmul(power, power), 2 * done
        parts.append(torch.matmul(q, memory.mT) + torch.matmul(q, k.mT).tril().matmul(u))
        memory = memory + torch.matmul(u.mT, k)
    return torch.cat(parts, -2), memory.mT


@exercise.base
@exercise.variant
def by_solving(query, key, value, beta, state, chunk):
    length, outputs = query.size(-2), []
    one = torch.eye(min(chunk, length), dtype=query.dtype, device=query.device)
    for start in range(0, length, chunk):
        end = min(start + chunk, length)
        q, k, v = (x[..., start:end, :] for x in (query, key, value))
        b = beta[..., start:end, None]
        below = b * (k @ k.mT).tril(-1)
        system = one[: end - start, : end - start] + below
        wanted = b * (v - k @ state)
        writes = torch.linalg.solve_triangular(system, wanted, upper=False)
        outputs.append(q @ state + (q @ k.mT).tril() @ writes)
        state = state + k.mT @ writes
    return torch.cat(outputs, -2), state
