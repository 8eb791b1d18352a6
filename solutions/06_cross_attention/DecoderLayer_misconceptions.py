"""Known mistakes of `DecoderLayer`."""

import torch
import torch.nn.functional as F
from torch import nn

from .CrossAttention_misconceptions import Attention
from .DecoderLayer import exercise


class Right(nn.Module):
    def __init__(self, d_model, d_memory, num_heads, d_hidden):
        super().__init__()
        self.attend_self = Attention(d_model, d_model, num_heads)
        self.attend_memory = Attention(d_model, d_memory, num_heads)
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        causal = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).tril()
        seen = causal if mask is None else causal & mask  # [..., queries, queries]
        normed = self.norm_1(x)
        x = x + self.attend_self(normed, normed, seen)[0]
        found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        x = x + found
        return x + self.W_2(F.relu(self.W_1(self.norm_3(x)))), weights


right = exercise.base(Right)


# fmt: off
right.mistake("ForgetsTheCausalMask", {"normed, seen": "normed, mask"},
    "Self-attention sees later positions. Which mask does the layer have to build itself?")
right.mistake("ForgetsTheTargetsPadding", {" if mask is None else causal & mask": ""},
    "The target's padding is not masked in self-attention. `mask` should hide it.")
right.mistake("ForgetsTheMemoryMask", {"memory, memory_mask)": "memory)"},
    "The memory's padding is not masked. Where does `memory_mask` have to go?")
right.mistake("NormalisesAfterEachSum",
    {"normed = self.norm_1(x)\n"
     "        x = x + self.attend_self(normed, normed, seen)[0]":
        "x = self.norm_1(x + self.attend_self(x, x, seen)[0])",
     "self.norm_2(x)": "x",
     "x = x + found": "x = self.norm_2(x + found)",
     "x + self.W_2(F.relu(self.W_1(self.norm_3(x))))":
        "self.norm_3(x + self.W_2(F.relu(self.W_1(x))))"},
    "You normalise after each sum (post-norm). The exercise asks for pre-norm: the input of a "
    "part is normalised, but the sum is not.")
right.mistake("AddsToTheNormalised",
    {"x = x + self.attend_self": "x = normed + self.attend_self",
     "found, weights": "x = self.norm_2(x)\n        found, weights",
     "self.norm_2(x)": "x",
     "return": "x = self.norm_3(x)\n        return",
     "self.norm_3(x)": "x"},
    "You add to the normalised input. The path past a part carries the sum so far, not normalised.")
right.mistake("AddsToTheFirstNorm", {"x = x + self.attend_self": "x = normed + self.attend_self"},
    "In self-attention you add the result to the normalised x. The path past a part carries x "
    "itself.")
right.mistake("AddsALittleLess", {"nn.LayerNorm(d_model)": "nn.LayerNorm(d_model, eps=1e-6)"},
    "The result is off by a little, and by more where a row of x varies little: the number added "
    "to the variance is not the right one. Which `eps` does `nn.LayerNorm` have by default?")
right.mistake("JoinsTheMasksByOr", {"causal & mask": "causal | mask"},
    "A position is seen where either mask allows it: earlier padding, and later tokens. It should "
    "be seen only where both allow it.")
right.mistake("OpensTheDiagonal",
    {"normed =":
        "seen = seen | torch.eye(x.size(1), dtype=torch.bool, device=x.device)\n"
        "        normed ="},
    "Each position sees itself in your self-attention, even where it is padding. Was that meant "
    "to keep rows from being empty? Attention returns zeros for empty rows.")
right.mistake("ForgetsTheSums",
    {"x = x + self.attend_self": "x = self.attend_self",
     "x = x + found": "x = found",
     "return x + self": "return self"},
    "The paths past the parts are missing: each part's result should be added to its input.")
right.mistake("LeavesOutTheFirstSum", {"x = x + self.attend_self": "x = self.attend_self"},
    "The result of self-attention replaces x. It should be added to x.")
right.mistake("LeavesOutTheSecondSum", {"x = x + found": "x = found"},
    "The result of cross-attention replaces the sum so far. It should be added to it.")
right.mistake("LeavesOutTheThirdSum", {"return x + self": "return self"},
    "The last sum is missing: the result of the two linear layers should be added to the sum so "
    "far.")
right.mistake("NormalisesTwiceWithTheFirst", {"self.norm_2(x)": "self.norm_1(x)"},
    "`norm_1` also normalises the input of the cross-attention. Each part has its own norm, with "
    "its own weight and bias.")
right.mistake("NormalisesTwiceWithTheSecond", {"self.norm_3(x)": "self.norm_2(x)"},
    "`norm_2` also normalises the input of the two linear layers. Each part has its own norm, "
    "with its own weight and bias.")
right.mistake("NormalisesAllWithTheFirst",
    {"self.norm_2(x)": "self.norm_1(x)", "self.norm_3(x)": "self.norm_1(x)"},
    "`norm_1` is used in all three parts. Each part has its own norm, with its own weight and "
    "bias.")
right.mistake("TakesEitherMask", {"causal & mask": "mask"},
    "Where padding of the target is given, its mask replaces the causal mask. Both apply: a "
    "position is seen only if neither hides it.")
right.mistake("AsksWithTheInput",
    {"normed =":
        "found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)\n"
        "        normed =",
     "        found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)\n": ""},
    "Cross-attention gets the original x. Its queries should come from the sum after "
    "self-attention.")
right.mistake("AttendsAcrossFirst",
    {"normed = self.norm_1(x)\n"
     "        x = x + self.attend_self(normed, normed, seen)[0]\n"
     "        ": "",
     "x = x + found\n":
        "x = x + found\n"
        "        normed = self.norm_1(x)\n"
        "        x = x + self.attend_self(normed, normed, seen)[0]\n"},
    "Cross-attention comes before self-attention. In which order should the three parts come?")
right.mistake("NormalisesTheQueriesOnly", {"normed, normed": "normed, x"},
    "In self-attention the queries come from the normalised x, but keys and values come from x "
    "itself. In self-attention all three have the same input.")
right.mistake("ForgetsTheLastNorm", {"self.norm_3(x)": "x"},
    "The input of the two linear layers is not normalised.")
right.mistake("ForgetsTheRelu", {"F.relu(self.W_1(self.norm_3(x)))": "self.W_1(self.norm_3(x))"},
    "There is no nonlinearity between W_1 and W_2, so the two linear maps amount to one.")
right.mistake("UsesGelu", {"relu": "gelu"},
    "Between W_1 and W_2 you use GELU. The exercise asks for ReLU.")
right.mistake("ReturnsTheOtherWeights",
    {"x = x + self.attend_self(normed, normed, seen)[0]":
        "found, weights = self.attend_self(normed, normed, seen)\n"
        "        x = x + found",
     "found, weights =": "found, _ ="},
    "You return the weights of self-attention. The exercise asks for those over the memory.")
