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
    "Pre-norm is right. In post-norm you use `norm_1` twice: the second sum has a norm of its own.")
right.mistake("MaskNotPassedInPostNorm", {"self.attend(x, mask)": "self.attend(x)"},
    "Pre-norm is right. In post-norm attention is not told the mask.")
right.mistake("MlpReadsTheInputInPreNorm", {"self.norm_2(between))": "self.norm_2(x))"},
    "Post-norm is right. In pre-norm the MLP reads x as it was before attention. What has "
    "attention found by the time the MLP's line begins?")
right.mistake("SecondSumToTheInputInPreNorm", {"return between +": "return x +"},
    "Post-norm is right. In pre-norm what the MLP finds is added to the block's input: on that "
    "path nothing is left of what attention found.")
right.mistake("FirstNormTwiceInPreNorm", {"self.norm_2(between))": "self.norm_1(between))"},
    "Post-norm is right. In pre-norm you use `norm_1` twice: what goes into the MLP has a norm of "
    "its own.")
right.mistake("MaskNotPassedInPreNorm", {"self.norm_1(x), mask": "self.norm_1(x)"},
    "Post-norm is right. In pre-norm attention is not told the mask.")
right.mistake("NormsChangePlacesInPostNorm",
    {"self.norm_1(x +": "self.norm_2(x +", "self.norm_2(between +": "self.norm_1(between +"},
    "Pre-norm is right. In post-norm `norm_1` and `norm_2` have changed places. Which of them "
    "belongs to the attention?")
right.mistake("NormsChangePlacesInPreNorm",
    {"self.norm_1(x)": "self.norm_2(x)", "self.norm_2(between))": "self.norm_1(between))"},
    "Post-norm is right. In pre-norm `norm_1` and `norm_2` have changed places. Which of them "
    "belongs to the attention?")
right.mistake("SecondNormForBoth",
    {"self.norm_1(x)": "self.norm_2(x)", "self.norm_1(x +": "self.norm_2(x +"},
    "`norm_2` is used for both parts. Each has a norm of its own, with its own weight and bias.")
right.mistake("OneNormOfTwoNames",
    {"self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)":
        "self.norm_1 = self.norm_2 = nn.LayerNorm(d_model)"},
    "Both names stand for one norm, so loading the weights of the second overwrites the first. "
    "Make two norms.")
right.mistake("NormAfterTheLastSum",
    {"return between + self.transform(self.norm_2(between))":
        "return self.norm_2(between + self.transform(self.norm_2(between)))"},
    "In pre-norm the last sum is normalised once more. A pre-norm block returns the plain sum.")
right.mistake("ForgetsTheFirstNorm", {"self.attend(self.norm_1(x), mask)": "self.attend(x, mask)"},
    "What goes into the attention is not normalised in pre-norm. `norm_1` has a part of its own.")
right.mistake("ForgetsTheFirstNormInPostNorm",
    {"self.norm_1(x + self.attend(x, mask))": "x + self.attend(x, mask)"},
    "Pre-norm is right. In post-norm the sum after the attention is not normalised.")
right.mistake("ForgetsTheSecondNormInPostNorm",
    {"self.norm_2(between + self.transform(between))": "between + self.transform(between)"},
    "Pre-norm is right. In post-norm the sum after the MLP is not normalised.")
right.mistake("NoPathPastTheMlpInPreNorm", {"return between +": "return"},
    "Post-norm is right. In pre-norm the path past the MLP is missing: add the MLP's output to the "
    "sum so far.")
right.mistake("NoPathPastTheAttentionInPreNorm", {"between = x +": "between ="},
    "Post-norm is right. In pre-norm the path past the attention is missing: add its output to x.")
right.mistake("NoPathPastTheMlpInPostNorm", {"self.norm_2(between + self": "self.norm_2(self"},
    "Pre-norm is right. In post-norm the path past the MLP is missing: add the MLP's output to the "
    "sum so far.")
