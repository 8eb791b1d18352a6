"""Known mistakes of `train_step`."""

import torch
import torch.nn.functional as F

from .train_step import exercise


def step(model, inputs, targets, optimizer, clip, *, mode=True, clear=True, reduction="mean",
         ignored=-100, clipped=True, shown=lambda loss: loss.detach()):  # fmt: skip
    """The right step, but for what is said."""
    if mode is not None:
        model.train(mode)
    logits = model(inputs).flatten(0, 1)
    targets = targets.flatten() if ignored == -100 else targets.flatten().clamp(min=0)
    loss = F.cross_entropy(logits, targets, reduction=reduction)
    if clear:
        optimizer.zero_grad()
    loss.backward()
    if clipped:
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return shown(loss)


@exercise.misconception(
    "The gradients of the step before were still there and were added to yours. Clear them "
    "before `backward`."
)
def keeps_gradients(model, inputs, targets, optimizer, clip):
    return step(model, inputs, targets, optimizer, clip, clear=False)


@exercise.misconception(
    "The gradients were cleared after `backward`, so the step saw none. Clear them before it."
)
def clears_too_late(model, inputs, targets, optimizer, clip):
    model.train()
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    loss.backward()
    optimizer.zero_grad(set_to_none=False)
    optimizer.step()
    return loss.detach()


@exercise.misconception(
    "The step was taken with gradients that were not clipped. Either nothing clips them, or it "
    "comes after the step, when the optimiser has used them."
)
def clips_after_the_step(model, inputs, targets, optimizer, clip):
    found = step(model, inputs, targets, optimizer, clip, clipped=False)
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    return found


@exercise.misconception(
    "You clipped each parameter by its own size. The limit holds for all gradients together, so "
    "that their direction stays."
)
def clips_each_parameter(model, inputs, targets, optimizer, clip):
    model.train()
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    for parameter in model.parameters():
        torch.nn.utils.clip_grad_norm_([parameter], clip)
    optimizer.step()
    return loss.detach()


@exercise.misconception(
    "You clipped the entries of the gradients. It is their norm that may be `clip` at most."
)
def clips_the_entries(model, inputs, targets, optimizer, clip):
    model.train()
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(model.parameters(), clip)
    optimizer.step()
    return loss.detach()


@exercise.misconception(
    "You brought gradients to the norm `clip` that were smaller. Shorter ones stay as they are."
)
def always_to_the_norm(model, inputs, targets, optimizer, clip):
    model.train()
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    norm = torch.cat([parameter.grad.flatten() for parameter in model.parameters()]).norm()
    for parameter in model.parameters():
        parameter.grad *= clip / norm
    optimizer.step()
    return loss.detach()


@exercise.misconception(
    "The model was given in evaluation mode and you left it there. A training step is done in "
    "training mode."
)
def stays_in_evaluation(model, inputs, targets, optimizer, clip):
    return step(model, inputs, targets, optimizer, clip, mode=None)


@exercise.misconception(
    "You put the model into evaluation mode. A training step is done in training mode."
)
def evaluation_mode(model, inputs, targets, optimizer, clip):
    return step(model, inputs, targets, optimizer, clip, mode=False)


@exercise.misconception(
    "You took the sum over the tokens. With the mean, the size of a step does not depend on how "
    "many there are."
)
def sum_for_mean(model, inputs, targets, optimizer, clip):
    return step(model, inputs, targets, optimizer, clip, reduction="sum")


@exercise.misconception(
    "You count the ignored targets as tokens. At the places where the target is -100 there is "
    "nothing to learn."
)
def learns_the_ignored(model, inputs, targets, optimizer, clip):
    return step(model, inputs, targets, optimizer, clip, ignored=0)


@exercise.misconception(
    "You divide by all places, those with an ignored target too. The mean is over the targets "
    "that count."
)
def mean_over_all_places(model, inputs, targets, optimizer, clip):
    model.train()
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), reduction="sum")
    loss = loss / targets.numel()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return loss.detach()


@exercise.misconception(
    "You return the loss after the step. Return the one whose gradients were taken; it is known "
    "already."
)
def loss_after_the_step(model, inputs, targets, optimizer, clip):
    step(model, inputs, targets, optimizer, clip)
    with torch.no_grad():
        return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())


@exercise.misconception("The model is as it was: `optimizer.step()` is missing.")
def without_a_step(model, inputs, targets, optimizer, clip):
    model.train()
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    return loss.detach()


def scaled(model, inputs, targets, optimizer, clip, norm_of):
    """A step in which another number than the norm decides."""
    model.train()
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    norm = norm_of(torch.cat([gradient.flatten() for gradient in gradients]))
    for gradient in gradients:
        gradient.mul_((clip / norm).clamp(max=1.0))
    optimizer.step()
    return loss.detach()


@exercise.misconception(
    "It is the sum of the squares that you compare with `clip`. The norm is the root of it."
)
def clips_by_the_squared_norm(model, inputs, targets, optimizer, clip):
    return scaled(model, inputs, targets, optimizer, clip, lambda row: row.square().sum())


@exercise.misconception(
    "It is the largest entry that you compare with `clip`. The norm is the length of all gradients "
    "as one vector."
)
def clips_by_the_largest_entry(model, inputs, targets, optimizer, clip):
    return scaled(model, inputs, targets, optimizer, clip, lambda row: row.abs().max())


@exercise.misconception(
    "Logits are reshaped where axes have to change places: `view` and `reshape` keep the order of "
    "the numbers. Cross-entropy wants the classes on axis 1."
)
def reshapes_the_logits(model, inputs, targets, optimizer, clip):
    model.train()
    logits = model(inputs)
    loss = F.cross_entropy(logits.reshape(len(inputs), logits.size(-1), -1), targets)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return loss.detach()
