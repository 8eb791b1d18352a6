"""Known mistakes of `TransformerBlock` in one of its two forms, and what all its mistakes share."""

import torch.nn.functional as F
from torch import nn

from .SelfAttention import SelfAttention
from .TransformerBlock import exercise


class Block(nn.Module):
    """What the wrong blocks have in common: they differ from this in one method."""

    def __init__(self, d_model, num_heads, d_hidden, norm_first):
        super().__init__()
        self.norm_first = norm_first
        self.attend = SelfAttention(d_model, num_heads)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)

    def added(self, norm, x, part):
        return x + part(norm(x)) if self.norm_first else norm(x + part(x))

    def bend(self, x):
        return F.relu(x)

    def transform(self, x):
        return self.W_2(self.bend(self.W_1(x)))

    def look(self, x, mask):
        return self.attend(x, mask)

    def first(self, x, mask):
        return self.added(self.norm_1, x, lambda y: self.look(y, mask))

    def second(self, x):
        return self.added(self.norm_2, x, self.transform)

    def forward(self, x, mask=None):
        return self.second(self.first(x, mask))


@exercise.misconception(
    "Pre-norm is right. In post-norm you use `norm_1` twice: the second sum has a norm of its own."
)
class FirstNormTwiceInPostNorm(Block):
    def second(self, x):
        return super().second(x) if self.norm_first else self.norm_1(x + self.transform(x))


@exercise.misconception("Pre-norm is right. In post-norm attention is not told the mask.")
class MaskNotPassedInPostNorm(Block):
    def look(self, x, mask):
        return self.attend(x, mask if self.norm_first else None)


@exercise.misconception(
    "Post-norm is right. In pre-norm the MLP reads x as it was before attention. What has "
    "attention found by the time the MLP's line begins?"
)
class MlpReadsTheInputInPreNorm(Block):
    def forward(self, x, mask=None):
        if not self.norm_first:
            return super().forward(x, mask)
        return x + self.attend(self.norm_1(x), mask) + self.transform(self.norm_2(x))


@exercise.misconception(
    "Post-norm is right. In pre-norm what the MLP finds is added to the block's input: on that "
    "path nothing is left of what attention found."
)
class SecondSumToTheInputInPreNorm(Block):
    def forward(self, x, mask=None):
        if not self.norm_first:
            return super().forward(x, mask)
        return x + self.transform(self.norm_2(self.first(x, mask)))


@exercise.misconception(
    "Post-norm is right. In pre-norm you use `norm_1` twice: what goes into the MLP has a norm of "
    "its own."
)
class FirstNormTwiceInPreNorm(Block):
    def second(self, x):
        return x + self.transform(self.norm_1(x)) if self.norm_first else super().second(x)


@exercise.misconception("Post-norm is right. In pre-norm attention is not told the mask.")
class MaskNotPassedInPreNorm(Block):
    def look(self, x, mask):
        return self.attend(x, None if self.norm_first else mask)


@exercise.misconception(
    "Pre-norm is right. In post-norm `norm_1` and `norm_2` have changed places. Which of them "
    "belongs to the attention?"
)
class NormsChangePlacesInPostNorm(Block):
    def forward(self, x, mask=None):
        if self.norm_first:
            return super().forward(x, mask)
        between = self.norm_2(x + self.attend(x, mask))
        return self.norm_1(between + self.transform(between))


@exercise.misconception(
    "Post-norm is right. In pre-norm `norm_1` and `norm_2` have changed places. Which of them "
    "belongs to the attention?"
)
class NormsChangePlacesInPreNorm(Block):
    def forward(self, x, mask=None):
        if not self.norm_first:
            return super().forward(x, mask)
        between = x + self.attend(self.norm_2(x), mask)
        return between + self.transform(self.norm_1(between))


@exercise.misconception(
    "`norm_2` is used for both parts. Each has a norm of its own, with its own weight and bias."
)
class SecondNormForBoth(Block):
    def first(self, x, mask):
        return self.added(self.norm_2, x, lambda y: self.look(y, mask))


@exercise.misconception(
    "Both names stand for one norm, so loading the weights of the second overwrites the first. "
    "Make two norms."
)
class OneNormOfTwoNames(Block):
    def __init__(self, d_model, num_heads, d_hidden, norm_first):
        super().__init__(d_model, num_heads, d_hidden, norm_first)
        self.norm_2 = self.norm_1


@exercise.misconception(
    "In pre-norm the last sum is normalised once more. A pre-norm block returns the plain sum."
)
class NormAfterTheLastSum(Block):
    def second(self, x):
        return self.norm_2(super().second(x)) if self.norm_first else super().second(x)


@exercise.misconception(
    "What goes into the attention is not normalised in pre-norm. `norm_1` has a part of its own."
)
class ForgetsTheFirstNorm(Block):
    def first(self, x, mask):
        return x + self.look(x, mask) if self.norm_first else super().first(x, mask)


@exercise.misconception(
    "Pre-norm is right. In post-norm the sum after the attention is not normalised."
)
class ForgetsTheFirstNormInPostNorm(Block):
    def first(self, x, mask):
        return super().first(x, mask) if self.norm_first else x + self.look(x, mask)


@exercise.misconception("Pre-norm is right. In post-norm the sum after the MLP is not normalised.")
class ForgetsTheSecondNormInPostNorm(Block):
    def second(self, x):
        return super().second(x) if self.norm_first else x + self.transform(x)


@exercise.misconception(
    "Post-norm is right. In pre-norm the path past the MLP is missing: add the MLP's output to the "
    "sum so far."
)
class NoPathPastTheMlpInPreNorm(Block):
    def second(self, x):
        return self.transform(self.norm_2(x)) if self.norm_first else super().second(x)


@exercise.misconception(
    "Post-norm is right. In pre-norm the path past the attention is missing: add its output to x."
)
class NoPathPastTheAttentionInPreNorm(Block):
    def first(self, x, mask):
        return self.look(self.norm_1(x), mask) if self.norm_first else super().first(x, mask)


@exercise.misconception(
    "Pre-norm is right. In post-norm the path past the MLP is missing: add the MLP's output to the "
    "sum so far."
)
class NoPathPastTheMlpInPostNorm(Block):
    def second(self, x):
        return super().second(x) if self.norm_first else self.norm_2(self.transform(x))


@exercise.misconception(
    "Pre-norm is right. In post-norm the path past the attention is missing: add its output to x."
)
class NoPathPastTheAttentionInPostNorm(Block):
    def first(self, x, mask):
        return super().first(x, mask) if self.norm_first else self.norm_1(self.look(x, mask))
