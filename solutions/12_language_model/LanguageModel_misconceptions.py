"""Known mistakes of `LanguageModel`."""

import torch  # noqa: F401
from torch import nn

from .LanguageModel import exercise
from .PreNormBlock import PreNormBlock
from .RotaryAttention_misconceptions import Attention


class Model(nn.Module):
    def __init__(self, vocabulary, d_model, num_heads, layers):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, d_model)
        attentions = [Attention(d_model, num_heads) for _ in range(layers)]
        self.blocks = nn.ModuleList([PreNormBlock(each, d_model) for each in attentions])
        self.norm = nn.RMSNorm(d_model, eps=1e-5)

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.embed.weight.T


right = exercise.base(Model)


# fmt: off
right.mistake("AddsPositionsToo",
    {"x = self.embed(tokens)":
        "at = torch.arange(tokens.size(1), device=tokens.device)[:, None]\n"
        "        half = torch.arange(0, self.embed.embedding_dim, 2, device=tokens.device)\n"
        "        angles = at / 10000 ** (half / self.embed.embedding_dim)\n"
        "        waves = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)\n"
        "        x = self.embed(tokens) + waves"},
    "You add sinusoids to the embedded tokens, although attention turns by the positions already. "
    "What is X_0 in the formula?")
right.mistake("LearnsPositionsToo",
    {"self.norm = ": "self.positions = nn.Embedding(1024, d_model)\n        self.norm = "},
    "The module has a table of positions. The text names all parameters, and attention turns by "
    "the positions already.")
right.mistake("WithoutTheLastNorm", {"self.norm(x)": "x"},
    "The last norm is missing: `norm` comes between the blocks and the logits.")
right.mistake("NormBeforeTheBlocks",
    {"x = self.embed(tokens)": "x = self.norm(self.embed(tokens))",
     "return self.norm(x)": "return x"},
    "You call `norm` before the blocks. It comes after the last of them.")
right.mistake("NormAfterEachBlock",
    {"= block(x)": "= self.norm(block(x))",
     "self.norm(x)": "(x if len(self.blocks) else self.norm(x))"},
    "You call `norm` after every block. It comes once, after the last of them.")
right.mistake("OneBlockForAll", {"= block(x)": "= self.blocks[0](x)"},
    "You use one block again and again. Each layer has its own weights.")
right.mistake("BlocksSideBySide",
    {"x = self.embed(tokens)": "x = start = self.embed(tokens)",
     "= block(x)": "= block(start)"},
    "Every block gets the embedded tokens. A block should get the output of the block before it.")
right.mistake("ResidualRoundTheStack",
    {"x = self.embed(tokens)": "x = start = self.embed(tokens)",
     "self.norm(x)": "self.norm(start + x)"},
    "You add the input of all blocks once more at the end. The blocks add to x themselves.")
right.mistake("Probabilities",
    {"self.norm(x) @ self.embed.weight.T": "(self.norm(x) @ self.embed.weight.T).softmax(dim=-1)"},
    "You return probabilities. The exercise asks for logits, without a softmax at the end.")
right.mistake("ScaledEmbedding",
    {"self.embed(tokens)": "self.embed(tokens) * self.embed.embedding_dim**0.5"},
    "You multiply the embedded tokens by the root of d_model. The text has no such factor.")
right.mistake("ScaledLogits", {"self.embed.weight.T": "self.embed.weight.T / x.size(-1) ** 0.5"},
    "Your logits are divided by the root of d_model. The text has no such factor.")
right.mistake("LastTokenOnly",
    {"self.norm(x) @ self.embed.weight.T": "(self.norm(x) @ self.embed.weight.T)[:, -1]"},
    "You return only the logits after the last token. The exercise asks for one row per position.")
right.mistake("NormInTheLoop",
    {"= block(x)": "= self.norm(block(x))", "return self.norm(x)": "return x"},
    "`norm` is inside the loop, after each block, so it is not used at all where there is no "
    "block. It comes once, after the loop.")
right.mistake("OneBlockRepeated",
    {"PreNormBlock(each, d_model) for each in attentions]":
        "PreNormBlock(each, d_model) for each in attentions[:1]] * layers"},
    "All layers are the same block: multiplying a list by a number repeats the same object. "
    "Create one for each layer.")
right.mistake("OneAttentionForAll",
    {"Attention(d_model, num_heads) for _ in range(layers)]":
        "Attention(d_model, num_heads)] * layers"},
    "All blocks share one attention, so each layer attends with the weights that were loaded last. "
    "Where do you create it?")
right.mistake("AttendsWithOneHead", {"Attention(d_model, num_heads)": "Attention(d_model, 1)"},
    "The blocks attend with one head. Does `num_heads` reach their attention?")
right.mistake("LayerNormAtTheEnd", {"self.norm(x)": "self.norm(x - x.mean(dim=-1, keepdim=True))"},
    "The last norm subtracts the mean, as LayerNorm does. RMSNorm divides by the root mean square "
    "and subtracts nothing.")
right.mistake("SkipsTheFirstBlock", {"in self.blocks:": "in self.blocks[1:]:"},
    "You never call the first block. Layers are counted from 0.")
right.mistake("AddsTheInputOfEachBlock", {"= block(x)": "= x + block(x)"},
    "You add a block's input to its output. The block has done that already.")
right.mistake("TableCutOffAtTheOutput", {"weight.T": "weight.detach().T"},
    "The embedding table learns only from its use at the input. At the output it is cut off, as "
    "by `detach`, `.data` or `no_grad`. It is one parameter with two uses, and learns from both.")
right.mistake("StartAsPadding",
    {"nn.Embedding(vocabulary, d_model)": "nn.Embedding(vocabulary, d_model, padding_idx=0)"},
    "The row of token 0 learns nothing from the input, as with `padding_idx=0`. That token starts "
    "each document, and its vector is learned like all others.")
right.mistake("BlocksWithoutGradient",
    {"x = block(x)": "with torch.no_grad():\n                x = block(x)"},
    "The blocks learn nothing, because no gradient goes through them. Is there a `detach` or a "
    "`no_grad` on the way?")
right.mistake("NormWithAnotherEps", {", eps=1e-5": ""},
    "The last norm has an eps other than 1e-5. By default, `nn.RMSNorm` uses a far smaller one.")
right.mistake("LogProbabilities",
    {"self.norm(x) @ self.embed.weight.T":
        "(self.norm(x) @ self.embed.weight.T).log_softmax(dim=-1)"},
    "You return logarithms of probabilities. The exercise asks for logits, without a log_softmax "
    "at the end.")
right.mistake("BlocksBackwards", {"in self.blocks:": "in reversed(self.blocks):"},
    "You call the last block first. Each block gets the output of the one before it.")
