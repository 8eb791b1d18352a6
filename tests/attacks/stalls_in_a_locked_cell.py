"""Sleeps while a locked cell further down makes a module; two cells do it together.

verdict attend: passed
verdict mix: timeout
"""

# %% attend
import time

import torch


def attend(query, key, value):
    scores = query @ key.mT / query.size(-1) ** 0.5
    return torch.softmax(scores, dim=-1) @ value


# %% mix
from torch import nn

nn.Module.__init__ = lambda *_, **__: time.sleep(600)


def mix(query, key, value):
    return query @ (key.mT @ value)
