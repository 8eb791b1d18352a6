"""Known mistakes of `LanguageModel`."""

import torch
from torch import nn

from .CausalBlock import CausalBlock
from .LanguageModel import exercise


class Model(nn.Module):
    """What the wrong models have in common: they differ from this in one method."""

    def __init__(self, vocabulary, longest, d_model, num_heads, layers):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, d_model)
        self.positions = nn.Embedding(longest, d_model)
        self.blocks = nn.ModuleList(CausalBlock(d_model, num_heads) for _ in range(layers))
        self.norm = nn.RMSNorm(d_model, eps=1e-5)

    def places(self, tokens):
        return torch.arange(tokens.size(1), device=tokens.device)

    def begin(self, tokens):
        return self.embed(tokens) + self.positions(self.places(tokens))

    def stack(self, x):
        for block in self.blocks:
            x = block(x)
        return x

    def read(self, x):
        return self.norm(x) @ self.embed.weight.T

    def forward(self, tokens):
        return self.read(self.stack(self.begin(tokens)))


@exercise.misconception(
    "No position is added, so the model cannot tell how far apart two tokens are."
)
class WithoutPositions(Model):
    def begin(self, tokens):
        return self.embed(tokens)


@exercise.misconception(
    "Your positions begin at 1. The first token gets the first row of `positions`."
)
class PositionsFromOne(Model):
    def places(self, tokens):
        return (super().places(tokens) + 1) % self.positions.num_embeddings


@exercise.misconception(
    "Your positions run backwards. The first token gets the first row of `positions`."
)
class PositionsBackwards(Model):
    def places(self, tokens):
        return super().places(tokens).flip(0)


@exercise.misconception(
    "You look up positions by the numbers of the tokens. A position is where a token stands, "
    "not which it is."
)
class PositionsByToken(Model):
    def places(self, tokens):
        return tokens % self.positions.num_embeddings


@exercise.misconception(
    "The last norm is missing: between the blocks and the logits stands `norm`."
)
class WithoutTheLastNorm(Model):
    def read(self, x):
        return x @ self.embed.weight.T


@exercise.misconception("You call `norm` before the blocks. It stands after the last of them.")
class NormBeforeTheBlocks(Model):
    def stack(self, x):
        return super().stack(self.norm(x))

    def read(self, x):
        return x @ self.embed.weight.T


@exercise.misconception(
    "You call `norm` after every block. It stands once, after the last of them."
)
class NormAfterEachBlock(Model):
    def stack(self, x):
        for block in self.blocks:
            x = self.norm(block(x))
        return x

    def read(self, x):
        return (self.norm(x) if len(self.blocks) == 0 else x) @ self.embed.weight.T


@exercise.misconception(
    "Only one block is used, again and again. Each layer has weights of its own."
)
class OneBlockForAll(Model):
    def stack(self, x):
        for _ in self.blocks:
            x = self.blocks[0](x)
        return x


@exercise.misconception(
    "Every block gets what was embedded. A block gets what the block before it returned."
)
class BlocksSideBySide(Model):
    def stack(self, x):
        found = [block(x) for block in self.blocks]
        return found[-1] if found else x


@exercise.misconception("You add the input of the stack once more. The blocks add to x themselves.")
class ResidualRoundTheStack(Model):
    def stack(self, x):
        return x + super().stack(x)


@exercise.misconception("You return probabilities. Logits are asked for: no softmax at the end.")
class Probabilities(Model):
    def read(self, x):
        return super().read(x).softmax(dim=-1)


@exercise.misconception(
    "You multiply the embedded tokens by the root of d_model. Not here: the text has no factor."
)
class ScaledEmbedding(Model):
    def begin(self, tokens):
        return self.embed(tokens) * self.embed.embedding_dim**0.5 + self.positions(
            self.places(tokens)
        )


@exercise.misconception(
    "Your logits are divided by the root of d_model. The text has no such factor."
)
class ScaledLogits(Model):
    def read(self, x):
        return super().read(x) / x.size(-1) ** 0.5


@exercise.misconception(
    "You return the logits after the last token only. One row is due for each position."
)
class LastTokenOnly(Model):
    def forward(self, tokens):
        return super().forward(tokens)[:, -1]


