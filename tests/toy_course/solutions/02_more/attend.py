import torch
import torch.nn.functional as F

from autograder.author import Case, Exercise

exercise = Exercise(
    "attend",
    points=3,
    difficulty=2,
    minutes=10,
    returns=("output",),
    forbids=("scaled_dot_product", "multi_head_attention"),
)


def draw(rng, *batch):
    shapes = {"query": (3, 8), "key": (5, 8), "value": (5, 8)}
    return {name: rng.normal(*batch, *shape) for name, shape in shapes.items()}


@exercise.cases
def cases(rng):
    yield Case("one sequence", draw(rng, 1), gradient=True)
    yield Case("heads", draw(rng, 2, 4))


@exercise.secret_cases
def secret_cases(rng):
    yield Case("more heads", draw(rng, 1, 7))


@exercise.oracle
def torchs_own(query, key, value):
    return F.scaled_dot_product_attention(query, key, value)


@exercise.misconception("You divided by d_k; divide by its root.")
def divides_by_d_k(query, key, value):
    return torch.softmax(query @ key.mT / query.size(-1), dim=-1) @ value


@exercise.variant
def by_exponentials(query, key, value):
    weights = (query @ key.mT / query.size(-1) ** 0.5).exp()
    return weights / weights.sum(-1, keepdim=True) @ value
