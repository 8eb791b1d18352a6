"""Registers an operator of its own with torch that calls it.

verdict: forbidden
"""

# %% attend
import torch
import torch.nn.functional as F

library = torch.library.Library("red_team", "DEF")
library.define("attend(Tensor query, Tensor key, Tensor value) -> Tensor")
library.impl("attend", lambda *t: F.scaled_dot_product_attention(*t), "CompositeImplicitAutograd")


def attend(query, key, value):
    return torch.ops.red_team.attend(query, key, value)
