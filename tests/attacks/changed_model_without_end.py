"""Makes the model hold itself in parts that never end.

verdict: timeout
"""

# %% step
import torch


class Endless(dict):
    def items(self):
        while True:
            yield "part", torch.nn.Identity()


def step(model, tokens, optimizer):
    model.__dict__["_modules"] = Endless()
    return torch.ones(())
