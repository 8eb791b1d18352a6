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
    "Self-attention sees later positions. Which mask does the layer have to add itself?")
right.mistake("ForgetsTheTargetsPadding", {" if mask is None else causal & mask": ""},
    "The target's padding is not masked in self-attention: `mask` is to hide it.")
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
    "You normalise after each sum (post-norm). Asked for is pre-norm: what goes into a part is "
    "normalised, the sum is not.")
right.mistake("AddsToTheNormalised",
    {"x = x + self.attend_self": "x = normed + self.attend_self",
     "found, weights": "x = self.norm_2(x)\n        found, weights",
     "self.norm_2(x)": "x",
     "return": "x = self.norm_3(x)\n        return",
     "self.norm_3(x)": "x"},
    "You add to the normalised input. The path past a part is the plain sum so far.")
right.mistake("AddsToTheFirstNorm", {"x = x + self.attend_self": "x = normed + self.attend_self"},
    "In self-attention you add what was found to the normalised x. The path past a part is x "
    "itself.")
right.mistake("AddsALittleLess", {"nn.LayerNorm(d_model)": "nn.LayerNorm(d_model, eps=1e-6)"},
    "Off by a little, and by more where a row of x varies little: what is added to the variance is "
    "another number than asked for. Which `eps` has `nn.LayerNorm` if nothing is said?")
right.mistake("JoinsTheMasksByOr", {"causal & mask": "causal | mask"},
    "A position is seen where either mask allows it: earlier padding, and later tokens. It is to "
    "be seen where both do.")
right.mistake("OpensTheDiagonal",
    {"normed =":
        "seen = seen | torch.eye(x.size(1), dtype=torch.bool, device=x.device)\n"
        "        normed ="},
    "Each position sees itself in your self-attention, also where it is padding. Was that to keep "
    "rows from being empty? Attention returns zeros for those.")
right.mistake("ForgetsTheSums",
    {"x = x + self.attend_self": "x = self.attend_self",
     "x = x + found": "x = found",
     "return x + self": "return self"},
    "The paths past the parts are missing: each part's result is to be added to its input.")
right.mistake("LeavesOutTheFirstSum", {"x = x + self.attend_self": "x = self.attend_self"},
    "What self-attention finds takes the place of x. It is to be added to x.")
right.mistake("LeavesOutTheSecondSum", {"x = x + found": "x = found"},
    "What is found in the memory takes the place of the sum so far. It is to be added.")
right.mistake("LeavesOutTheThirdSum", {"return x + self": "return self"},
    "The last sum is missing: what the two linear layers return is added to what came before them.")
right.mistake("NormalisesTwiceWithTheFirst", {"self.norm_2(x)": "self.norm_1(x)"},
    "`norm_1` normalises what goes into the cross-attention, too. Each part has a norm of its own, "
    "with its own weight and bias.")
right.mistake("NormalisesTwiceWithTheSecond", {"self.norm_3(x)": "self.norm_2(x)"},
    "`norm_2` normalises what goes into the two linear layers, too. Each part has a norm of its "
    "own, with its own weight and bias.")
right.mistake("NormalisesAllWithTheFirst",
    {"self.norm_2(x)": "self.norm_1(x)", "self.norm_3(x)": "self.norm_1(x)"},
    "`norm_1` is used in all three parts. Each has a norm of its own, with its own weight and "
    "bias.")
right.mistake("TakesEitherMask", {"causal & mask": "mask"},
    "The target's padding takes the place of the causal mask, where it is given. Both apply: a "
    "position is seen if neither hides it.")
right.mistake("AsksWithTheInput",
    {"normed =":
        "found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)\n"
        "        normed =",
     "        found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)\n": ""},
    "Cross-attention gets x as it came in. It is to ask with what self-attention has found.")
right.mistake("AttendsAcrossFirst",
    {"normed = self.norm_1(x)\n"
     "        x = x + self.attend_self(normed, normed, seen)[0]\n"
     "        ": "",
     "x = x + found\n":
        "x = x + found\n"
        "        normed = self.norm_1(x)\n"
        "        x = x + self.attend_self(normed, normed, seen)[0]\n"},
    "Cross-attention comes before self-attention. In which order do the three parts stand?")
right.mistake("NormalisesTheQueriesOnly", {"normed, normed": "normed, x"},
    "Self-attention asks with the normalised x, but its keys and values are made of x as it is. In "
    "self-attention both are the same.")
right.mistake("ForgetsTheLastNorm", {"self.norm_3(x)": "x"},
    "What goes into the two linear layers was not normalised.")
right.mistake("ForgetsTheRelu", {"F.relu(self.W_1(self.norm_3(x)))": "self.W_1(self.norm_3(x))"},
    "Between W_1 and W_2 nothing is bent: two linear maps in a row are one.")
right.mistake("UsesGelu", {"relu": "gelu"},
    "Between W_1 and W_2 you use GELU. Asked for is ReLU.")
right.mistake("ReturnsTheOtherWeights",
    {"x = x + self.attend_self(normed, normed, seen)[0]":
        "found, weights = self.attend_self(normed, normed, seen)\n"
        "        x = x + found",
     "found, weights =": "found, _ ="},
    "You return the weights of self-attention. Asked for are those over the memory.")
