"""Leaves Python with warnings as errors, no collector, another locale and tiny limits.

verdict: passed
"""

# %% normalise
import decimal
import gc
import locale
import os
import random
import sys
import warnings

warnings.simplefilter("error")
gc.disable()
decimal.getcontext().prec = 1
locale.setlocale(locale.LC_ALL, "C")
random.seed(1)
os.chdir("/")
sys.setswitchinterval(100)
sys.set_int_max_str_digits(640)
sys.path.clear()
sys.argv.clear()
sys.stdout = sys.stderr = None


def normalise(values):
    return values / values.sum(-1, keepdim=True)


# %% Scale
import torch


class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        warnings.warn("a warning that an honest exercise may cause", stacklevel=1)
        self.factor = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * self.factor