right.mistake("NoPathPastTheAttentionInPostNorm", {"self.norm_1(x + self": "self.norm_1(self"},
    "Pre-norm is right. In post-norm the path past the attention is missing: add its output to x.")
right.mistake("AddsToTheNormalised",
    {"x + self.attend(self.norm_1(x), mask)": "(x := self.norm_1(x)) + self.attend(x, mask)",
     "between + self.transform(self.norm_2(between))":
        "(x := self.norm_2(between)) + self.transform(x)"},
    "You add what was found to the *normalised* x, so that nothing goes past a part unchanged. In "
    "pre-norm, to what is it added?")
right.mistake("AddsToTheFirstNorm",
    {"x + self.attend(self.norm_1(x), mask)": "(x := self.norm_1(x)) + self.attend(x, mask)"},
    "In the attention's line of pre-norm you add to the normalised x. The path past a part is the "
    "plain sum so far.")
right.mistake("AddsToTheSecondNorm",
    {"between + self.transform(self.norm_2(between))":
        "(x := self.norm_2(between)) + self.transform(x)"},
    "In the MLP's line of pre-norm you add to the normalised sum. The path past a part is the "
    "plain sum so far.")
right.mistake("OneNormForBoth",
    {"self.norm_2(between))": "self.norm_1(between))",
     "self.norm_2(between +": "self.norm_1(between +"},
    "`norm_1` is used for both parts. Each has a norm of its own, with its own weight and bias.")
right.mistake("MlpReadsTheInput",
    {"self.norm_2(between))": "self.norm_2(x))", "self.transform(between)": "self.transform(x)"},
    "The MLP reads x as it was before attention, so both parts stand side by side. What has "
    "attention found by the time the MLP's line begins?")
right.mistake("SecondSumToTheInput",
    {"return between +": "return x +", "self.norm_2(between +": "self.norm_2(x +"},
    "What the MLP finds is added to the block's input: what attention found is lost on that path. "
    "Add it to the sum so far.")
right.mistake("MlpFirst",
    {"x + self.attend(self.norm_1(x), mask)": "x + self.transform(self.norm_2(x))",
     "between + self.transform(self.norm_2(between))":
        "between + self.attend(self.norm_1(between), mask)",
     "self.norm_1(x + self.attend(x, mask))": "self.norm_2(x + self.transform(x))",
     "self.norm_2(between + self.transform(between))":
        "self.norm_1(between + self.attend(between, mask))"},
    "The MLP comes before the attention. In which order do the two lines of the formula stand?")
right.mistake("AlwaysPostNorm", {"if self.norm_first:": "if False:"},
    "Your block is post-norm whatever `norm_first` says. In pre-norm, what goes into a part is "
    "normalised, and the sum is not.")
right.mistake("AlwaysPreNorm", {"if self.norm_first:": "if True:"},
    "Pre-norm is right, and your block is pre-norm also where `norm_first` is False. There each "
    "sum is normalised, and nothing else.")
right.mistake("TheOtherWayRound", {"if self.norm_first:": "if not self.norm_first:"},
    "Pre-norm and post-norm have changed places. Which of them normalises *first*?")
right.mistake("NormalisesWhatWasFound",
    {"self.norm_1(x + self.attend(x, mask))": "x + self.norm_1(self.attend(x, mask))",
     "self.norm_2(between + self.transform(between))":
        "between + self.norm_2(self.transform(between))"},
    "Where `norm_first` is False you normalise what a part has found, before it is added. Asked "
    "for is the norm of the sum.")
right.mistake("NormalisesBeforeAndAfter",
    {"x + self.attend(self.norm_1(x), mask)": "self.norm_1(x + self.attend(self.norm_1(x), mask))",
     "between + self.transform(self.norm_2(between))":
        "self.norm_2(between + self.transform(self.norm_2(between)))"},
    "In pre-norm you normalise the sums, too. There the plain sum goes on from part to part; each "
    "norm is used once.")
