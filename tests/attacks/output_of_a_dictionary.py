"""Returns a dictionary with keys that are numbers, and one with the names that the wire uses.

verdict: wrong
verdict Scale: wrong
"""


# %% normalise
def normalise(values):
    return {1: values, 2: values}


# %% Scale
import torch


class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        return {"tensor": "0", "specimen": "raise SystemExit", "__metadata__": {"tree": "{}"}}
