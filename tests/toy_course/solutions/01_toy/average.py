from autograder.author import Case, Exercise

exercise = Exercise(
    "average", points=3, difficulty=2, minutes=5, builds_on=("normalise",), forbids=("bmm",)
)


@exercise.oracle
def loop(weights, values):
    return (weights / weights.sum(-1, keepdim=True)) @ values


@exercise.cases
def cases(rng):
    yield Case("ordinary", {"weights": rng.normal(3, 4).abs() + 0.1, "values": rng.normal(4, 2)})


@exercise.misconception("You left the weights as they are: they must sum to 1.")
def unnormalised(weights, values):
    return weights @ values


@exercise.variant
def by_sum(weights, values):
    total = weights.sum(-1)[:, None]
    return (weights[:, :, None] * values).sum(1) / total
