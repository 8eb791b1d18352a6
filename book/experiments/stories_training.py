"""Training on stories, and what a model knows of them: bits a byte, and bits an answer."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import torch
from lm_model import Kind, Recurrent, Transformer
from lm_text import IGNORED, START, Tokenizer, train_bpe
from lm_training import loss_of
from stories import FEWEST, MOST, Story, told
from torch import Tensor, nn
from torch.nn import functional as F

VOCABULARY, LONGEST = 352, 106  # tokens that there are, and tokens of the longest story
BATCH, CLIP, WARMUP = 16, 1.0, 0.1
STEPS = 4000  # of the transformer; its work is the budget of all
KIND = Kind(layers=3, d_model=64, vocabulary=VOCABULARY, longest=LONGEST, small=1.0)
WORK = 3 * Transformer(KIND).work() * STEPS  # of a training step for each token: three times
Watch = Callable[[int, nn.Module], None]


def made(name: str, seed: int) -> nn.Module:
    """A model before training: "transformer", or "gru_WIDTH_LAYERS"."""
    torch.manual_seed(seed)
    if name == "transformer":
        return Transformer(KIND)
    width, layers = map(int, name.split("_")[1:])
    return Recurrent(width, layers, VOCABULARY)


def steps_for(name: str, times: float = 1) -> int:
    """How many steps of this model are as much work as the transformer's, or so many times that."""
    return round(times * WORK / (3 * made(name, 0).work()))  # type: ignore[operator]


@cache
def tokenizer() -> Tokenizer:
    texts = [told(f"merges {at}").text for at in range(300)]
    return Tokenizer(train_bpe("".join(texts), VOCABULARY - 256))


@dataclass
class Stories:
    """Some stories as tokens, with `IGNORED` after the end of each."""

    tokens: Tensor  # [stories, tokens]
    answers: Tensor  # [stories, tokens]: which tokens are answers
    people: Tensor  # [stories]
    bits: float  # of what was drawn, all stories together
    size: int  # in bytes


def encoded(stories: list[Story]) -> Stories:
    rows = [[START, *tokenizer().encode(story.text)] for story in stories]
    tokens = torch.full((len(rows), max(map(len, rows))), IGNORED)
    answers = torch.zeros_like(tokens, dtype=torch.bool)
    for at, (row, story) in enumerate(zip(rows, stories, strict=True)):
        tokens[at, : len(row)] = torch.tensor(row)
        answers[at, places(row, story.answers)] = True
    people = torch.tensor([story.people for story in stories])
    bits, size = sum(story.bits for story in stories), sum(len(story.text) for story in stories)
    return Stories(tokens, answers, people, bits, size)


def places(row: list[int], ends: list[int]) -> list[int]:
    """Which tokens of a story end at these places of its text."""
    end, found = 0, []
    for place, token in enumerate(row[1:], 1):
        end += len(tokenizer().pieces[token])
        if end in ends:
            found.append(place)
    return found


@cache
def stories(kind: str, count: int, fewest: int = FEWEST, most: int = MOST) -> Stories:
    """Stories to test with, or to choose a setting by: none is in training."""
    return encoded([told(f"{kind} {at}", fewest, most) for at in range(count)])


@torch.no_grad()
def predicted(model: nn.Module, given: Stories) -> tuple[Tensor, Tensor]:
    """Of each token but the first: its bits, and whether it was the likeliest. [stories, tokens]"""
    parts = given.tokens.split(4 * BATCH)
    logits = torch.cat([model(part[:, :-1].clamp(min=0)) for part in parts])
    targets = given.tokens[:, 1:]
    nats = F.cross_entropy(logits.mT, targets, reduction="none", ignore_index=IGNORED)
    return nats / math.log(2), logits.argmax(dim=-1) == targets


@dataclass
class Found:
    """What a model needs for some stories, and the percentage of the answers that it has right."""

    bits_per_byte: float
    bits_per_answer: float
    right: float
    right_by_people: dict[int, float]


def tested(model: nn.Module, given: Stories) -> Found:
    bits, likeliest = predicted(model, given)
    asked = given.answers[:, 1:]
    right = 100 * likeliest.double()
    by_people = {
        people: right[given.people == people][asked[given.people == people]].mean().item()
        for people in given.people.unique().tolist()
    }
    per_byte = bits.sum().item() / given.size
    return Found(per_byte, bits[asked].mean().item(), right[asked].mean().item(), by_people)


def train(
    model: nn.Module, steps: int, rate: float,
    batch: Callable[[int], list[Story]], watch: Watch = lambda step, model: None,
) -> None:  # fmt: skip
    """AdamW with warm-up and cosine decay to zero. No story is read twice."""
    optimizer = torch.optim.AdamW(model.parameters(), rate, betas=(0.9, 0.95), weight_decay=0.1)
    warm = max(1, round(WARMUP * steps))
    for step in range(steps):
        watch(step, model)
        done = (step - warm) / max(1, steps - warm)
        factor = (step + 1) / warm if step < warm else (1 + math.cos(math.pi * done)) / 2
        optimizer.param_groups[0]["lr"] = rate * factor
        loss = loss_of(model, encoded(batch(step)).tokens)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
    watch(steps, model)


def batches(seed: int, fewest: int = FEWEST, most: int = MOST) -> Callable[[int], list[Story]]:
    """The stories of each step of training."""
    return lambda step: [
        told(f"train {seed} {step * BATCH + at}", fewest, most) for at in range(BATCH)
    ]
