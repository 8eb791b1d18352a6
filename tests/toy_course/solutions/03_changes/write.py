import torch

from autograder.author import Case, Exercise, Generator, Model

exercise = Exercise(
    "write",
    points=2,
    difficulty=2,
    minutes=10,
    returns=("the tokens", "the model afterwards", "the generator"),
)
BIGRAM = """
class Bigram(nn.Module):
    def __init__(self, symbols):
        super().__init__()
        self.rows = nn.Parameter(torch.zeros(symbols, symbols))

    def forward(self, token):
        return self.rows[token] if not self.training else 0 * self.rows[token]
"""


def case(name, rng, training):
    # one weight of a row is nearly 1, so that whatever is drawn is the same
    rows = 50 * torch.eye(5)[rng.integers(0, 5, 5)]
    model = Model(BIGRAM, {"rows": rows}, {"symbols": 5}, training=training)
    inputs = {"model": model, "start": 2, "length": 6, "generator": Generator(rng.integer(0, 99))}
    return Case(name, inputs)


@exercise.cases
def cases(rng):
    yield case("in training mode", rng, True)
    yield case("in evaluation mode", rng, False)


@exercise.oracle
def inverse(model, start, length, generator):
    was, tokens = model.training, [start]
    model.eval()
    for _ in range(length):
        edges = model(torch.tensor(tokens[-1])).softmax(-1).cumsum(-1)
        uniform = torch.rand(1, generator=generator, dtype=edges.dtype)
        tokens.append(int(torch.searchsorted(edges, uniform).clamp(max=4)))
    model.train(was)
    return torch.tensor(tokens[1:])


@exercise.misconception("You leave the model in evaluation mode.")
def stays_in_evaluation_mode(model, start, length, generator):
    model.eval()
    tokens = [start]
    for _ in range(length):
        weights = model(torch.tensor(tokens[-1])).softmax(-1)
        tokens.append(torch.multinomial(weights, 1, generator=generator).item())
    return torch.tensor(tokens[1:])


@exercise.misconception("You never ask for evaluation mode.")
def never_in_evaluation_mode(model, start, length, generator):
    tokens = [start]
    for _ in range(length):
        weights = model(torch.tensor(tokens[-1])).softmax(-1)
        tokens.append(torch.multinomial(weights, 1, generator=generator).item())
    return torch.tensor(tokens[1:])


@exercise.misconception("You draw from torch's own generator.")
def draws_without_the_generator(model, start, length, generator):
    was, tokens = model.training, [start]
    model.eval()
    for _ in range(length):
        weights = model(torch.tensor(tokens[-1])).softmax(-1)
        tokens.append(torch.multinomial(weights, 1).item())
    model.train(was)
    return torch.tensor(tokens[1:])
