"""Trains a model with one defect, in a loop that may have one itself."""

import numpy as np
import torch
from bugs_model import RIGHT, Model, Use
from bugs_tasks import SYMBOLS, Batch, batch, losses
from torch import Tensor

STEPS, SIZE, RATE, CLIP, LAST = 300, 16, 3e-3, 1.0, 40  # SIZE: texts of a step


def made(task: str, defect: str, seeds: range) -> Model:
    """A model for a task, before any step."""
    pooled = task == "count"
    return Model(SYMBOLS + pooled, defect, seeds, pooled)


def spoiled(given: Batch, defect: str) -> Batch:
    """What the loop trains on: targets may be the tokens themselves, or another text's."""
    targets = given.targets
    if defect == "targets not shifted":
        targets = given.tokens
    if defect == "targets out of order":  # flattened along the other axis than the logits
        targets = targets.mT.reshape(targets.shape)
    return Batch(given.tokens, given.real, targets)


def reported(model: Model, given: Batch, use: Use) -> Tensor:
    """The loss of each seed as the loop computes it, with what is wrong there."""
    given = spoiled(given, model.defect)
    if model.defect != "softmax over the positions":
        return losses(model, given, use)
    logits = model(given.tokens, given.real, use)  # [seeds, batch, length, symbols]
    taken = logits.log_softmax(dim=2).gather(-1, given.targets[..., None])
    return -taken.flatten(1).mean(dim=1)


def clip(parameters: list[Tensor]) -> None:
    """The gradient of each seed to a length of CLIP at most, in place."""
    gradients = [p.grad for p in parameters if p.grad is not None]
    squares = sum(g.flatten(1).square().sum(dim=1) for g in gradients)
    shrink = (CLIP / torch.as_tensor(squares).sqrt().clamp(min=1e-12)).clamp(max=1)  # [seeds]
    for gradient in gradients:
        gradient.mul_(shrink.view(-1, *[1] * (gradient.dim() - 1)))


def step(model: Model, optimizer: torch.optim.Optimizer, given: Batch) -> Tensor:
    """One step on a batch; the loss of each seed before it."""
    if model.defect != "gradients kept":
        optimizer.zero_grad()
    each = reported(model, given, Use(training=True))
    (-each if model.defect == "steps uphill" else each).sum().backward()
    if model.defect == "clipped after the step":
        optimizer.step()
        clip(model.parameters)
    else:
        clip(model.parameters)
        optimizer.step()
    return each.detach()


def train(
    task: str, defect: str = RIGHT, seeds: range = range(5), steps: int = STEPS
) -> tuple[Model, Tensor]:
    """A trained model, and its training loss [steps, seeds]."""
    model, rng = made(task, defect, seeds), np.random.default_rng(1000 + seeds.start)
    optimizer = torch.optim.Adam(model.parameters, RATE)
    curve = [step(model, optimizer, batch(task, len(seeds), SIZE, rng)) for _ in range(steps)]
    return model, torch.stack(curve)
