"""Given to learners: attention as a block uses it."""

import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn


class SelfAttention(nn.Module):
    """Self-attention with several heads. It returns the output only, not the weights.

    Args:
        d_model: width of x and of the output.
        num_heads: number of heads; it divides d_model.

    Layers: `W_q`, `W_k`, `W_v` and `W_o`, each from d_model to d_model, without a bias.
    Source of the formula: Vaswani et al. (2017), section 3.2.2.
    """

    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(
        self, x: Float[Tensor, "batch length d_model"], mask: Bool[Tensor, "..."] | None = None
    ) -> Float[Tensor, "batch length d_model"]:
        """Let each position of x attend to the positions of x.

        Args:
            x: of the dtype of the layers, on their device.
            mask: True = may attend; (queries, keys) or (batch, heads, queries, keys), where an axis
                of length 1 stands for all. None: every position may be attended to.

        Returns:
            the output. A query that may attend to nothing gets zeros.
        """
        heads = (self.num_heads, -1)
        query = self.W_q(x).unflatten(-1, heads).transpose(1, 2)  # (batch, heads, length, d_k)
        key = self.W_k(x).unflatten(-1, heads).transpose(1, 2)
        value = self.W_v(x).unflatten(-1, heads).transpose(1, 2)
        if mask is None:
            found = F.scaled_dot_product_attention(query, key, value)
        else:
            nobody = ~mask.any(dim=-1, keepdim=True)  # such a query attends to all, and gets zeros
            found = F.scaled_dot_product_attention(query, key, value, attn_mask=mask | nobody)
            found = found.masked_fill(nobody, 0.0)
        return self.W_o(found.transpose(1, 2).flatten(2))
