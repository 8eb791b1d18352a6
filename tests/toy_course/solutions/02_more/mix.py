import torch

from autograder.author import Case, CostAtMost, Exercise

exercise = Exercise(
    "mix",
    points=2,
    difficulty=2,
    minutes=10,
    properties=(
        CostAtMost("largest", 2.0, "A tensor is much larger than the inputs."),
        CostAtMost("peak", 20.0, "All tensors together are much larger than the inputs."),
        CostAtMost("flops", 1.5, "There is an order of products that takes less work."),
    ),
)


@exercise.cases
def cases(rng):
    inputs = {"query": rng.normal(64, 4), "key": rng.normal(48, 4), "value": rng.normal(48, 3)}
    yield Case("long sequences", inputs, gradient=True)


@exercise.secret_cases
def secret_cases(rng):
    inputs = {"query": rng.normal(40, 5), "key": rng.normal(56, 5), "value": rng.normal(56, 2)}
    yield Case("other lengths", inputs)


@exercise.oracle
def keys_first(query, key, value):
    return query @ (key.mT @ value)


@exercise.misconception("You multiplied the queries by the keys first.")
def queries_first(query, key, value):
    return (query @ key.mT) @ value


@exercise.variant
def by_linear(query, key, value):
    return torch.nn.functional.linear(query, value.mT @ key)
