"""Known mistakes of `TransformerBlock`."""

import torch  # noqa: F401
import torch.nn.functional as F
from torch import nn

from .SelfAttention import SelfAttention
from .TransformerBlock import exercise


class Block(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, norm_first):
        super().__init__()
        self.norm_first = norm_first
        self.attend = SelfAttention(d_model, num_heads)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)

    def transform(self, x):
        return self.W_2(F.relu(self.W_1(x)))

    def forward(self, x, mask=None):
        if self.norm_first:
            between = x + self.attend(self.norm_1(x), mask)
            return between + self.transform(self.norm_2(between))
        between = self.norm_1(x + self.attend(x, mask))
        return self.norm_2(between + self.transform(between))


right = exercise.base(Block)


# fmt: off
right.mistake("FirstNormTwiceInPostNorm", {"self.norm_2(between +": "self.norm_1(between +"},
    "Pre-norm is right. In post-norm you use `norm_1` twice, but the second sum has its own norm.")
right.mistake("MaskNotPassedInPostNorm", {"self.attend(x, mask)": "self.attend(x)"},
    "Pre-norm is right. In post-norm the mask is not passed to attention.")
right.mistake("MlpReadsTheInputInPreNorm", {"self.norm_2(between))": "self.norm_2(x))"},
    "Post-norm is right. In pre-norm the MLP reads the original x. Which x should it read, now "
    "that attention has added its result?")
right.mistake("SecondSumToTheInputInPreNorm", {"return between +": "return x +"},
    "Post-norm is right. In pre-norm you add the MLP's result to the block's input, so the result "
    "of attention is lost on that path.")
right.mistake("FirstNormTwiceInPreNorm", {"self.norm_2(between))": "self.norm_1(between))"},
    "Post-norm is right. In pre-norm you use `norm_1` twice, but the input of the MLP has its own "
    "norm.")
right.mistake("MaskNotPassedInPreNorm", {"self.norm_1(x), mask": "self.norm_1(x)"},
    "Post-norm is right. In pre-norm the mask is not passed to attention.")
right.mistake("NormsChangePlacesInPostNorm",
    {"self.norm_1(x +": "self.norm_2(x +", "self.norm_2(between +": "self.norm_1(between +"},
    "Pre-norm is right. In post-norm `norm_1` and `norm_2` are exchanged. Which of them belongs "
    "to attention?")
right.mistake("NormsChangePlacesInPreNorm",
    {"self.norm_1(x)": "self.norm_2(x)", "self.norm_2(between))": "self.norm_1(between))"},
    "Post-norm is right. In pre-norm `norm_1` and `norm_2` are exchanged. Which of them belongs "
    "to attention?")
right.mistake("SecondNormForBoth",
    {"self.norm_1(x)": "self.norm_2(x)", "self.norm_1(x +": "self.norm_2(x +"},
    "`norm_2` is used for both parts. Each part has its own norm, with its own weight and bias.")
right.mistake("OneNormOfTwoNames",
    {"self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)":
        "self.norm_1 = self.norm_2 = nn.LayerNorm(d_model)"},
    "Both names refer to one norm, so loading the weights of the second overwrites the first. "
    "Create two norms.")
right.mistake("NormAfterTheLastSum",
    {"return between + self.transform(self.norm_2(between))":
        "return self.norm_2(between + self.transform(self.norm_2(between)))"},
    "In pre-norm you normalise the last sum as well. A pre-norm block returns the sum itself.")
right.mistake("ForgetsTheFirstNorm", {"self.attend(self.norm_1(x), mask)": "self.attend(x, mask)"},
    "In pre-norm the input of attention is not normalised. Where should `norm_1` be used?")
right.mistake("ForgetsTheFirstNormInPostNorm",
    {"self.norm_1(x + self.attend(x, mask))": "x + self.attend(x, mask)"},
    "Pre-norm is right. In post-norm the sum after attention is not normalised.")
right.mistake("ForgetsTheSecondNormInPostNorm",
    {"self.norm_2(between + self.transform(between))": "between + self.transform(between)"},
    "Pre-norm is right. In post-norm the sum after the MLP is not normalised.")
right.mistake("NoPathPastTheMlpInPreNorm", {"return between +": "return"},
    "Post-norm is right. In pre-norm the path past the MLP is missing: add the MLP's output to the "
    "sum so far.")