right.mistake("MaskNotPassed",
    {"self.norm_1(x), mask": "self.norm_1(x)", "self.attend(x, mask)": "self.attend(x)"},
    "Attention is not told the mask: every position sees every other. Which call needs it?")
right.mistake("MaskTurnedRound",
    {"if self.norm_first:": "mask = mask if mask is None else ~mask\n        if self.norm_first:"},
    "You turn the mask round. Throughout, True means: may attend, and `attend` takes it so.")
right.mistake("AddsACausalMask",
    {"if self.norm_first:":
        "causal = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).tril()\n"
        "        mask = causal if mask is None else causal & mask\n"
        "        if self.norm_first:"},
    "You add a causal mask. A block is told by its caller who may see whom: pass the mask as "
    "it is.")
right.mistake("CausalWithoutAMask",
    {"if self.norm_first:":
        "causal = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).tril()\n"
        "        mask = causal if mask is None else mask\n"
        "        if self.norm_first:"},
    "Where no mask is given you make a causal one. None means that every position may be attended "
    "to: pass it on as it is.")
right.mistake("NormsChangePlaces",
    {"self.norm_1(x)": "self.norm_2(x)",
     "self.norm_2(between))": "self.norm_1(between))",
     "self.norm_1(x +": "self.norm_2(x +",
     "self.norm_2(between +": "self.norm_1(between +"},
    "`norm_1` and `norm_2` have changed places. Which of them belongs to the attention?")
right.mistake("NoPathAtAll",
    {"between = x +": "between =",
     "return between +": "return",
     "self.norm_1(x + self": "self.norm_1(self",
     "self.norm_2(between + self": "self.norm_2(self"},
    "Nothing goes past a part: what attention and the MLP find takes the place of what came in. In "
    "both forms it is added to it.")
right.mistake("NoPathPastTheAttention",
    {"between = x +": "between =", "self.norm_1(x + self": "self.norm_1(self"},
    "What attention finds takes the place of x. The path past the attention is missing.")
right.mistake("NoPathPastTheMlp",
    {"return between +": "return", "self.norm_2(between + self": "self.norm_2(self"},
    "What the MLP finds takes the place of the sum so far. The path past the MLP is missing.")
right.mistake("ForgetsTheSecondNorm",
    {"self.transform(self.norm_2(between))": "self.transform(between)"},
    "What goes into the MLP is not normalised in pre-norm. `norm_2` has a part of its own.")
right.mistake("ForgetsTheRelu", {"F.relu(self.W_1(x))": "self.W_1(x)"},
    "Between W_1 and W_2 nothing is bent: two linear maps in a row are one. Where does ReLU stand?")
right.mistake("UsesGelu", {"F.relu": "F.gelu"},
    "Between W_1 and W_2 you use GELU. Asked for is ReLU.")
right.mistake("BendsTheResult", {"self.W_2(F.relu(self.W_1(x)))": "F.relu(self.W_2(self.W_1(x)))"},
    "ReLU comes after W_2, so that the MLP can only add. It stands between the two layers.")
right.mistake("BendsTheInput", {"F.relu(self.W_1(x))": "self.W_1(F.relu(x))"},
    "The MLP is bent before W_1, and its two layers are one. ReLU stands between them.")
right.mistake("MlpReadsOnlyWhatWasFound",
    {"between = x +": "between =", "return between +": "return x + between +"},
    "In pre-norm the MLP reads only what attention has found. What does norm_2 normalise in the "
    "formula?")
right.mistake("AnotherEps",
    {"nn.LayerNorm(d_model), nn.LayerNorm(d_model)":
        "(nn.LayerNorm(d_model, eps=1e-6) for _ in range(2))"},
    "Your norms have another `eps` than torch's usual one, which rows of small numbers show. The "
    "table says which.")
right.mistake("OneHead", {"SelfAttention(d_model, num_heads)": "SelfAttention(d_model, 1)"},
    "Your attention does not have `num_heads` heads, and no shape shows it. What is "
    "`SelfAttention` told?")
