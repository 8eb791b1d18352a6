"""Known mistakes of `train_step`."""

import math  # noqa: F401

import torch
import torch.nn.functional as F

from .train_step import exercise


def mean_of_rows(logits, targets):
    rows = zip(logits, targets, strict=True)
    return torch.stack([F.cross_entropy(*row) for row in rows if (row[1] >= 0).any()]).mean()


@exercise.base
def right(model, inputs, targets, optimizer, clip):
    model.train()
    logits, wanted = model(inputs), targets
    loss = F.cross_entropy(logits.flatten(0, 1), wanted.flatten())
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return loss.detach()


@exercise.base
def by_hand(model, inputs, targets, optimizer, clip):
    model.train()
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    norm = torch.cat([gradient.flatten() for gradient in gradients]).norm()
    for gradient in gradients:
        gradient.mul_((clip / norm).clamp(max=1.0))
    optimizer.step()
    return loss.detach()


# fmt: off
right.mistake("sum_for_mean", {"wanted.flatten())": 'wanted.flatten(), reduction="sum")'},
    "You take the sum over the tokens. With the mean, the size of a step does not depend on the "
    "number of tokens.")
right.mistake("learns_the_ignored",
    {"model(inputs), targets": "model(inputs), targets.clamp(min=0)"},
    "You count the ignored targets as tokens. Where the target is -100 there is nothing to learn.")
right.mistake("mean_over_all_places",
    {"wanted.flatten())": 'wanted.flatten(), reduction="sum") / targets.numel()'},
    "You divide by the number of all places, including those with an ignored target. The mean "
    "runs over the targets that count.")
right.mistake("mean_of_the_rows",
    {"F.cross_entropy(logits.flatten(0, 1), wanted.flatten())": "mean_of_rows(logits, wanted)"},
    "You take the mean of each row, and then the mean of those. All targets that count have the "
    "same weight, even where a row has few of them.")
right.mistake("ignores_the_token_0",
    {"model(inputs), targets": "model(inputs), targets.masked_fill(targets == 0, -100)"},
    "Targets that are token 0 do not count in your loss. Only the target -100 is ignored.")
right.mistake("ignores_where_the_input_is_0",
    {"model(inputs), targets": "model(inputs), targets.masked_fill(inputs == 0, -100)"},
    "Places where the input is 0 do not count in your loss. That token begins each document, and "
    "the model should learn what follows it. Where there is nothing to learn, the target is -100.")
right.mistake("softmax_first", {"model(inputs), targets": "model(inputs).softmax(dim=-1), targets"},
    "You take a softmax before the cross-entropy, which takes one itself. Give it the logits.")
right.mistake("shifts_again",
    {"= model(inputs), targets":
        "= model(inputs), targets\n"
        "    if inputs.size(1) > 1:\n"
        "        logits, wanted = logits[:, :-1], wanted[:, 1:]"},
    "You shift the targets once more. They are the next tokens already: logits and targets of the "
    "same place belong together.")
right.mistake("loss_in_bits", {"wanted.flatten())": "wanted.flatten()) / math.log(2)"},
    "Your loss is in bits, and so are its gradients. The exercise asks for nats.")
right.mistake("returned_in_bits", {"loss.detach()": "loss.detach() / math.log(2)"},
    "You return the loss in bits. The exercise asks for nats.")
right.mistake("last_place_only",
    {"model(inputs), targets": "model(inputs)[:, -1:], targets[:, -1:]"},
    "Only the last place of each row counts in your loss. Each place has a target to learn from.")
right.mistake("reshapes_the_logits",
    {"logits.flatten(0, 1), wanted.flatten()":
        "logits.reshape(len(inputs), logits.size(-1), -1), wanted"},
    "You reshape the logits where their axes should change places: `view` and `reshape` keep the "
    "order of the numbers. Cross-entropy expects the classes on axis 1.")
right.mistake("keeps_gradients", {"    optimizer.zero_grad()\n": ""},
    "The gradients of the previous step are added to yours. Clear them before `backward`.")
right.mistake("clears_too_late",
    {"    optimizer.zero_grad()\n": "",
     "torch.nn.utils.clip_grad_norm_(model.parameters(), clip)":
        "optimizer.zero_grad(set_to_none=False)"},
    "You clear the gradients after `backward`, so the step uses none. Clear them before it.")
right.mistake("clips_after_the_step",
    {"torch.nn.utils.clip_grad_norm_(model.parameters(), clip)\n"
     "    optimizer.step()":
        "optimizer.step()\n    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)"},
    "The step uses gradients that are not clipped. Either nothing clips them, or you clip them "
    "after the step, when the optimiser has used them.")
