"""Known mistakes of `DecoderLayer`."""

import torch
import torch.nn.functional as F
from torch import nn

from .CrossAttention_misconceptions import Attention
from .DecoderLayer import exercise


class Decoder(nn.Module):
    """What the wrong layers have in common: they differ from this in one method."""

    def __init__(self, d_model, d_memory, num_heads, d_hidden):
        super().__init__()
        self.attend_self = Attention(d_model, d_model, num_heads)
        self.attend_memory = Attention(d_model, d_memory, num_heads)
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)

    def added(self, norm, x, part):
        found, weights = part(norm(x))
        return x + found, weights  # [batch, queries, d_model], [batch, heads, queries, keys]

    def seen(self, x, mask):
        causal = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).tril()
        return causal if mask is None else causal & mask  # [..., queries, queries]

    def ask_itself(self, x, mask):
        return self.added(self.norm_1, x, lambda y: self.attend_self(y, y, self.seen(x, mask)))

    def ask_memory(self, x, memory, mask):
        return self.added(self.norm_2, x, lambda y: self.attend_memory(y, memory, mask))

    def bend(self, x):
        return F.relu(x)

    def transform(self, x):
        return self.added(self.norm_3, x, lambda y: (self.W_2(self.bend(self.W_1(y))), None))[0]

    def forward(self, x, memory, mask=None, memory_mask=None):
        x, _ = self.ask_itself(x, mask)
        x, weights = self.ask_memory(x, memory, memory_mask)
        return self.transform(x), weights


@exercise.misconception(
    "Self-attention sees later positions. Which mask does the layer have to add itself?"
)
class ForgetsTheCausalMask(Decoder):
    def seen(self, x, mask):
        return mask


@exercise.misconception(
    "The target's padding is not masked in self-attention: `mask` is to hide it."
)
class ForgetsTheTargetsPadding(Decoder):
    def seen(self, x, mask):
        return super().seen(x, None)


@exercise.misconception("The memory's padding is not masked. Where does `memory_mask` have to go?")
class ForgetsTheMemoryMask(Decoder):
    def ask_memory(self, x, memory, mask):
        return super().ask_memory(x, memory, None)


@exercise.misconception(
    "You normalise after each sum (post-norm). Asked for is pre-norm: what goes into a part is "
    "normalised, the sum is not."
)
class NormalisesAfterEachSum(Decoder):
    def added(self, norm, x, part):
        found, weights = part(x)
        return norm(x + found), weights


@exercise.misconception(
    "You add to the normalised input. The path past a part is the plain sum so far."
)
class AddsToTheNormalised(Decoder):
    def added(self, norm, x, part):
        return super().added(nn.Identity(), norm(x), part)


@exercise.misconception(
    "In self-attention you add what was found to the normalised x. The path past a part is x "
    "itself."
)
class AddsToTheFirstNorm(Decoder):
    def ask_itself(self, x, mask):
        normed = self.norm_1(x)
        found, weights = self.attend_self(normed, normed, self.seen(x, mask))
        return normed + found, weights


@exercise.misconception(
    "Off by a little, and by more where a row of x varies little: what is added to the variance is "
    "another number than asked for. Which `eps` has `nn.LayerNorm` if nothing is said?"
)
class AddsALittleLess(Decoder):
    def __init__(self, d_model, d_memory, num_heads, d_hidden):
        super().__init__(d_model, d_memory, num_heads, d_hidden)
        for norm in (self.norm_1, self.norm_2, self.norm_3):
            norm.eps = 1e-6


@exercise.misconception(
    "A position is seen where either mask allows it: earlier padding, and later tokens. It is to "
    "be seen where both do."
)
class JoinsTheMasksByOr(Decoder):
    def seen(self, x, mask):
        causal = super().seen(x, None)
        return causal if mask is None else causal | mask


@exercise.misconception(
    "Each position sees itself in your self-attention, also where it is padding. Was that to keep "
    "rows from being empty? Attention returns zeros for those."
)
class OpensTheDiagonal(Decoder):
    def seen(self, x, mask):
        return super().seen(x, mask) | torch.eye(x.size(1), dtype=torch.bool, device=x.device)