right.mistake("NoPathPastTheAttentionInPreNorm", {"between = x +": "between ="},
    "Post-norm is right. In pre-norm the path past attention is missing: add its output to x.")
right.mistake("NoPathPastTheMlpInPostNorm", {"self.norm_2(between + self": "self.norm_2(self"},
    "Pre-norm is right. In post-norm the path past the MLP is missing: add the MLP's output to the "
    "sum so far.")
right.mistake("NoPathPastTheAttentionInPostNorm", {"self.norm_1(x + self": "self.norm_1(self"},
    "Pre-norm is right. In post-norm the path past attention is missing: add its output to x.")
right.mistake("AddsToTheNormalised",
    {"x + self.attend(self.norm_1(x), mask)": "(x := self.norm_1(x)) + self.attend(x, mask)",
     "between + self.transform(self.norm_2(between))":
        "(x := self.norm_2(between)) + self.transform(x)"},
    "You add each result to the *normalised* x, so nothing passes a part unchanged. In pre-norm, "
    "what should the result be added to?")
right.mistake("AddsToTheFirstNorm",
    {"x + self.attend(self.norm_1(x), mask)": "(x := self.norm_1(x)) + self.attend(x, mask)"},
    "In pre-norm you add attention's result to the normalised x. The path past a part carries the "
    "sum so far, not normalised.")
right.mistake("AddsToTheSecondNorm",
    {"between + self.transform(self.norm_2(between))":
        "(x := self.norm_2(between)) + self.transform(x)"},
    "In pre-norm you add the MLP's result to the normalised sum. The path past a part carries the "
    "sum so far, not normalised.")
right.mistake("OneNormForBoth",
    {"self.norm_2(between))": "self.norm_1(between))",
     "self.norm_2(between +": "self.norm_1(between +"},
    "`norm_1` is used for both parts. Each part has its own norm, with its own weight and bias.")
right.mistake("MlpReadsTheInput",
    {"self.norm_2(between))": "self.norm_2(x))", "self.transform(between)": "self.transform(x)"},
    "The MLP reads the original x, so both parts run side by side. Which x should it read, now "
    "that attention has added its result?")
right.mistake("SecondSumToTheInput",
    {"return between +": "return x +", "self.norm_2(between +": "self.norm_2(x +"},
    "You add the MLP's result to the block's input, so the result of attention is lost on that "
    "path. Add it to the sum so far.")
right.mistake("MlpFirst",
    {"x + self.attend(self.norm_1(x), mask)": "x + self.transform(self.norm_2(x))",
     "between + self.transform(self.norm_2(between))":
        "between + self.attend(self.norm_1(between), mask)",
     "self.norm_1(x + self.attend(x, mask))": "self.norm_2(x + self.transform(x))",
     "self.norm_2(between + self.transform(between))":
        "self.norm_1(between + self.attend(between, mask))"},
    "The MLP comes before attention. In which order are the two lines of the formula?")
right.mistake("AlwaysPostNorm", {"if self.norm_first:": "if False:"},
    "Your block is post-norm whatever `norm_first` says. In pre-norm the input of a part is "
    "normalised, but the sum is not.")
right.mistake("AlwaysPreNorm", {"if self.norm_first:": "if True:"},
    "Pre-norm is right, but your block is pre-norm even where `norm_first` is False. In that case "
    "each sum is normalised, and nothing else.")
right.mistake("TheOtherWayRound", {"if self.norm_first:": "if not self.norm_first:"},
    "Pre-norm and post-norm are exchanged. Which of them normalises *first*?")
right.mistake("NormalisesWhatWasFound",
    {"self.norm_1(x + self.attend(x, mask))": "x + self.norm_1(self.attend(x, mask))",
     "self.norm_2(between + self.transform(between))":
        "between + self.norm_2(self.transform(between))"},
    "Where `norm_first` is False you normalise a part's result before it is added. The exercise "
    "asks for the norm of the sum.")
right.mistake("NormalisesBeforeAndAfter",
    {"x + self.attend(self.norm_1(x), mask)": "self.norm_1(x + self.attend(self.norm_1(x), mask))",
     "between + self.transform(self.norm_2(between))":
        "self.norm_2(between + self.transform(self.norm_2(between)))"},
    "In pre-norm you normalise the sums, too. In pre-norm the sum itself goes from part to part, "
    "and each norm is used once.")