right.mistake("clips_each_parameter",
    {"torch.nn.utils.clip_grad_norm_(model.parameters(), clip)":
        "for parameter in model.parameters():\n"
        "        torch.nn.utils.clip_grad_norm_([parameter], clip)"},
    "You clip each parameter by its own norm. The limit applies to all gradients together, so "
    "that their direction stays the same.")
right.mistake("clips_the_entries", {"clip_grad_norm_": "clip_grad_value_"},
    "You clip the entries of the gradients. The limit `clip` applies to their norm.")
by_hand.mistake("always_to_the_norm", {"(clip / norm).clamp(max=1.0)": "clip / norm"},
    "You scale gradients up to the norm `clip` where theirs is smaller. Smaller ones stay as they "
    "are.")
right.mistake("stays_in_evaluation", {"    model.train()\n": ""},
    "You got the model in evaluation mode and left it there. A training step runs in training "
    "mode.")
right.mistake("puts_the_mode_back",
    {"model.train()": "was, _ = model.training, model.train()",
     "optimizer.step()": "optimizer.step()\n    model.train(was)"},
    "You put the model back into evaluation mode. After a step it is in training mode, whatever "
    "mode it was in before.")
right.mistake("evaluation_mode_at_the_end",
    {"optimizer.step()": "optimizer.step()\n    model.eval()"},
    "The model is in evaluation mode after your step. It should be in training mode from the "
    "start of the step on.")
right.mistake("training_mode_after_the_loss",
    {"    model.train()\n": "",
     "optimizer.zero_grad()": "model.train()\n    optimizer.zero_grad()"},
    "You compute the loss before the model is in training mode. `model.train()` comes first.")
right.mistake("loss_in_evaluation_mode",
    {"model.train()": "model.eval()", "optimizer.step()": "optimizer.step()\n    model.train()"},
    "You compute the loss in evaluation mode. The whole step runs in training mode.")
right.mistake("evaluation_mode", {"model.train()": "model.eval()"},
    "You put the model into evaluation mode. A training step runs in training mode.")
right.mistake("loss_after_the_step",
    {"return loss.detach()":
        "logits = model(inputs)\n"
        "    return F.cross_entropy(logits.flatten(0, 1), targets.flatten()).detach()"},
    "You return the loss after the step. Return the loss that the gradients were computed from.")
right.mistake("without_a_step", {"    optimizer.step()\n": ""},
    "The model has not changed. Is `optimizer.step()` missing, or do you clear the gradients "
    "before it?")
by_hand.mistake("clips_by_the_squared_norm", {".norm()": ".square().sum()"},
    "You compare the sum of the squares with `clip`. The norm is its root.")
by_hand.mistake("clips_by_the_largest_entry", {".norm()": ".abs().max()"},
    "You compare the largest entry with `clip`. The norm is the length of all gradients as one "
    "vector.")
right.mistake("clips_at_one", {"model.parameters(), clip": "model.parameters(), 1.0"},
    "You clip at 1, whatever `clip` is.")
right.mistake("clips_the_first_group",
    {"model.parameters(), clip": 'optimizer.param_groups[0]["params"], clip'},
    "You clip only the gradients of the optimiser's first group. There may be several groups, and "
    "`model.parameters()` has all parameters.")
right.mistake("clears_the_first_group",
    {"optimizer.zero_grad()":
        'for parameter in optimizer.param_groups[0]["params"]:\n        parameter.grad = None'},
    "You clear only the gradients of the optimiser's first group. `optimizer.zero_grad()` clears "
    "those of all groups.")
right.mistake("makes_a_new_optimizer",
    {"model.train()":
        'rate = optimizer.param_groups[0]["lr"]\n'
        "    optimizer = torch.optim.AdamW(model.train().parameters(), rate)"},
    "The step uses an optimiser that you created. It has no state from earlier steps, and its "
    "settings differ. Use the one that is given.")
right.mistake("two_steps", {"optimizer.step()": "optimizer.step()\n    optimizer.step()"},
    "The optimiser takes two steps with the same gradients. Call `step` once.")
right.mistake("steps_by_hand",
    {"optimizer.step()":
        "with torch.no_grad():\n"
        "        for group in optimizer.param_groups:\n"
        '            for parameter in group["params"]:\n'
        '                parameter.sub_(group["lr"] * parameter.grad)'},
    "You do not use the given optimiser for the step. It has a state from earlier steps and its "
    "own settings, so leave the step to it.")
