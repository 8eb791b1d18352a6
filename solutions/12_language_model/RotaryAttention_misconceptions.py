"""Known mistakes of `RotaryAttention`."""

import math

import torch
from torch import nn

from .RotaryAttention import exercise


class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def turned(self, x, way=1.0):
        d_k = x.size(-1)
        doubled = torch.arange(0, d_k, 2, dtype=torch.float64, device=x.device)
        at = torch.arange(x.size(-2), device=x.device)[:, None]
        angles = at / 10000.0 ** (doubled / d_k)  # [length, pairs]
        cos, sin = angles.cos(), (way * angles).sin()
        u, v = x[..., 0::2], x[..., 1::2]
        return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(-2).to(x.dtype)

    def forward(self, x):
        packed = self.W_qkv(x).unflatten(-1, (3, self.num_heads, -1))
        query, key, value = packed.permute(2, 0, 3, 1, 4)  # [batch, heads, length, d_k]
        query, key = self.turned(query), self.turned(key)
        scores = query @ key.mT / query.size(-1) ** 0.5
        later = torch.ones_like(scores, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(later, -math.inf).softmax(dim=-1)
        found = (weights @ value).transpose(1, 2).flatten(2)
        return self.W_o(found)


right = exercise.base(Attention)
TURNS = "query, key = self.turned(query), self.turned(key)"
ANGLES = "angles = at / 10000.0 ** (doubled / d_k)"
PAIRS = "torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(-2)"


# fmt: off
right.mistake("TurnsNothing", {TURNS: "query, key = query, key"},
    "The scores are those of queries and keys that are not turned, or that all turn by the same "
    "angle in a head. Do you use what you turned? Do positions count along the length, or along "
    "the heads or the batch?")
right.mistake("TurnsQueriesOnly", {TURNS: "query = self.turned(query)"},
    "Only the queries are turned. A score depends on the distance only if both sides are turned.")
right.mistake("TurnsKeysOnly", {TURNS: "key = self.turned(key)"},
    "Only the keys are turned. A score depends on the distance only if both sides are turned.")
right.mistake("TurnsValues", {"weights @ value": "weights @ self.turned(value)"},
    "The values are turned as well. Which of the three does the text turn?")
right.mistake("TurnsValuesForKeys",
    {TURNS: "query, value = self.turned(query), self.turned(value)"},
    "You turn the queries and the values. Scores compare queries with keys; values are averaged.")
right.mistake("TurnsTheInput", {"self.W_qkv(x)": "self.W_qkv(self.turned(x))", TURNS: ""},
    "You turn x before `W_qkv`. The matrices mix the entries of a pair, and the values come from x "
    "too. What does the text turn?")
right.mistake("TurnsTheInputAsWell", {"self.W_qkv(x)": "self.W_qkv(self.turned(x))"},
    "You turn x and then the queries and keys once more. How often does the text turn?")
right.mistake("TurnsBeforeTheHeads",
    {"self.W_qkv(x).unflatten(-1, (3, self.num_heads, -1))":
        "self.W_qkv(x).unflatten(-1, (3, -1))\n"
        "        packed = torch.cat([self.turned(part) for part in packed[:, :, :2].unbind(2)] +\n"
        "                           [packed[:, :, 2]], dim=-1).unflatten(-1, (3, -1))\n"
        "        packed = packed.unflatten(-1, (self.num_heads, -1))",
     TURNS: ""},
    "Angles are those of one vector of width d_model. Is the vector that you turn already that of "
    "one head? Print its shape.")
right.mistake("TurnsAllThreeAtOnce",
    {"self.W_qkv(x)": "self.turned(self.W_qkv(x))", TURNS: ""},
    "You turn the whole output of `W_qkv`, values included, and the angles are those of a vector "
    "of width 3 d_model. Which parts are to be turned, and how wide is each?")
right.mistake("TurnsTheOtherWay", {"way * angles": "-way * angles"},
    "Queries and keys turn the other way, as if the positions ran backwards. Check the signs of "
    "the two sines, and that cosine and sine are not exchanged.")
right.mistake("TurnsQueriesBack", {"self.turned(query),": "self.turned(query, -1.0),"},
    "The queries turn the other way than the keys, so a score depends on the sum of two positions. "
    "Turn both alike.")
right.mistake("TurnsKeysBack", {"self.turned(key)": "self.turned(key, -1.0)"},
    "The keys turn the other way than the queries, so a score depends on the sum of two positions. "
    "Turn both alike.")
right.mistake("TurnsTwice",
    {"= angles.cos(), (way * angles)": "= (2 * angles).cos(), (2 * angles)"},
    "Everything is turned by twice the angle. Does your code turn two times, or double a number "
    "that is 2r already?")
right.mistake("PairsTheHalves",
    {"u, v = x[..., 0::2], x[..., 1::2]": "u, v = x.chunk(2, dim=-1)",
     PAIRS: "torch.cat([u * cos - v * sin, u * sin + v * cos], dim=-1)"},
    "You pair entry r with entry r + d_k/2, as some libraries do. Which entry is the neighbour of "
    "entry 0?")
right.mistake("PairsTheHalvesAndTurnsBack",
    {"way * angles": "-way * angles",
     "u, v = x[..., 0::2], x[..., 1::2]": "u, v = x.chunk(2, dim=-1)",
     PAIRS: "torch.cat([u * cos - v * sin, u * sin + v * cos], dim=-1)"},
    "You pair entry r with entry r + d_k/2 and turn the other way, too. Look at the formula of the "
    "text again: at its indices and at its signs.")
right.mistake("MixesTwoLayouts",
    {"u, v = x[..., 0::2], x[..., 1::2]":
        "cos, sin = cos.repeat_interleave(2, -1), sin.repeat_interleave(2, -1)\n"
        "        u, v = x.chunk(2, dim=-1)",
     PAIRS: "(x * cos + torch.cat([-v, u], dim=-1) * sin)"},
    "An entry's partner is in the other half, but its angle is that of its neighbour. Which "
    "entries form a pair, and do both get the same angle?")
right.mistake("LaysOutTheAnglesInHalves",
    {"u, v = x[..., 0::2], x[..., 1::2]":
        "cos, sin = cos.repeat(1, 2), sin.repeat(1, 2)\n"
        "        u, v = x[..., 0::2], x[..., 1::2]",
     PAIRS: "(x * cos + torch.stack([-v, u], dim=-1).flatten(-2) * sin)"},
    "You pair neighbours, but the angles are laid out in two halves, as by `torch.cat([angles, "
    "angles], -1)`. Which two columns should share an angle?")
right.mistake("HasTheSameSignTwice", {"u * cos - v * sin": "u * cos + v * sin"},
    "Both entries of a pair get the sine with the same sign. A turn keeps the length of a pair. "
    "Does yours?")
right.mistake("UsesTheNewValue",
    {PAIRS: "torch.stack([(w := u * cos - v * sin), w * sin + v * cos], dim=-1).flatten(-2)"},
    "The second entry of a pair is made from the new value of the first. Both need the old values.")
right.mistake("HalvesTheExponent", {"doubled / d_k": "doubled / 2 / d_k"},
    "The exponent is r / d_k for pair r. What does the formula have instead of r?")
right.mistake("DoublesTheExponent", {"doubled / d_k": "2 * doubled / d_k"},
    "The exponent is twice that of the formula. If your numbers go 0, 2, 4, they are 2r already.")
right.mistake("ForgetsTheExponent", {" ** (doubled / d_k)": " ** (0 * doubled)", "10000.0": "1.0"},
    "All pairs turn by the same angle. Each pair has its own: where does r come in?")
right.mistake("DividesByTheBase", {" ** (doubled / d_k)": " ** (0 * doubled + 1)"},
    "Every angle is the position divided by 10000. The base has an exponent, which depends on the "
    "pair.")
right.mistake("MultipliesByTheBase", {"at / ": "at * "},
    "Later pairs turn faster than earlier ones. Does your formula multiply by the power of the "
    "base, or divide by it?")
right.mistake("MultipliesByTheExponent", {" ** (doubled / d_k)": " * (doubled + 1)"},
    "The base is multiplied by a number for each pair. In the formula that number is an exponent.")
right.mistake("SpreadsTheExponentsToOne",
    {"doubled / d_k": "doubled / max(d_k - 2, 1)"},
    "Your last pair has the divisor 10000. What is 2r / d_k for the last pair?")
right.mistake("BeginsWithPairOne", {"doubled / d_k": "(doubled + 2) / d_k"},
    "Each pair turns as the next one should. The first pair has r = 0. What is its angle at "
    "position 3?")
right.mistake("BaseOfAnotherModel", {"10000.0": "500000.0"},
    "The base is 500000, as in some later models. The text gives another.")
right.mistake("BaseOfAThousand", {"10000.0": "1000.0"},
    "The base is 1000. Compare it with that of the text.")
right.mistake("TurnsBeforeTheAxesAreExchanged",
    {"query, key, value = packed.permute(2, 0, 3, 1, 4)": "query, key, value = packed.unbind(2)",
     TURNS:
        "steps = torch.arange(x.size(1), device=x.device)[:, None]\n"
        "        rates = 10000.0 ** (-torch.arange(0, query.size(-1), 2, device=x.device)\n"
        "                            / query.size(-1))\n"
        "        wheel = torch.polar(torch.ones_like(steps * rates), steps * rates)\n"
        "        pair = torch.stack([query, key]).unflatten(-1, (-1, 2))\n"
        "        pair = torch.view_as_real(torch.view_as_complex(pair) * wheel).flatten(-2)\n"
        "        query, key, value = (p.transpose(1, 2) for p in (*pair, value))"},
    "Length and heads are not exchanged when you turn: of (batch, length, heads, d_k) the last "
    "axis but one is that of the heads. Where do you exchange the two axes?")
right.mistake("ForgetsTheCausalMask", {"scores.masked_fill(later, -math.inf)": "scores"},
    "Positions see later ones. A causal model must not. Where is the mask?")
right.mistake("HidesTheOwnKey", {"triu(1)": "triu(0)"},
    "A position does not see itself, and the first sees nothing, so its output is NaN. On which "
    "diagonal does your mask begin?")
right.mistake("HidesTheOwnKeyButNotTheFirst",
    {"triu(1)": "triu(0)\n        later[..., 0, 0] = False"},
    "A position does not see itself, except for the first. On which diagonal does your mask begin?")
right.mistake("OpensOneKeyTooMany", {"triu(1)": "triu(2)"},
    "Each position sees the one after it. On which diagonal does your mask begin?")
right.mistake("LooksAheadOnly", {"triu(1)": "tril(-1)"},
    "Each position sees itself and what comes later, and nothing earlier. If you gave a mask to "
    "`scaled_dot_product_attention`: True means \"may attend\" there.")
right.mistake("MasksWithZeros",
    {"scores.masked_fill(later, -math.inf)": "scores.masked_fill(later, 0.0)"},
    "The scores of later positions are 0, and after the softmax they have weight. What number has "
    "the exponential 0?")
right.mistake("MasksAfterTheSoftmax",
    {"scores.masked_fill(later, -math.inf).softmax(dim=-1)":
        "scores.softmax(dim=-1).masked_fill(later, 0.0)"},
    "The weights of a row sum to less than 1, because later keys are removed after the softmax.")
right.mistake("NormalisesOverTheQueries", {"softmax(dim=-1)": "softmax(dim=-2)"},
    "The softmax runs over the queries. Which axis of the scores are the keys?")
right.mistake("ForgetsToScale", {" / query.size(-1) ** 0.5": ""},
    "The scores are not divided by the root of d_k.")
right.mistake("ScalesByDModel", {"query.size(-1) **": "x.size(-1) **"},
    "You divide the scores by the root of d_model. How wide are the vectors of one head?")
right.mistake("DividesByDk", {" / query.size(-1) ** 0.5": " / query.size(-1)"},
    "You divide the scores by d_k, or by its root two times: `scaled_dot_product_attention` "
    "divides by the root itself.")
right.mistake("ForgetsWO", {"self.W_o(found)": "found"},
    "The output of the heads is returned as it is. What is `W_o` for?")
right.mistake("MergesWithoutATranspose",
    {".transpose(1, 2).flatten(2)": ".reshape(x.shape)"},
    "The heads are put together without a transpose: a row of the result has parts of several "
    "positions. Which axes have to be side by side before you flatten?")
right.mistake("MergesTheHeadsInterleaved",
    {".transpose(1, 2).flatten(2)": ".permute(0, 2, 3, 1).flatten(2)"},
    "The entries of the heads alternate in the merged vector. Each head's entries stay together, "
    "head after head.")
right.mistake("SplitsWithoutATranspose",
    {"unflatten(-1, (3, self.num_heads, -1))": "chunk(3, dim=-1)",
     "packed.permute(2, 0, 3, 1, 4)":
        "(part.reshape(len(x), self.num_heads, x.size(1), -1) for part in packed)"},
    "The heads are cut with `view` or `reshape` alone, so a head has parts of several positions. "
    "Split the last axis first, and then exchange two axes.")
right.mistake("SplitsTheHeadsInterleaved",
    {"(3, self.num_heads, -1)": "(3, -1, self.num_heads)",
     "packed.permute(2, 0, 3, 1, 4)": "packed.permute(2, 0, 4, 1, 3)"},
    "Entry 0 goes to head 0, entry 1 to head 1, and so on. The first d_k entries belong to head 0.")
right.mistake("PacksEachHead",
    {"(3, self.num_heads, -1)": "(self.num_heads, 3, -1)",
     "packed.permute(2, 0, 3, 1, 4)": "packed.permute(3, 0, 2, 1, 4)"},
    "You read the rows of `W_qkv` as query, key and value of head 0, then those of head 1. All "
    "queries come first, then all keys, then all values.")
right.mistake("AttendsWithOneHead", {"(3, self.num_heads, -1)": "(3, 1, -1)"},
    "There is one head as wide as the model, whatever `num_heads` is.")
right.mistake("ExchangesQueriesAndKeys", {"query, key, value =": "key, query, value ="},
    "Queries and keys are exchanged. In `W_qkv` the queries come first.")
right.mistake("ExchangesKeysAndValues", {"query, key, value =": "query, value, key ="},
    "Keys and values are exchanged. In which order does the text name the three parts?")
right.mistake("ReadsTheThreePartsBackwards", {"query, key, value =": "value, key, query ="},
    "You read values, keys and queries, in this order. In which order does the text name them?")
right.mistake("AddsTheInput", {"return self.W_o(found)": "return x + self.W_o(found)"},
    "You add x to the output. The block around your attention adds it.")
right.mistake("CutsTheGradientOfTheTurn",
    {"def turned(self, x, way=1.0):": "def turned(self, x, way=1.0):\n        x = x.detach()"},
    "Queries and keys get no gradient. Is there a `detach`, a `no_grad` or `.data` where you turn?")
right.mistake("LeavesThePositionsOnTheCpu",
    {"at = torch.arange(x.size(-2), device=x.device)": "at = torch.arange(x.size(-2))",
     "dtype=torch.float64, device=x.device": "dtype=torch.float64"},
    "The positions are created on the CPU, wherever x is. Which argument of `torch.arange` "
    "prevents this?")
right.mistake("TurnsIntoFloat64", {".flatten(-2).to(x.dtype)": ".flatten(-2)"},
    "The angles are float64, and so are the turned queries and keys, which cannot be combined with "
    "values of float32. Round what you turned to the dtype of x.")
right.mistake("ReturnsTheWeights",
    {"return self.W_o(found)": "return self.W_o(found), weights"},
    "You return the weights as well. The exercise asks for the output alone.")
