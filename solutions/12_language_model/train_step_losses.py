"""Known mistakes of `train_step` in the loss."""

import math

import torch
import torch.nn.functional as F

from .train_step import exercise


def mean(logits, targets):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def of_loss(model, inputs, optimizer, clip, loss_of, shown=lambda loss: loss):
    """The right step for another loss."""
    model.train()
    loss = loss_of(model(inputs))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return shown(loss.detach())


@exercise.misconception(
    "You took the sum over the tokens. With the mean, the size of a step does not depend on how "
    "many there are."
)
def sum_for_mean(model, inputs, targets, optimizer, clip):
    def loss_of(logits):
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum")

    return of_loss(model, inputs, optimizer, clip, loss_of)


@exercise.misconception(
    "You count the ignored targets as tokens. At the places where the target is -100 there is "
    "nothing to learn."
)
def learns_the_ignored(model, inputs, targets, optimizer, clip):
    def loss_of(logits):
        return mean(logits, targets.clamp(min=0))

    return of_loss(model, inputs, optimizer, clip, loss_of)


@exercise.misconception(
    "You divide by all places, those with an ignored target too. The mean is over the targets "
    "that count."
)
def mean_over_all_places(model, inputs, targets, optimizer, clip):
    def loss_of(logits):
        total = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum")
        return total / targets.numel()

    return of_loss(model, inputs, optimizer, clip, loss_of)


@exercise.misconception(
    "You took the mean of each row, and the mean of these. All targets that count weigh the same, "
    "also where a row has few of them."
)
def mean_of_the_rows(model, inputs, targets, optimizer, clip):
    def loss_of(logits):
        rows = zip(logits, targets, strict=True)
        return torch.stack([F.cross_entropy(*row) for row in rows if (row[1] >= 0).any()]).mean()

    return of_loss(model, inputs, optimizer, clip, loss_of)


@exercise.misconception(
    "Targets that are the token 0 do not count in your loss. Only the target -100 is ignored."
)
def ignores_the_token_0(model, inputs, targets, optimizer, clip):
    def loss_of(logits):
        return mean(logits, targets.masked_fill(targets == 0, -100))

    return of_loss(model, inputs, optimizer, clip, loss_of)


@exercise.misconception(
    "Places where the input is 0 do not count in your loss. That token begins each document, and "
    "what follows it is learned. Where there is nothing to learn, the target is -100."
)
def ignores_where_the_input_is_0(model, inputs, targets, optimizer, clip):
    def loss_of(logits):
        return mean(logits, targets.masked_fill(inputs == 0, -100))

    return of_loss(model, inputs, optimizer, clip, loss_of)


@exercise.misconception(
    "You took the softmax before the cross-entropy, which takes one itself: give it the logits."
)
def softmax_first(model, inputs, targets, optimizer, clip):
    def loss_of(logits):
        return mean(logits.softmax(dim=-1), targets)

    return of_loss(model, inputs, optimizer, clip, loss_of)


@exercise.misconception(
    "You shifted the targets once more. They are the next tokens already: logits and targets of a "
    "place belong together."
)
def shifts_again(model, inputs, targets, optimizer, clip):
    def loss_of(logits):
        if logits.size(1) == 1:
            return mean(logits, targets)
        return mean(logits[:, :-1], targets[:, 1:])

    return of_loss(model, inputs, optimizer, clip, loss_of)


@exercise.misconception("Your loss is in bits, and so are its gradients. Nats are asked for.")
def loss_in_bits(model, inputs, targets, optimizer, clip):
    def loss_of(logits):
        return mean(logits, targets) / math.log(2)

    return of_loss(model, inputs, optimizer, clip, loss_of)


@exercise.misconception("You return the loss in bits. Nats are asked for.")
def returned_in_bits(model, inputs, targets, optimizer, clip):
    def loss_of(logits):
        return mean(logits, targets)

    return of_loss(model, inputs, optimizer, clip, loss_of, lambda loss: loss / math.log(2))


@exercise.misconception(
    "Only the last place of each row counts in your loss. Each place has a target to learn from."
)
def last_place_only(model, inputs, targets, optimizer, clip):
    def loss_of(logits):
        return F.cross_entropy(logits[:, -1], targets[:, -1])

    return of_loss(model, inputs, optimizer, clip, loss_of)


@exercise.misconception(
    "Logits are reshaped where axes have to change places: `view` and `reshape` keep the order of "
    "the numbers. Cross-entropy wants the classes on axis 1."
)
def reshapes_the_logits(model, inputs, targets, optimizer, clip):
    def loss_of(logits):
        return F.cross_entropy(logits.reshape(len(inputs), logits.size(-1), -1), targets)

    return of_loss(model, inputs, optimizer, clip, loss_of)
