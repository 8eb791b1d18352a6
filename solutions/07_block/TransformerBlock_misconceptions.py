"""Known mistakes of `TransformerBlock`."""

import torch
import torch.nn.functional as F

from .TransformerBlock import exercise
from .TransformerBlock_forms import Block


@exercise.misconception(
    "You add what was found to the *normalised* x, so that nothing goes past a part unchanged. In "
    "pre-norm, to what is it added?"
)
class AddsToTheNormalised(Block):
    def added(self, norm, x, part):
        if not self.norm_first:
            return super().added(norm, x, part)
        normed = norm(x)
        return normed + part(normed)


@exercise.misconception(
    "In the attention's line of pre-norm you add to the normalised x. The path past a part is the "
    "plain sum so far."
)
class AddsToTheFirstNorm(Block):
    def first(self, x, mask):
        if not self.norm_first:
            return super().first(x, mask)
        normed = self.norm_1(x)
        return normed + self.attend(normed, mask)


@exercise.misconception(
    "In the MLP's line of pre-norm you add to the normalised sum. The path past a part is the "
    "plain sum so far."
)
class AddsToTheSecondNorm(Block):
    def second(self, x):
        if not self.norm_first:
            return super().second(x)
        normed = self.norm_2(x)
        return normed + self.transform(normed)


@exercise.misconception(
    "`norm_1` is used for both parts. Each has a norm of its own, with its own weight and bias."
)
class OneNormForBoth(Block):
    def second(self, x):
        return self.added(self.norm_1, x, self.transform)


@exercise.misconception(
    "The MLP reads x as it was before attention, so both parts stand side by side. What has "
    "attention found by the time the MLP's line begins?"
)
class MlpReadsTheInput(Block):
    def forward(self, x, mask=None):
        if self.norm_first:
            return x + self.attend(self.norm_1(x), mask) + self.transform(self.norm_2(x))
        return self.norm_2(self.norm_1(x + self.attend(x, mask)) + self.transform(x))


@exercise.misconception(
    "What the MLP finds is added to the block's input: what attention found is lost on that path. "
    "Add it to the sum so far."
)
class SecondSumToTheInput(Block):
    def forward(self, x, mask=None):
        between = self.first(x, mask)
        if self.norm_first:
            return x + self.transform(self.norm_2(between))
        return self.norm_2(x + self.transform(between))


@exercise.misconception(
    "The MLP comes before the attention. In which order do the two lines of the formula stand?"
)
class MlpFirst(Block):
    def forward(self, x, mask=None):
        return self.first(self.second(x), mask)


@exercise.misconception(
    "Your block is post-norm whatever `norm_first` says. In pre-norm, what goes into a part is "
    "normalised, and the sum is not."
)
class AlwaysPostNorm(Block):
    def added(self, norm, x, part):
        return norm(x + part(x))


@exercise.misconception(
    "Pre-norm is right, and your block is pre-norm also where `norm_first` is False. There each "
    "sum is normalised, and nothing else."
)
class AlwaysPreNorm(Block):
    def added(self, norm, x, part):
        return x + part(norm(x))


@exercise.misconception(
    "Pre-norm and post-norm have changed places. Which of them normalises *first*?"
)
class TheOtherWayRound(Block):
    def added(self, norm, x, part):
        return norm(x + part(x)) if self.norm_first else x + part(norm(x))


@exercise.misconception(
    "Where `norm_first` is False you normalise what a part has found, before it is added. Asked "
    "for is the norm of the sum."
)
class NormalisesWhatWasFound(Block):
    def added(self, norm, x, part):
        return x + part(norm(x)) if self.norm_first else x + norm(part(x))


@exercise.misconception(
    "In pre-norm you normalise the sums, too. There the plain sum goes on from part to part; each "
    "norm is used once."
)
class NormalisesBeforeAndAfter(Block):
    def added(self, norm, x, part):
        return norm(x + part(norm(x))) if self.norm_first else norm(x + part(x))


@exercise.misconception(
    "Attention is not told the mask: every position sees every other. Which call needs it?"
)
class MaskNotPassed(Block):
    def look(self, x, mask):
        return self.attend(x)


