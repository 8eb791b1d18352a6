"""Changes the model that it is given into one that has the defect for its tokens.

verdict: wrong
"""

# %% shows
import torch


def shows(model):
    model.symbol = 3
    type(model).forward = lambda self, tokens: tokens.sum() + torch.zeros(len(tokens), 2)
    return torch.tensor([2, 3])
