"""Training by a budget of work, and bits a byte of held-out text."""

import math
from collections.abc import Iterable
from functools import cache

import torch
from lm_model import LENGTH, VOCABULARY
from lm_text import IGNORED, Tokenizer, documents, pieces_of, tokens_of, train_bpe
from torch import Tensor, nn
from torch.nn import functional as F

BATCH, CLIP, WARMUP = 8, 1.0, 0.1
RATE = 5e-3  # chosen with seed 100


@cache
def tokenizer() -> Tokenizer:
    return Tokenizer(train_bpe("".join(documents()[0]), VOCABULARY - 256))


@cache
def to_train(clean: bool = True) -> Tensor:
    return pieces_of(tokens_of(documents(clean)[0], tokenizer()), LENGTH)


@cache
def to_test() -> tuple[list[Tensor], int]:
    """The tokens of the test documents, and how many bytes they have."""
    texts = documents()[1]
    return tokens_of(texts, tokenizer()), sum(len(text.encode()) for text in texts)


def steps_for(work: float, model: nn.Module) -> int:
    """How many steps a budget of operations pays; a training step is three times a forward pass."""
    return round(work / (3 * model.work() * BATCH * LENGTH))  # type: ignore[operator]


def loss_of(model: nn.Module, batch: Tensor) -> Tensor:
    inputs, targets = batch[:, :-1].clamp(min=0), batch[:, 1:]
    return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), ignore_index=IGNORED)


def train(
    model: nn.Module, pieces: Tensor, steps: int, seed: int, rate: float = RATE
) -> list[float]:
    """AdamW with warm-up and cosine decay to zero; the loss of each step, in nats a token."""
    rng = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), rate, betas=(0.9, 0.95), weight_decay=0.1)
    warm = max(1, round(WARMUP * steps))
    losses = []
    for step in range(steps):
        done = (step - warm) / max(1, steps - warm)
        factor = (step + 1) / warm if step < warm else (1 + math.cos(math.pi * done)) / 2
        optimizer.param_groups[0]["lr"] = rate * factor
        batch = pieces[torch.randint(len(pieces), (BATCH,), generator=rng)]
        loss = loss_of(model, batch)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def bits(model: nn.Module, tokens: Tensor, stride: int = LENGTH // 2) -> float:
    """Bits of one document, of which the first token is a start that is known."""
    total, done = 0.0, 0
    for start in range(0, len(tokens) - 1, stride):
        piece = tokens[start : start + LENGTH + 1]
        new = len(piece) - 1 - (done - start)
        if new > 0:
            logits = model(piece[None, :-1])[0, -new:]
            total += F.cross_entropy(logits, piece[-new:], reduction="sum").item()
            done = start + len(piece) - 1
    return total / math.log(2)


def bits_per_byte(model: nn.Module, stride: int = LENGTH // 2) -> float:
    """Of all test documents together."""
    tokens, count = to_test()
    return sum(bits(model, document, stride) for document in tokens) / count


def mean(values: Iterable[float]) -> float:
    kept = list(values)
    return sum(kept) / len(kept)
