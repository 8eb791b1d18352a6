"""Two tasks whose answers lie a few tokens back, at any length; training and scoring of models.

Copying: say the symbol of three tokens ago. Successor: names and goods in turn; asked by a name,
say what came after it last time. A target of -100 is not asked.
"""

import torch
from positions_model import Model
from torch import Tensor
from torch.nn import functional as F

SYMBOLS, BACK, NAMES = 16, 3, 8  # in successor, 8 names and 8 goods
TRAINED, BATCH, TAIL = 32, 16, 16  # the last TAIL tokens are scored
LAYERS = {"copying": 1, "successor": 2}
STEPS = {"copying": 300, "successor": 600}
CHANCE = {"copying": 1 / SYMBOLS, "successor": 1 / NAMES}
SILENT = -100
Batch = tuple[Tensor, Tensor, Tensor]  # tokens, targets, distance to the answer; [..., length]


class Sampler:
    """Batches of a task, as many sequences for each seed."""

    def __init__(self, task: str, seeds: range, shift: int = 0):
        self.make, self.seeds = getattr(self, task), len(seeds)
        self.rng = torch.Generator().manual_seed(seeds.start + 100 * (shift + 1))

    def __call__(self, size: int, length: int) -> Batch:
        return self.make(self.seeds, size, length)

    def copying(self, *shape: int) -> Batch:
        tokens = torch.randint(SYMBOLS, shape, generator=self.rng)
        targets = tokens.roll(BACK, dims=-1)
        targets[..., :BACK] = SILENT
        return tokens, targets, torch.full(shape, BACK)

    def successor(self, *shape: int) -> Batch:
        *rows, length = shape
        names, goods = torch.randint(NAMES, (2, *rows, length // 2), generator=self.rng)
        pair = torch.arange(length // 2)
        same = (names[..., None] == names[..., None, :]).tril(-1)  # [..., pairs, earlier]
        last = torch.where(same, pair, -1).amax(dim=-1)  # the pair to look up, or -1
        answers = goods.gather(-1, last.clamp(min=0)) + NAMES
        silent = torch.full_like(names, SILENT)
        tokens = _in_turn(names, goods + NAMES)
        targets = _in_turn(torch.where(last < 0, SILENT, answers), silent)
        return tokens, targets, _in_turn(2 * (pair - last) - 1, silent)


def _in_turn(first: Tensor, second: Tensor) -> Tensor:
    return torch.stack([first, second], dim=-1).flatten(-2)


def train(
    task: str,
    model: Model,
    seeds: range,
    steps: int | None = None,
    rate: float = 1e-2,
    length: int = TRAINED,
) -> Model:
    """Learns from fresh sequences of one length; each seed as if it were alone."""
    sampler, steps = Sampler(task, seeds), steps or STEPS[task]
    optimizer = torch.optim.Adam(model.parameters)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    for _ in range(steps):
        tokens, targets, _ = sampler(BATCH * TRAINED // length, length)
        loss = F.cross_entropy(model(tokens).flatten(0, -2), targets.flatten())
        optimizer.zero_grad()
        (model.seeds * loss).backward()
        optimizer.step()
        schedule.step()
    return model


@torch.no_grad()
def accuracy(
    task: str,
    model: Model,
    seeds: range,
    length: int,
    start: int = 0,
    window: int = 10**6,
    far: bool = False,
    sequences: int = 0,
) -> list[float]:
    """Share of right answers among the last tokens, by seed.

    The tokens stand at positions from `start` on; a query sees `window` keys. Only answers are
    asked that lie less than TRAINED tokens back, or with `far` only the others.
    """
    sampler = Sampler(task, seeds, shift=1)
    tokens, targets, distance = sampler(sequences or 2048 // length, length)
    asked = (targets != SILENT) & ((distance >= TRAINED) == far)
    asked[..., :-TAIL] = False
    logits = model(tokens, torch.arange(start, start + length), window)
    right = (logits.argmax(dim=-1) == targets) & asked
    return (right.sum(dim=(1, 2)) / asked.sum(dim=(1, 2))).tolist()
