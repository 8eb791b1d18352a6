"""Training on stories, and what a model knows of them: bits a byte, and bits an answer."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate

import torch
from lm_model import Kind, Recurrent, Transformer
from lm_text import IGNORED, START, Tokenizer, train_bpe
from lm_training import loss_of
from stories import EVENTS, FEWEST, MOST, Story, told
from torch import Tensor, nn
from torch.nn import functional as F

VOCABULARY, LONGEST = 352, 106  # tokens that there are, and tokens of the longest story
TOKENS = 5 * (EVENTS + (FEWEST + MOST) / 2)  # of a story, on average: each line has five
TRAINED = 12_000  # stories to learn from
BATCH, CLIP, WARMUP = 8, 1.0, 0.1
STEPS = 10_000  # of the transformer; its work is the budget of all
KIND = Kind(layers=3, d_model=64, vocabulary=VOCABULARY, longest=LONGEST, small=1.0)
WORK = 3 * Transformer(KIND).work() * TOKENS * BATCH * STEPS  # three times that of a forward pass
PARTS = {
    "no_attention": replace(KIND, attention="none"),
    "mean": replace(KIND, attention="mean"),
    "one_head": replace(KIND, heads=1, kv_heads=1),
    "no_residual": replace(KIND, residual=False),
    "no_mlp": replace(KIND, mlp=False),
    "no_positions": replace(KIND, positions="none"),
    "learned": replace(KIND, positions="learned"),
    "few_keys": replace(KIND, window=32),
}  # the transformer with one thing changed
Watch = Callable[[int, nn.Module], None]


def made(name: str, seed: int) -> nn.Module:
    """A model before training: "transformer", one of `PARTS`, or "gru_WIDTH_LAYERS"."""
    torch.manual_seed(seed)
    if not name.startswith("gru"):
        return Transformer(PARTS.get(name, KIND))
    width, layers = map(int, name.split("_")[1:])
    return Recurrent(width, layers, VOCABULARY)


def steps_for(name: str, times: float = 1) -> int:
    """How many steps of this model are as much work as the transformer's, or so many times that.

    A transformer with a changed part takes as many steps as the whole one.
    """
    if name in PARTS:
        return round(times * STEPS)
    step = 3 * made(name, 0).work() * TOKENS * BATCH  # type: ignore[operator]
    return round(times * WORK / step)


@dataclass(frozen=True)
class Source:
    """Which stories are told: with how many people, and how often somebody visits somebody."""

    fewest: int = FEWEST
    most: int = MOST
    visits: float = 0.0

    def told(self, name: str) -> Story:
        return told(name, self.fewest, self.most, self.visits)

    def tokenizer(self) -> Tokenizer:
        return tokenizer(self.visits)


USUAL = Source()


@cache
def tokenizer(visits: float = 0) -> Tokenizer:
    """In which each word is one token."""
    texts = [told(f"merges {at}", visits=visits).text for at in range(300)]
    return Tokenizer(train_bpe("".join(texts), VOCABULARY - 256))


@dataclass
class Stories:
    """Some stories as tokens, with `IGNORED` after the end of each."""

    tokens: Tensor  # [stories, tokens]
    steps: Tensor  # [stories, tokens]: of an answer, how many lines to look up; else 0
    people: Tensor  # [stories]
    bits: float  # of what was drawn, all stories together
    size: int  # in bytes


def encoded(stories: list[Story], tokenizer: Tokenizer) -> Stories:
    rows = [[START, *tokenizer.encode(story.text)] for story in stories]
    tokens = torch.full((len(rows), max(map(len, rows))), IGNORED)
    steps = torch.zeros_like(tokens)
    for at, (row, story) in enumerate(zip(rows, stories, strict=True)):
        tokens[at, : len(row)] = torch.tensor(row)
        ends = accumulate(len(tokenizer.pieces[token]) for token in row[1:])
        answers = dict(zip(story.answers, story.steps, strict=True))
        steps[at, 1 : len(row)] = torch.tensor([answers.get(end, 0) for end in ends])
    people = torch.tensor([story.people for story in stories])
    bits, size = sum(story.bits for story in stories), sum(len(story.text) for story in stories)
    return Stories(tokens, steps, people, bits, size)


@cache
def stories(kind: str, count: int, source: Source = USUAL) -> Stories:
    """Stories to test with, or to choose a setting by: none is in training."""
    told = [source.told(f"{kind} {at}") for at in range(count)]
    return encoded(told, source.tokenizer())


@torch.no_grad()
def predicted(model: nn.Module, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Of each token but the first: its bits, and whether it was the likeliest. [rows, tokens]"""
    parts = tokens.split(8 * BATCH)
    logits = torch.cat([model(part[:, :-1].clamp(min=0)) for part in parts])
    targets = tokens[:, 1:]
    nats = F.cross_entropy(logits.mT, targets, reduction="none", ignore_index=IGNORED)
    return nats / math.log(2), logits.argmax(dim=-1) == targets


@dataclass
class Found:
    """What a model needs for some stories, and the percentage of the answers that it has right."""

    bits_per_byte: float
    bits_per_answer: float
    right: float
    right_by_people: dict[int, float]
    right_by_steps: dict[int, float]


def tested(model: nn.Module, given: Stories) -> Found:
    bits, likeliest = predicted(model, given.tokens)
    steps, right = given.steps[:, 1:], 100 * likeliest.double()
    asked = steps > 0
    people = given.people[:, None].expand_as(steps)[asked]
    return Found(
        bits.sum().item() / given.size,
        bits[asked].mean().item(),
        right[asked].mean().item(),
        means(right[asked], people),
        means(right[asked], steps[asked]),
    )


def means(values: Tensor, group: Tensor) -> dict[int, float]:
    """The mean of each group. values and group: [n]"""
    return {each: values[group == each].mean().item() for each in group.unique().tolist()}


def train(
    model: nn.Module, steps: int, rate: float,
    batch: Callable[[], Tensor], watch: Watch = lambda step, model: None,
) -> None:  # fmt: skip
    """AdamW with warm-up and cosine decay to zero."""
    optimizer = torch.optim.AdamW(model.parameters(), rate, betas=(0.9, 0.95), weight_decay=0.1)
    warm = max(1, round(WARMUP * steps))
    for step in range(steps):
        watch(step, model)
        done = (step - warm) / max(1, steps - warm)
        factor = (step + 1) / warm if step < warm else (1 + math.cos(math.pi * done)) / 2
        optimizer.param_groups[0]["lr"] = rate * factor
        loss = loss_of(model, batch())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
    watch(steps, model)


def batches(seed: int, source: Source = USUAL) -> Callable[[], Tensor]:
    """Each call draws stories to learn from. [stories, tokens]"""
    tokens, rng = stories("train", TRAINED, source).tokens, torch.Generator().manual_seed(seed)

    def batch() -> Tensor:
        drawn = tokens[torch.randint(len(tokens), (BATCH,), generator=rng)]
        return drawn[:, : int((drawn != IGNORED).sum(dim=1).max())]

    return batch