@exercise.misconception(
    "You turn the mask round. Throughout, True means: may attend, and `attend` takes it so."
)
class MaskTurnedRound(Block):
    def look(self, x, mask):
        return self.attend(x, mask if mask is None else ~mask)


@exercise.misconception(
    "You add a causal mask. A block is told by its caller who may see whom: pass the mask as it is."
)
class AddsACausalMask(Block):
    def look(self, x, mask):
        causal = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).tril()
        return self.attend(x, causal if mask is None else causal & mask)


@exercise.misconception(
    "Where no mask is given you make a causal one. None means that every position may be attended "
    "to: pass it on as it is."
)
class CausalWithoutAMask(Block):
    def look(self, x, mask):
        causal = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).tril()
        return self.attend(x, causal if mask is None else mask)


@exercise.misconception(
    "`norm_1` and `norm_2` have changed places. Which of them belongs to the attention?"
)
class NormsChangePlaces(Block):
    def first(self, x, mask):
        return self.added(self.norm_2, x, lambda y: self.look(y, mask))

    def second(self, x):
        return self.added(self.norm_1, x, self.transform)


@exercise.misconception(
    "Nothing goes past a part: what attention and the MLP find takes the place of what came in. In "
    "both forms it is added to it."
)
class NoPathAtAll(Block):
    def added(self, norm, x, part):
        return part(norm(x)) if self.norm_first else norm(part(x))


@exercise.misconception(
    "What attention finds takes the place of x. The path past the attention is missing."
)
class NoPathPastTheAttention(Block):
    def first(self, x, mask):
        if self.norm_first:
            return self.attend(self.norm_1(x), mask)
        return self.norm_1(self.attend(x, mask))


@exercise.misconception(
    "What the MLP finds takes the place of the sum so far. The path past the MLP is missing."
)
class NoPathPastTheMlp(Block):
    def second(self, x):
        if self.norm_first:
            return self.transform(self.norm_2(x))
        return self.norm_2(self.transform(x))


@exercise.misconception(
    "What goes into the MLP is not normalised in pre-norm. `norm_2` has a part of its own."
)
class ForgetsTheSecondNorm(Block):
    def second(self, x):
        return x + self.transform(x) if self.norm_first else super().second(x)


@exercise.misconception(
    "Between W_1 and W_2 nothing is bent: two linear maps in a row are one. Where does ReLU stand?"
)
class ForgetsTheRelu(Block):
    def bend(self, x):
        return x


@exercise.misconception("Between W_1 and W_2 you use GELU. Asked for is ReLU.")
class UsesGelu(Block):
    def bend(self, x):
        return F.gelu(x)


@exercise.misconception(
    "ReLU comes after W_2, so that the MLP can only add. It stands between the two layers."
)
class BendsTheResult(Block):
    def transform(self, x):
        return F.relu(self.W_2(self.W_1(x)))


@exercise.misconception(
    "The MLP is bent before W_1, and its two layers are one. ReLU stands between them."
)
class BendsTheInput(Block):
    def transform(self, x):
        return self.W_2(self.W_1(F.relu(x)))


@exercise.misconception(
    "In pre-norm the MLP reads only what attention has found. What does norm_2 normalise in the "
    "formula?"
)
class MlpReadsOnlyWhatWasFound(Block):
    def forward(self, x, mask=None):
        if not self.norm_first:
            return super().forward(x, mask)
        found = self.attend(self.norm_1(x), mask)
        return x + found + self.transform(self.norm_2(found))


@exercise.misconception(
    "Your norms have another `eps` than torch's usual one, which rows of small numbers show. The "
    "table says which."
)
class AnotherEps(Block):
    def __init__(self, d_model, num_heads, d_hidden, norm_first):
        super().__init__(d_model, num_heads, d_hidden, norm_first)
        self.norm_1.eps = self.norm_2.eps = 1e-6


@exercise.misconception(
    "Your attention does not have `num_heads` heads, and no shape shows it. What is "
    "`SelfAttention` told?"
)
class OneHead(Block):
    def __init__(self, d_model, num_heads, d_hidden, norm_first):
        super().__init__(d_model, 1, d_hidden, norm_first)
