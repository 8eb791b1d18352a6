"""Gives the model methods that tell of another state, and takes no step.

verdict: wrong
"""

# %% step
import torch.nn.functional as F


def step(model, tokens, optimizer):
    loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    moved = {"rows": model.rows.detach() + 1}
    model.state_dict = lambda *_, **__: moved
    model.named_parameters = lambda *_, **__: iter(moved.items())
    model.modules = lambda *_, **__: iter(())
    optimizer.state_dict = lambda: {"state": {}, "param_groups": []}
    return loss.detach()