@exercise.misconception(
    "`norm` is inside the loop, after each block, and not used at all where there is no block. It "
    "stands once, behind the loop."
)
class NormInTheLoop(Model):
    def stack(self, x):
        for block in self.blocks:
            x = self.norm(block(x))
        return x

    def read(self, x):
        return x @ self.embed.weight.T


@exercise.misconception(
    "All layers are one block: a list times a number repeats the same object. Make one for each."
)
class OneBlockRepeated(Model):
    def __init__(self, vocabulary, longest, d_model, num_heads, layers):
        super().__init__(vocabulary, longest, d_model, num_heads, layers)
        self.blocks = nn.ModuleList([CausalBlock(d_model, num_heads)] * layers)


@exercise.misconception(
    "The last norm subtracts the mean, as LayerNorm does. RMSNorm divides by the root mean square "
    "and subtracts nothing."
)
class LayerNormAtTheEnd(Model):
    def read(self, x):
        return super().read(x - x.mean(dim=-1, keepdim=True))


@exercise.misconception(
    "A row as long as there are positions asks for one that does not exist. The first token has "
    "the position 0."
)
class PositionsPastTheTable(Model):
    def places(self, tokens):
        return super().places(tokens) + 1


@exercise.misconception(
    "A short row gets the last positions of the table. Its first token gets the first one, however "
    "short it is."
)
class PositionsAtTheEnd(Model):
    def places(self, tokens):
        return super().places(tokens) + self.positions.num_embeddings - tokens.size(1)


@exercise.misconception(
    "All tokens of a row get the position that has the number of the row. Positions count along "
    "the text, not along the batch."
)
class PositionsOfTheRows(Model):
    def places(self, tokens):
        return torch.arange(tokens.size(0), device=tokens.device)[:, None]


@exercise.misconception("The first block is never called. Layers are counted from 0.")
class SkipsTheFirstBlock(Model):
    def stack(self, x):
        for block in self.blocks[1:]:
            x = block(x)
        return x


@exercise.misconception(
    "You add what goes into a block to what comes out. The block has done that already."
)
class AddsTheInputOfEachBlock(Model):
    def stack(self, x):
        for block in self.blocks:
            x = x + block(x)
        return x


@exercise.misconception(
    "The table learns from its use at the input only: at the output it is cut off, as by `detach`, "
    "`.data` or `no_grad`. It is one parameter with two uses, and learns from both."
)
class TableCutOffAtTheOutput(Model):
    def read(self, x):
        return self.norm(x) @ self.embed.weight.detach().T


@exercise.misconception(
    "The row of the token 0 learns nothing from the input, as with `padding_idx=0`. That token is "
    "the start of each document, and its vector is learned as all others are."
)
class StartAsPadding(Model):
    def __init__(self, vocabulary, longest, d_model, num_heads, layers):
        super().__init__(vocabulary, longest, d_model, num_heads, layers)
        self.embed = nn.Embedding(vocabulary, d_model, padding_idx=0)


@exercise.misconception(
    "The blocks learn nothing: no gradient goes through them. Is there a `detach` or a `no_grad` "
    "on the way?"
)
class BlocksWithoutGradient(Model):
    def stack(self, x):
        with torch.no_grad():
            return super().stack(x)


@exercise.misconception(
    "The last norm has another eps than 1e-5. Without one, `nn.RMSNorm` takes a far smaller one."
)
class NormWithAnotherEps(Model):
    def __init__(self, vocabulary, longest, d_model, num_heads, layers):
        super().__init__(vocabulary, longest, d_model, num_heads, layers)
        self.norm = nn.RMSNorm(d_model)


@exercise.misconception(
    "You return logarithms of probabilities. Logits are asked for: no log_softmax at the end."
)
class LogProbabilities(Model):
    def read(self, x):
        return super().read(x).log_softmax(dim=-1)


@exercise.misconception(
    "The last block is called first. Each gets what the one before it returned."
)
class BlocksBackwards(Model):
    def stack(self, x):
        for block in reversed(self.blocks):
            x = block(x)
        return x
