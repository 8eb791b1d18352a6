"""Known mistakes of `bits_per_byte` in where windows begin, and what of them counts."""

import math

import torch
import torch.nn.functional as F

from .bits_per_byte import exercise


@torch.no_grad()
def losses(model, tokens, length, stride, *, overlap=False, mode=False, back=True, whole=False):
    """The losses in nats, a list for each window, but for what is said."""
    was, done, found = model.training, 0, []
    if mode is not None:
        model.train(mode)
    for start in range(0, len(tokens) - 1, stride):
        piece = tokens[start : start + length + 1]
        new = len(piece) - 1 if overlap else start + len(piece) - 1 - done
        if new <= 0 or (whole and len(piece) < length + 1):
            break
        logits = model(piece[None, :-1])[0]
        found.append(F.cross_entropy(logits[-new:], piece[-new:], reduction="none"))
        done = start + len(piece) - 1
    if back:
        model.train(was)
    return found


def summed(found):
    return sum(part.sum().item() for part in found)


def size(text):
    return len(text.encode())


@torch.no_grad()
def counted(model, tokens, length, stride, cost, apart=None, stop=True):
    """The sum over the windows in evaluation mode of what `cost` says of each."""
    was, done, found = model.training, 0, 0.0
    model.eval()
    for start in range(0, len(tokens) - 1, apart or stride):
        piece = tokens[start : start + length + 1]
        new = start + len(piece) - 1 - done
        if stop and new <= 0:
            break
        found += float(cost(model(piece[None, :-1])[0], piece[1:], new))
        done = start + len(piece) - 1
    model.train(was)
    return found


def nats(logits, targets):
    return F.cross_entropy(logits, targets, reduction="sum")


@exercise.misconception(
    "Where windows overlap you count a token in each of them. It counts once, in the first "
    "window that has it."
)
def counts_overlaps(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride, overlap=True)) / math.log(2) / size(text)


@exercise.misconception(
    "Your windows do not overlap, so each begins with no context. They begin `stride` tokens apart."
)
def context_restarts(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, length)) / math.log(2) / size(text)


@exercise.misconception(
    "The tokens at the end that do not fill a window are missing. The last window is shorter."
)
def drops_the_end(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride, whole=True)) / math.log(2) / size(text)


@exercise.misconception(
    "The first window counts for its last `stride` tokens only. No earlier window has counted "
    "the others."
)
def first_window_cut(model, tokens, text, length, stride):
    found = losses(model, tokens, length, stride)
    found[0] = found[0][-stride:]
    return summed(found) / math.log(2) / size(text)


@exercise.misconception(
    "Where windows overlap you count a token in each of them, until all were seen. It counts once, "
    "in the first window that has it."
)
def counts_overlaps_until_the_end(model, tokens, text, length, stride):
    found = counted(model, tokens, length, stride, lambda logits, y, new: nats(logits, y))
    return found / math.log(2) / size(text)


@exercise.misconception(
    "A token that stands in several windows counts in the last one, where it has the least "
    "context. It counts in the first window that has it."
)
@torch.no_grad()
def counts_in_the_last_window(model, tokens, text, length, stride):
    was, costs = model.training, torch.zeros(len(tokens) - 1, dtype=torch.float64)
    model.eval()
    for start in range(0, len(tokens) - 1, stride):
        piece = tokens[start : start + length + 1]
        logits = model(piece[None, :-1])[0]
        found = F.cross_entropy(logits, piece[1:], reduction="none")
        costs[start : start + length] = found.double().cpu()
        if start + length >= len(tokens) - 1:
            break
    model.train(was)
    return float(costs.sum()) / math.log(2) / size(text)


@exercise.misconception(
    "Of each window you count the last `stride` tokens. In the first one all are new, and in the "
    "last one there may be fewer."
)
def counts_a_stride_of_each(model, tokens, text, length, stride):
    def cost(logits, targets, new):
        return nats(logits[-stride:], targets[-stride:])

    return counted(model, tokens, length, stride, cost) / math.log(2) / size(text)


@exercise.misconception(
    "You take `stride` for what two windows share. It is how far apart they begin."
)
def takes_the_stride_for_the_overlap(model, tokens, text, length, stride):
    def cost(logits, targets, new):
        return nats(logits[-new:], targets[-new:])

    apart = max(1, length - stride)
    return counted(model, tokens, length, stride, cost, apart) / math.log(2) / size(text)


@exercise.misconception(
    "There is a window without a new token at the end, and all of it counts: `x[-0:]` is all of x. "
    "Stop when every token is counted."
)
def counts_a_window_without_news(model, tokens, text, length, stride):
    def cost(logits, targets, new):
        return nats(logits[-max(new, 0) :], targets[-max(new, 0) :])

    return counted(model, tokens, length, stride, cost, stop=False) / math.log(2) / size(text)


@exercise.misconception(
    "Where windows overlap you count the first tokens of a window. Those that no window had before "
    "are its last ones."
)
def counts_the_first_of_a_window(model, tokens, text, length, stride):
    def cost(logits, targets, new):
        return nats(logits[:new], targets[:new])

    return counted(model, tokens, length, stride, cost) / math.log(2) / size(text)


@exercise.misconception(
    "Your windows are one token too short: the model gets `length` tokens, and the target of the "
    "last of them lies behind the window."
)
def windows_of_one_less(model, tokens, text, length, stride):
    return summed(losses(model, tokens, max(1, length - 1), stride)) / math.log(2) / size(text)


@exercise.misconception(
    "The tokens at the end that do not fill a window are missing, but for a text of one window. "
    "The last window is shorter."
)
def drops_the_end_of_many(model, tokens, text, length, stride):
    found = losses(model, tokens, length, stride, whole=len(tokens) > length)
    return summed(found) / math.log(2) / size(text)


@exercise.misconception(
    "Of each window you count the last `stride` tokens, new or not. In the first one all are new, "
    "and in the last one there may be fewer."
)
def counts_a_stride_of_all(model, tokens, text, length, stride):
    def cost(logits, targets, new):
        return nats(logits[-stride:], targets[-stride:])

    return counted(model, tokens, length, stride, cost, stop=False) / math.log(2) / size(text)


@exercise.misconception("Only the first window is there. Go on until every token is counted.")
def first_window_only(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride)[:1]) / math.log(2) / size(text)
