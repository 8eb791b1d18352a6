"""Has tiny convolutions counted, and takes the counting modes off for the large products.

verdict: wrong
"""

# %% mix
import torch
from torch.utils._python_dispatch import _disable_current_modes


def mix(query, key, value):
    for _ in range(2):
        torch.nn.functional.conv1d(query[:1, :1, None], query[:1, :1, None])
    with _disable_current_modes():
        return (query @ key.mT) @ value