@exercise.misconception(
    "The paths past the parts are missing: each part's result is to be added to its input."
)
class ForgetsTheSums(Decoder):
    def added(self, norm, x, part):
        return part(norm(x))


@exercise.misconception("What self-attention finds takes the place of x. It is to be added to x.")
class LeavesOutTheFirstSum(Decoder):
    def ask_itself(self, x, mask):
        normed = self.norm_1(x)
        return self.attend_self(normed, normed, self.seen(x, mask))


@exercise.misconception(
    "What is found in the memory takes the place of the sum so far. It is to be added."
)
class LeavesOutTheSecondSum(Decoder):
    def ask_memory(self, x, memory, mask):
        return self.attend_memory(self.norm_2(x), memory, mask)


@exercise.misconception(
    "The last sum is missing: what the two linear layers return is added to what came before them."
)
class LeavesOutTheThirdSum(Decoder):
    def transform(self, x):
        return self.W_2(self.bend(self.W_1(self.norm_3(x))))


@exercise.misconception(
    "`norm_1` normalises what goes into the cross-attention, too. Each part has a norm of its own, "
    "with its own weight and bias."
)
class NormalisesTwiceWithTheFirst(Decoder):
    def ask_memory(self, x, memory, mask):
        return self.added(self.norm_1, x, lambda y: self.attend_memory(y, memory, mask))


@exercise.misconception(
    "`norm_2` normalises what goes into the two linear layers, too. Each part has a norm of its "
    "own, with its own weight and bias."
)
class NormalisesTwiceWithTheSecond(Decoder):
    def transform(self, x):
        return self.added(self.norm_2, x, lambda y: (self.W_2(self.bend(self.W_1(y))), None))[0]


@exercise.misconception(
    "`norm_1` is used in all three parts. Each has a norm of its own, with its own weight and bias."
)
class NormalisesAllWithTheFirst(NormalisesTwiceWithTheFirst):
    def transform(self, x):
        return self.added(self.norm_1, x, lambda y: (self.W_2(self.bend(self.W_1(y))), None))[0]


@exercise.misconception(
    "The target's padding takes the place of the causal mask, where it is given. Both apply: a "
    "position is seen if neither hides it."
)
class TakesEitherMask(Decoder):
    def seen(self, x, mask):
        return super().seen(x, None) if mask is None else mask


@exercise.misconception(
    "Cross-attention gets x as it came in. It is to ask with what self-attention has found."
)
class AsksWithTheInput(Decoder):
    def forward(self, x, memory, mask=None, memory_mask=None):
        found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        return self.transform(self.ask_itself(x, mask)[0] + found), weights


@exercise.misconception(
    "Cross-attention comes before self-attention. In which order do the three parts stand?"
)
class AttendsAcrossFirst(Decoder):
    def forward(self, x, memory, mask=None, memory_mask=None):
        x, weights = self.ask_memory(x, memory, memory_mask)
        return self.transform(self.ask_itself(x, mask)[0]), weights


@exercise.misconception(
    "Self-attention asks with the normalised x, but its keys and values are made of x as it is. "
    "In self-attention both are the same."
)
class NormalisesTheQueriesOnly(Decoder):
    def ask_itself(self, x, mask):
        return self.added(self.norm_1, x, lambda y: self.attend_self(y, x, self.seen(x, mask)))


@exercise.misconception("What goes into the two linear layers was not normalised.")
class ForgetsTheLastNorm(Decoder):
    def transform(self, x):
        return x + self.W_2(self.bend(self.W_1(x)))


@exercise.misconception("Between W_1 and W_2 nothing is bent: two linear maps in a row are one.")
class ForgetsTheRelu(Decoder):
    def bend(self, x):
        return x


@exercise.misconception("Between W_1 and W_2 you use GELU. Asked for is ReLU.")
class UsesGelu(Decoder):
    def bend(self, x):
        return F.gelu(x)


@exercise.misconception(
    "You return the weights of self-attention. Asked for are those over the memory."
)
class ReturnsTheOtherWeights(Decoder):
    def forward(self, x, memory, mask=None, memory_mask=None):
        x, weights = self.ask_itself(x, mask)
        return self.transform(self.ask_memory(x, memory, memory_mask)[0]), weights
