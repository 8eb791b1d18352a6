"""Records a call of it once, when nobody looks, and replays the record.

verdict: forbidden
"""

# %% attend
import torch
import torch.nn.functional as F

tensors = tuple(torch.ones(1, 3, 8) for _ in range(3))
recorded = torch.jit.trace(lambda q, k, v: F.scaled_dot_product_attention(q, k, v), tensors)


def attend(query, key, value):
    return recorded(query, key, value)
