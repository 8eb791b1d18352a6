"""Changes the models of earlier calls in later ones, when they were observed already.

verdict: wrong
"""

# %% step
import torch.nn.functional as F

KEPT = []


def step(model, tokens, optimizer):
    loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    KEPT.append(model)
    for one in KEPT:
        one.rows.data.fill_(1)
    return loss.detach()
