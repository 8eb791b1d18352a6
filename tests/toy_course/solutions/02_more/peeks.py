import torch

from autograder.author import Case, Exercise, Specimen

exercise = Exercise("peeks", points=4, difficulty=3, minutes=20, returns=("the answer",))


def specimen(name, output):
    return Case(name, {"function": Specimen(f"def function(x):\n    return {output}\n")})


@exercise.cases
def cases(rng):
    yield specimen("running sum", "x.cumsum(0)")
    yield specimen("reversed running sum", "x.flip(0).cumsum(0).flip(0)")
    yield specimen("entry by entry", "x * 2")


@exercise.secret_cases
def secret_cases(rng):
    factor = rng.integer(2, 9)
    yield specimen("differences", f"{factor} * torch.cat([x[:1], x[1:] - x[:-1]])")
    yield specimen("the mean", f"x - x.mean() / {factor}")
    yield specimen("the last entry", f"x + x[-1] / {factor}")


@exercise.oracle
def derivatives(function):
    x = torch.linspace(-1, 1, 8, dtype=torch.float64)
    slopes = torch.autograd.functional.jacobian(function, x)
    return bool(slopes.triu(1).any())


@exercise.misconception("You say the opposite.")
def answers_the_opposite(function):
    x = torch.linspace(-1, 1, 8, dtype=torch.float64)
    slopes = torch.autograd.functional.jacobian(function, x)
    return not bool(slopes.triu(1).any())


@exercise.variant
def prefixes(function):
    x = torch.linspace(-1, 1, 9)
    whole = function(x)
    return not all(torch.allclose(function(x[:n]), whole[:n]) for n in range(1, 9))
