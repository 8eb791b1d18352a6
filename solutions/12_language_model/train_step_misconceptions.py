"""Known mistakes of `train_step`."""

import torch

from .train_step import exercise
from .train_step_losses import mean


def step(model, inputs, targets, optimizer, clip, *, mode=True, clear=True, clipped=True):
    """The right step, but for what is said."""
    if mode is not None:
        model.train(mode)
    loss = mean(model(inputs), targets)
    if clear:
        optimizer.zero_grad()
    loss.backward()
    if clipped:
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return loss.detach()


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
    loss = mean(model(inputs), targets)
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
    loss = mean(model(inputs), targets)
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
    loss = mean(model(inputs), targets)
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
    loss = mean(model(inputs), targets)
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
    "You put the model back into evaluation mode. After a step it is in training mode, whatever it "
    "was in before."
)
def puts_the_mode_back(model, inputs, targets, optimizer, clip):
    was = model.training
    found = step(model, inputs, targets, optimizer, clip)
    model.train(was)
    return found


@exercise.misconception(
    "The model is in evaluation mode after your step. It is to be in training mode, before and "
    "after it."
)
def evaluation_mode_at_the_end(model, inputs, targets, optimizer, clip):
    found = step(model, inputs, targets, optimizer, clip)
    model.eval()
    return found


@exercise.misconception(
    "The loss was computed before the model was in training mode. `model.train()` comes first."
)
def training_mode_after_the_loss(model, inputs, targets, optimizer, clip):
    loss = mean(model(inputs), targets)
    model.train()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return loss.detach()


@exercise.misconception(
    "The loss was computed in evaluation mode. All of a step is done in training mode."
)
def loss_in_evaluation_mode(model, inputs, targets, optimizer, clip):
    found = step(model, inputs, targets, optimizer, clip, mode=False)
    model.train()
    return found


@exercise.misconception(
    "You put the model into evaluation mode. A training step is done in training mode."
)
def evaluation_mode(model, inputs, targets, optimizer, clip):
    return step(model, inputs, targets, optimizer, clip, mode=False)


@exercise.misconception(
    "You return the loss after the step. Return the one whose gradients were taken; it is known "
    "already."
)
def loss_after_the_step(model, inputs, targets, optimizer, clip):
    step(model, inputs, targets, optimizer, clip)
    with torch.no_grad():
        return mean(model(inputs), targets)


@exercise.misconception(
    "The model is as it was. Is `optimizer.step()` missing, or are the gradients cleared before it?"
)
def without_a_step(model, inputs, targets, optimizer, clip):
    model.train()
    loss = mean(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    return loss.detach()


def scaled(model, inputs, targets, optimizer, clip, norm_of):
    """A step in which another number than the norm decides."""
    model.train()
    loss = mean(model(inputs), targets)
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


@exercise.misconception("You clip at 1, whatever `clip` is.")
def clips_at_one(model, inputs, targets, optimizer, clip):
    return step(model, inputs, targets, optimizer, 1.0)


@exercise.misconception(
    "Not all gradients are clipped together, but those of the first group of the optimiser only. "
    "There may be several groups: `model.parameters()` has all."
)
def clips_the_first_group(model, inputs, targets, optimizer, clip):
    loss = mean(model.train()(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], clip)
    optimizer.step()
    return loss.detach()


@exercise.misconception(
    "Gradients of the step before are cleared in the first group of the optimiser only. "
    "`optimizer.zero_grad()` clears those of all groups."
)
def clears_the_first_group(model, inputs, targets, optimizer, clip):
    for parameter in optimizer.param_groups[0]["params"]:
        parameter.grad = None
    return step(model, inputs, targets, optimizer, clip, clear=False)


@exercise.misconception(
    "The step was taken by an optimiser that you made. It knows nothing of earlier steps, and its "
    "settings are others: use the one that is given."
)
def makes_a_new_optimizer(model, inputs, targets, optimizer, clip):
    new = torch.optim.AdamW(model.parameters(), lr=optimizer.param_groups[0]["lr"])
    return step(model, inputs, targets, new, clip)


@exercise.misconception(
    "The optimiser took two steps with the same gradients. One call of `step` is one step."
)
def two_steps(model, inputs, targets, optimizer, clip):
    found = step(model, inputs, targets, optimizer, clip)
    optimizer.step()
    return found


@exercise.misconception(
    "The step was not taken by the optimiser that is given. It remembers earlier steps and has "
    "settings of its own: leave the step to it."
)
def steps_by_hand(model, inputs, targets, optimizer, clip):
    loss = mean(model.train()(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    with torch.no_grad():
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                parameter.sub_(group["lr"] * parameter.grad)
    return loss.detach()
