"""Returns a model, an optimiser and a generator as an author writes them down.

verdict: wrong
"""

# %% step
from autograder.author import Generator, Model, Optimizer


def step(model, tokens, optimizer):
    return [Model("", {}), Optimizer("SGD", "model", {}), Generator(1)]
