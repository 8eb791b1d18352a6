"""A small bidirectional transformer, its training, and its heads' outputs changed from outside."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from heads_attention import MultiHeadAttention
from heads_language_text import (
    BLANK,
    LENGTH,
    NUMBER,
    PAD,
    WORDS,
    agreements,
    pronouns,
)
from heads_model import waves
from torch import Tensor, nn
from torch.nn import functional as F

D_MODEL, HEADS, LAYERS = 64, 4, 2
CORPUS, STEPS, BATCH, RATE = 20_000, 700, 64, 3e-3  # chosen with seeds 100 and 101
BLANKED, VERB_BLANKED = 0.15, 0.5  # share of all words, of verbs
Change = Callable[[Tensor], Tensor | None]


class Layer(nn.Module):
    """Attention and MLP, each normalised first and added to its input."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(D_MODEL, HEADS)
        self.mlp = nn.Sequential(
            nn.LayerNorm(D_MODEL),
            nn.Linear(D_MODEL, 2 * D_MODEL),
            nn.GELU(),
            nn.Linear(2 * D_MODEL, D_MODEL),
        )
        self.norm = nn.LayerNorm(D_MODEL)

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        normed = self.norm(x)
        output, weights = self.attention(normed, normed, normed, mask)
        x = x + output
        return x + self.mlp(x), weights


class Reader(nn.Module):
    """Embedding plus positions, layers that see the whole sentence, a guess at each place."""

    position: Tensor  # [length, d_model]

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(len(WORDS), D_MODEL)
        self.register_buffer("position", waves(LENGTH, D_MODEL))
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.readout = nn.Sequential(nn.LayerNorm(D_MODEL), nn.Linear(D_MODEL, len(WORDS)))

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [batch, length, words], weights [layers, batch, heads, queries, keys]."""
        mask = (tokens != NUMBER[PAD])[:, None, None, :]  # [batch, 1, 1, keys]
        x, kept = self.embed(tokens) + self.position, []
        for layer in self.layers:
            x, weights = layer(x, mask)
            kept.append(weights)
        return self.readout(x), torch.stack(kept)


@contextmanager
def changed(model: Reader, layer: int, change: Change) -> Iterator[None]:
    """While it lasts, what a layer's heads put out, side by side, goes through `change`.

    It gets [batch, length, d_model] and returns the same shape, or None to leave it as it is.
    """
    projection = model.get_submodule(f"layers.{layer}.attention.W_o")
    handle = projection.register_forward_pre_hook(lambda _, given: change(given[0]))
    try:
        yield
    finally:
        handle.remove()


@torch.no_grad()
def heads_output(model: Reader, tokens: Tensor, layer: int) -> Tensor:
    """What the heads of a layer put out, side by side. [batch, length, d_model]"""
    kept: list[Tensor] = []
    with changed(model, layer, kept.append):
        model(tokens)
    return kept[0]


@torch.no_grad()
def parts(model: Reader, tokens: Tensor, layer: int) -> tuple[Tensor, Tensor]:
    """Of a layer's heads the weights [batch, heads, queries, keys] and values, [batch, heads, keys,
    d_k], whose product is what they put out."""
    attention = model.get_submodule(f"layers.{layer}.attention")
    assert isinstance(attention, MultiHeadAttention)
    kept: list[Tensor] = []
    handle = attention.W_v.register_forward_hook(lambda *call: kept.append(call[-1]))
    try:
        weights = model(tokens)[1][layer]
    finally:
        handle.remove()
    return weights, attention.split(kept[0])


def corpus(seed: int, asks_it: bool, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """What is read, and what is to be guessed (-100 where nothing is). Each [sentences, length]"""
    verbs, its = agreements(CORPUS, seed), pronouns(CORPUS, seed, seen=True)
    text, rows = torch.cat([verbs.tokens, its.tokens]), torch.arange(CORPUS)
    blank = (torch.rand(text.shape, generator=rng) < BLANKED) & (text != NUMBER[PAD])
    blank[rows, verbs.places["verb"]] |= torch.rand(CORPUS, generator=rng) < VERB_BLANKED
    blank[CORPUS:] = False  # of a pronoun sentence only the answer is blanked
    blank[CORPUS + rows, its.places["answer"]] = True
    target = torch.where(blank, text, -100)
    if asks_it:
        target[CORPUS + rows, its.places["it"]] = its.word("answer")
    return text.masked_fill(blank, NUMBER[BLANK]), target


def train(seed: int, asks_it: bool) -> Reader:
    """A model that fills blanks; if asked, it also says at the word "it" which noun it is."""
    torch.manual_seed(seed)
    rng = torch.Generator().manual_seed(seed)
    read, target = corpus(seed, asks_it, rng)
    model = Reader()
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, betas=(0.9, 0.99))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, RATE, total_steps=STEPS, pct_start=0.1
    )
    for _ in range(STEPS):
        batch = torch.randint(len(read), (BATCH,), generator=rng)
        loss = F.cross_entropy(model(read[batch])[0].mT, target[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model
