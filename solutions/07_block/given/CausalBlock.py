"""Given to learners: a block that looks only back, and takes no mask."""

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class CausalBlock(nn.Module):
    """A pre-norm block whose attention is causal: position t sees positions 0 to t.

    Args:
        d_model: width of x and of the output.
        num_heads: number of heads; it divides d_model.

    Source: Vaswani et al. (2017), with the norms of Zhang and Sennrich (2019).
    """

    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.norm_1, self.norm_2 = nn.RMSNorm(d_model, eps=1e-5), nn.RMSNorm(d_model, eps=1e-5)
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.W_1, self.W_2 = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)

    def forward(
        self, x: Float[Tensor, "batch length d_model"]
    ) -> Float[Tensor, "batch length d_model"]:
        """x after attention and the MLP, each added to what it was given."""
        together = self.W_qkv(self.norm_1(x)).unflatten(-1, (3, self.num_heads, -1))
        query, key, value = together.permute(2, 0, 3, 1, 4)  # each (batch, heads, length, d_k)
        found = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.W_o(found.transpose(1, 2).flatten(2))
        return x + self.W_2(F.gelu(self.W_1(self.norm_2(x))))
