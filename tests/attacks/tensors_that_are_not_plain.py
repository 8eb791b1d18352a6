"""Returns tensors that are sparse, quantised, nested, conjugated or hold no data.

verdict: wrong
verdict average: raised
verdict Scale: wrong
"""

# %% normalise
import torch


def normalise(values):
    right = values / values.sum(-1, keepdim=True)
    return torch.complex(right, right).conj().to_sparse()


# %% average
def average(weights, values):
    return torch.nested.nested_tensor([weights, values])


# %% Scale
class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        return torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)
