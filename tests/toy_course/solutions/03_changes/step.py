import torch
import torch.nn.functional as F

from autograder.author import Case, Exercise, Model, Optimizer

exercise = Exercise(
    "step",
    points=3,
    difficulty=2,
    minutes=10,
    returns=("the loss", "the model afterwards", "the optimizer afterwards"),
)
BIGRAM = """
class Bigram(nn.Module):
    def __init__(self, symbols):
        super().__init__()
        self.rows = nn.Parameter(torch.zeros(symbols, symbols))

    def forward(self, tokens):
        return self.rows[tokens]
"""


def case(name, rng, optimizer, **more):
    model = Model(BIGRAM, {"rows": rng.normal(5, 5)}, {"symbols": 5}, **more)
    inputs = {"model": model, "tokens": rng.integers(0, 5, 2, 7), "optimizer": optimizer}
    return Case(name, inputs, terms=14)


@exercise.cases
def cases(rng):
    plain = Optimizer("SGD", "model", {"lr": 0.5})
    yield case("plain", rng, plain)
    yield case("stale gradients", rng, plain, gradients={"rows": rng.normal(5, 5)})


@exercise.secret_cases
def secret_cases(rng):
    held = {"rows": {"step": 3, "exp_avg": rng.normal(5, 5), "exp_avg_sq": rng.normal(5, 5).abs()}}
    yield case("moments", rng, Optimizer("AdamW", "model", {"lr": 0.1}, held))


@exercise.oracle
def by_hand(model, tokens, optimizer):
    optimizer.zero_grad()
    right = model(tokens[:, :-1]).log_softmax(-1).gather(-1, tokens[:, 1:, None])
    (-right.mean()).backward()
    optimizer.step()
    return -right.mean().detach()


@exercise.misconception("You do not clear the gradients that are there.")
def keeps_gradients(model, tokens, optimizer):
    loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    return loss.detach()


@exercise.misconception("You go up the slope. Where does the sign of the gradient change?")
def ascends(model, tokens, optimizer):
    loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    (-loss).backward()
    optimizer.step()
    return loss.detach()


@exercise.misconception("You never call step.")
def takes_no_step(model, tokens, optimizer):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    return loss.detach()


@exercise.variant
def clears_afterwards(model, tokens, optimizer):
    model.zero_grad()
    loss = -torch.distributions.Categorical(logits=model(tokens[:, :-1])).log_prob(tokens[:, 1:])
    loss.mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.mean().detach()