right.mistake("MaskNotPassed",
    {"self.norm_1(x), mask": "self.norm_1(x)", "self.attend(x, mask)": "self.attend(x)"},
    "The mask is not passed to attention, so every position sees every other. Which call needs it?")
right.mistake("MaskTurnedRound",
    {"if self.norm_first:": "mask = mask if mask is None else ~mask\n        if self.norm_first:"},
    "You invert the mask. In this course True means \"may attend\", and `attend` expects it so.")
right.mistake("AddsACausalMask",
    {"if self.norm_first:":
        "causal = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).tril()\n"
        "        mask = causal if mask is None else causal & mask\n"
        "        if self.norm_first:"},
    "You add a causal mask. The caller decides which positions see which: pass the mask as it is.")
right.mistake("CausalWithoutAMask",
    {"if self.norm_first:":
        "causal = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).tril()\n"
        "        mask = causal if mask is None else mask\n"
        "        if self.norm_first:"},
    "Where no mask is given you build a causal one. None means that every position may be "
    "attended to, so pass it on as it is.")
right.mistake("NormsChangePlaces",
    {"self.norm_1(x)": "self.norm_2(x)",
     "self.norm_2(between))": "self.norm_1(between))",
     "self.norm_1(x +": "self.norm_2(x +",
     "self.norm_2(between +": "self.norm_1(between +"},
    "`norm_1` and `norm_2` are exchanged. Which of them belongs to attention?")
right.mistake("NoPathAtAll",
    {"between = x +": "between =",
     "return between +": "return",
     "self.norm_1(x + self": "self.norm_1(self",
     "self.norm_2(between + self": "self.norm_2(self"},
    "Nothing passes a part unchanged: the results of attention and the MLP replace their input. "
    "In both forms they are added to it.")
right.mistake("NoPathPastTheAttention",
    {"between = x +": "between =", "self.norm_1(x + self": "self.norm_1(self"},
    "The result of attention replaces x. The path past attention is missing.")
right.mistake("NoPathPastTheMlp",
    {"return between +": "return", "self.norm_2(between + self": "self.norm_2(self"},
    "The MLP's result replaces the sum so far. The path past the MLP is missing.")
right.mistake("ForgetsTheSecondNorm",
    {"self.transform(self.norm_2(between))": "self.transform(between)"},
    "In pre-norm the input of the MLP is not normalised. Where should `norm_2` be used?")
right.mistake("ForgetsTheRelu", {"F.relu(self.W_1(x))": "self.W_1(x)"},
    "There is no nonlinearity between W_1 and W_2, so the two linear maps amount to one. Where "
    "does ReLU belong?")
right.mistake("UsesGelu", {"F.relu": "F.gelu"},
    "Between W_1 and W_2 you use GELU. The exercise asks for ReLU.")
right.mistake("BendsTheResult", {"self.W_2(F.relu(self.W_1(x)))": "F.relu(self.W_2(self.W_1(x)))"},
    "ReLU comes after W_2, so the MLP can only add positive numbers. It belongs between the two "
    "layers.")
right.mistake("BendsTheInput", {"F.relu(self.W_1(x))": "self.W_1(F.relu(x))"},
    "ReLU comes before W_1, so the two layers amount to one. It belongs between them.")
right.mistake("MlpReadsOnlyWhatWasFound",
    {"between = x +": "between =", "return between +": "return x + between +"},
    "In pre-norm the MLP reads only the result of attention. What does norm_2 normalise in the "
    "formula?")
right.mistake("AnotherEps",
    {"nn.LayerNorm(d_model), nn.LayerNorm(d_model)":
        "(nn.LayerNorm(d_model, eps=1e-6) for _ in range(2))"},
    "Your norms do not use torch's default `eps`, which shows in rows of small numbers. The table "
    "says which one to use.")
right.mistake("OneHead", {"SelfAttention(d_model, num_heads)": "SelfAttention(d_model, 1)"},
    "Your attention does not have `num_heads` heads, although all shapes are right. Which "
    "arguments do you pass to `SelfAttention`?")
