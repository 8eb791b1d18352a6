"""Training by a budget of work, and bits a byte of held-out text."""

import math
from collections.abc import Callable, Iterable
from functools import cache

import torch
from choosing import Choice
from lm_model import LENGTH, VOCABULARY
from lm_text import IGNORED, Tokenizer, documents, pieces_of, tokens_of, train_bpe
from torch import Tensor, nn
from torch.nn import functional as F

BATCH, CLIP, WARMUP = 16, 1.0, 0.1
RATES = (3e-3, 1e-2, 3e-2, 1e-1)
TRIAL = 100  # the first seed that rates are tried with; no result is from it


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


def end(made: Callable[[], nn.Module], steps: int, rate: float, seed: int = TRIAL) -> float:
    """The loss at the end of training, by which rates are chosen. The test text has no say."""
    torch.manual_seed(seed)
    loss = mean(train(made(), to_train(), steps, seed, rate)[-50:])
    return math.inf if math.isnan(loss) else loss


def best_rate(made: Callable[[], nn.Module], steps: int) -> Choice:
    """The best of `RATES`, with one seed that no result is from."""
    return Choice({rate: end(made, steps, rate) for rate in RATES})


def train(model: nn.Module, pieces: Tensor, steps: int, seed: int, rate: float) -> list[float]:
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


def windows(document: Tensor, stride: int) -> list[tuple[Tensor, int]]:
    """Pieces of a document, and how many targets at the end of each are new."""
    found, done = [], 0
    for start in range(0, len(document) - 1, stride):
        piece = document[start : start + LENGTH + 1]
        new = start + len(piece) - 1 - done
        if new > 0:
            found.append((piece, new))
            done += new
    return found


@torch.no_grad()
def bits_per_byte(model: nn.Module, stride: int = LENGTH // 2) -> float:
    """Of all test documents together; the start of each is known and costs nothing."""
    tokens, count = to_test()
    pieces = [pair for document in tokens for pair in windows(document, stride)]
    nats = 0.0
    for at in range(0, len(pieces), 2 * BATCH):
        rows = torch.full((len(pieces[at : at + 2 * BATCH]), LENGTH + 1), IGNORED)
        for row, (piece, _) in zip(rows, pieces[at : at + 2 * BATCH], strict=True):
            row[: len(piece)] = piece
        logits = model(rows[:, :-1].clamp(min=0))
        for row, (piece, new) in enumerate(pieces[at : at + 2 * BATCH]):
            end = len(piece) - 1
            logs = logits[row, end - new : end]
            nats += F.cross_entropy(logs, piece[-new:], reduction="sum").item()
    return nats / math.log(2) / count


def mean(values: Iterable[float]) -> float:
    kept = list(values)
    return sum(kept) / len(kept)
