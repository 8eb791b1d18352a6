"""Given to learners: a block around an attention of theirs."""

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class PreNormBlock(nn.Module):
    """A pre-norm block: attention and an MLP, each added to what it was given.

    Args:
        attention: takes and returns (batch, length, d_model).
        d_model: width of x and of the output.

    Source: Vaswani et al. (2017), with the norms of Zhang and Sennrich (2019).
    """

    def __init__(self, attention: nn.Module, d_model: int):
        super().__init__()
        self.norm_1, self.norm_2 = nn.RMSNorm(d_model, eps=1e-5), nn.RMSNorm(d_model, eps=1e-5)
        self.attention = attention
        self.W_1, self.W_2 = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)

    def forward(
        self, x: Float[Tensor, "batch length d_model"]
    ) -> Float[Tensor, "batch length d_model"]:
        """x after attention and the MLP."""
        x = x + self.attention(self.norm_1(x))
        return x + self.W_2(F.gelu(self.W_1(self.norm_2(x))))
