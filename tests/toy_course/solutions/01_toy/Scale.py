import torch
from torch import nn

from autograder.author import Case, Exercise

exercise = Exercise("Scale", points=1, difficulty=1, minutes=5)


@exercise.oracle
class Right(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.factor = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return torch.einsum("...w,w->...w", x, self.factor)


@exercise.cases
def cases(rng):
    yield Case(
        "width 3",
        {"x": rng.normal(2, 3)},
        gradient=True,
        construct={"width": 3},
        state={"factor": rng.normal(3)},
    )


@exercise.misconception("You added the factor instead of multiplying by it.")
class Adds(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.factor = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x + self.factor


@exercise.variant
class Diagonal(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.factor = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x @ torch.diag(self.factor)
