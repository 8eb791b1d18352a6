import torch

from autograder.author import Case, Exercise, Finite, SumsTo

exercise = Exercise(
    "normalise",
    points=2,
    difficulty=1,
    minutes=5,
    returns=("rows",),
    read="01_toy.html#normalise",
    properties=(Finite(), SumsTo(0, -1, "Each row should sum to 1.")),
)


@exercise.oracle
def row_by_row(values):
    return torch.stack([row / row.sum() for row in values.reshape(-1, values.shape[-1])]).reshape(
        values.shape
    )


@exercise.cases
def cases(rng):
    yield Case("two batches", {"values": rng.normal(2, 3, 4).abs() + 0.1}, gradient=True)
    half = rng.normal(3, 5, dtype=torch.float16).abs() + 0.1
    yield Case("half precision", {"values": half})


@exercise.secret_cases
def secret_cases(rng):
    yield Case("one row", {"values": rng.normal(1, 6).abs() + 0.1})


@exercise.misconception("You summed over another axis than the last.")
def sums_columns(values):
    return values / values.sum(-2, keepdim=True)


@exercise.misconception("You changed the caller's tensor in place.")
def in_place(values):
    values.div_(values.sum(-1, keepdim=True))
    return values


@exercise.misconception("You returned another dtype than you were given.")
def upcasts(values):
    return values.float() / values.float().sum(-1, keepdim=True)


@exercise.misconception("You cut the graph, so no gradient gets through.")
def detaches(values):
    return (values / values.sum(-1, keepdim=True)).detach()


@exercise.misconception("You made a tensor on the CPU, wherever the input is.")
def on_the_cpu(values):
    total = torch.zeros((*values.shape[:-1], 1), dtype=values.dtype)
    return values / (total + values.sum(-1, keepdim=True))


@exercise.variant
def by_einsum(values):
    return values / torch.einsum("...k->...", values)[..., None]
