"""Known mistakes of `DecoderLayer`."""

import torch
import torch.nn.functional as F
from torch import nn

from .DecoderLayer import exercise


class Layers(nn.Module):
    """What the wrong layers have in common: they differ from this in one method."""

    class Attention(nn.Module):
        def __init__(self, d_model, d_memory, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_q, self.W_o = (
                nn.Linear(d_model, d_model, bias=False),
                nn.Linear(d_model, d_model, bias=False),
            )
            self.W_k, self.W_v = (
                nn.Linear(d_memory, d_model, bias=False),
                nn.Linear(d_memory, d_model, bias=False),
            )

        def forward(self, x, memory, mask=None):
            def split(y):
                return y.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

            query, key, value = split(self.W_q(x)), split(self.W_k(memory)), split(self.W_v(memory))
            scores = query @ key.mT / query.size(-1) ** 0.5
            hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
            weights = scores.masked_fill(hidden, -torch.inf).softmax(-1).masked_fill(hidden, 0)
            return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights

    def __init__(self, d_model, d_memory, num_heads, d_hidden):
        super().__init__()
        self.attend_self = self.Attention(d_model, d_model, num_heads)
        self.attend_memory = self.Attention(d_model, d_memory, num_heads)
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)

    def itself(self, x, mask):
        return self.attend_self(x, x, self.seen(x, mask))[0]

    def seen(self, x, mask):
        causal = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).tril()
        return causal if mask is None else causal & mask

    def transform(self, x):
        return self.W_2(F.relu(self.W_1(x)))

    def forward(self, x, memory, mask=None, memory_mask=None):
        x = x + self.itself(self.norm_1(x), mask)
        found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        x = x + found
        return x + self.transform(self.norm_3(x)), weights


@exercise.misconception(
    "Self-attention sees later positions. Which mask does the layer have to add itself?"
)
class ForgetsTheCausalMask(Layers):
    def seen(self, x, mask):
        return mask


@exercise.misconception(
    "The target's padding is not masked in self-attention: `mask` is to hide it."
)
class ForgetsTheTargetsPadding(Layers):
    def seen(self, x, mask):
        return torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).tril()


@exercise.misconception("The memory's padding is not masked. Where does `memory_mask` have to go?")
class ForgetsTheMemoryMask(Layers):
    def forward(self, x, memory, mask=None, memory_mask=None):
        x = x + self.itself(self.norm_1(x), mask)
        found, weights = self.attend_memory(self.norm_2(x), memory)
        x = x + found
        return x + self.transform(self.norm_3(x)), weights


@exercise.misconception(
    "You normalise after each sum (post-norm). Asked for is pre-norm: what goes into a part is "
    "normalised, the sum is not."
)
class NormalisesAfterEachSum(Layers):
    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.norm_1(x + self.itself(x, mask))
        found, weights = self.attend_memory(x, memory, memory_mask)
        x = self.norm_2(x + found)
        return self.norm_3(x + self.transform(x)), weights


@exercise.misconception(
    "You add to the normalised input. The path past a part is the plain sum so far."
)
class AddsToTheNormalised(Layers):
    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.norm_1(x)
        x = x + self.itself(x, mask)
        x = self.norm_2(x)
        found, weights = self.attend_memory(x, memory, memory_mask)
        x = self.norm_3(x + found)
        return x + self.transform(x), weights


@exercise.misconception(
    "The paths past the parts are missing: each part's result is to be added to its input."
)
class ForgetsTheSums(Layers):
    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.itself(self.norm_1(x), mask)
        x, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        return self.transform(self.norm_3(x)), weights


@exercise.misconception(
    "Cross-attention gets x as it came in. It is to ask with what self-attention has found."
)
class AsksWithTheInput(Layers):
    def forward(self, x, memory, mask=None, memory_mask=None):
        found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        x = x + self.itself(self.norm_1(x), mask) + found
        return x + self.transform(self.norm_3(x)), weights


@exercise.misconception(
    "Cross-attention comes before self-attention. In which order do the three parts stand?"
)
class AttendsAcrossFirst(Layers):
    def forward(self, x, memory, mask=None, memory_mask=None):
        found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        x = x + found
        x = x + self.itself(self.norm_1(x), mask)
        return x + self.transform(self.norm_3(x)), weights


@exercise.misconception(
    "Self-attention asks with the normalised x, but its keys and values are made of x as it is. "
    "In self-attention both are the same."
)
class NormalisesTheQueriesOnly(Layers):
    def forward(self, x, memory, mask=None, memory_mask=None):
        x = x + self.attend_self(self.norm_1(x), x, self.seen(x, mask))[0]
        found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        x = x + found
        return x + self.transform(self.norm_3(x)), weights


@exercise.misconception("What goes into the two linear layers was not normalised.")
class ForgetsTheLastNorm(Layers):
    def forward(self, x, memory, mask=None, memory_mask=None):
        x = x + self.itself(self.norm_1(x), mask)
        found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        x = x + found
        return x + self.transform(x), weights


@exercise.misconception("Between W_1 and W_2 nothing is bent: two linear maps in a row are one.")
class ForgetsTheRelu(Layers):
    def transform(self, x):
        return self.W_2(self.W_1(x))


@exercise.misconception("Between W_1 and W_2 you use GELU. Asked for is ReLU.")
class UsesGelu(Layers):
    def transform(self, x):
        return self.W_2(F.gelu(self.W_1(x)))


@exercise.misconception(
    "You return the weights of self-attention. Asked for are those over the memory."
)
class ReturnsTheOtherWeights(Layers):
    def forward(self, x, memory, mask=None, memory_mask=None):
        normed = self.norm_1(x)
        found, weights = self.attend_self(normed, normed, self.seen(x, mask))
        x = x + found
        x = x + self.attend_memory(self.norm_2(x), memory, memory_mask)[0]
        return x + self.transform(self.norm_3(x)), weights
