"""Changes its inputs so that later cases and exercises would be given spoilt ones.

verdict: wrong
"""

# %% normalise
import gc

import torch


def normalise(values):
    for thing in gc.get_referrers(torch.Tensor):
        if type(thing) is torch.Tensor and thing.shape == values.shape:
            thing.data.zero_()
    return values
