import torch

from autograder.author import Case, Exercise, Model, Specimen, Witness

CHANGES = """
def changes(tokens, model):
    whole = model(tokens)
    prefixes = [model(tokens[:n])[-1] for n in range(1, len(tokens) + 1)]
    return not torch.allclose(torch.stack(prefixes), whole)
"""
exercise = Exercise(
    "shows",
    points=2,
    difficulty=3,
    minutes=10,
    returns=("the tokens", "the model afterwards"),
    properties=(Witness(0, Specimen(CHANGES), (6,), 0, 4, "A prefix should be told apart."),),
)
LEAKS = """
class Leaks(nn.Module):
    def __init__(self, symbol):
        super().__init__()
        self.symbol = symbol
        self.rows = nn.Parameter(torch.zeros(5, 2))

    def forward(self, tokens):
        return self.rows[tokens] + (tokens == self.symbol).any()
"""


@exercise.cases
def cases(rng):
    for symbol in range(2):
        model = Model(LEAKS, {"rows": rng.normal(5, 2)}, {"symbol": symbol})
        yield Case(f"symbol {symbol}", {"model": model})


@exercise.oracle
def second(model):
    return torch.tensor([(model.symbol + 1) % 5, model.symbol])


@exercise.misconception("Nothing stands before the first token.")
def first(model):
    return torch.tensor([model.symbol, (model.symbol + 1) % 5])


@exercise.variant
def last(model):
    return torch.tensor([4, 4, 4, 4, model.symbol])
