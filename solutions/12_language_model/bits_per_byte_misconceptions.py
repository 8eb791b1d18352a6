"""Known mistakes of `bits_per_byte`."""

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


@exercise.misconception(
    "Your result is in nats. Cross-entropy takes the natural logarithm: what is a bit of it?"
)
def in_nats(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride)) / size(text)


@exercise.misconception(
    "You multiply by ln 2 to get bits. A bit is ln 2 nats: are there more bits or more nats?"
)
def multiplies_by_the_logarithm(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride)) * math.log(2) / size(text)


@exercise.misconception(
    "You divide by the tokens. Then a tokenizer with longer tokens looks worse. Divide by the "
    "bytes of the text."
)
def per_token(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride)) / math.log(2) / (len(tokens) - 1)


@exercise.misconception("You divide by the characters. A letter such as é has two bytes in UTF-8.")
def per_character(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride)) / math.log(2) / len(text)


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
    "You took a mean over each window and the mean of these. The last window has fewer tokens "
    "than the others."
)
def mean_of_means(model, tokens, text, length, stride):
    means = [part.mean().item() for part in losses(model, tokens, length, stride)]
    return sum(means) / len(means) * (len(tokens) - 1) / math.log(2) / size(text)


@exercise.misconception(
    "The tokens at the end that do not fill a window are missing. The last window is shorter."
)
def drops_the_end(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride, whole=True)) / math.log(2) / size(text)


@exercise.misconception("The model was in training mode. Measure in evaluation mode.")
def in_training_mode(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride, mode=True)) / math.log(2) / size(text)


@exercise.misconception(
    "You did not set the mode of the model: whoever gives you one in training mode gets another "
    "number."
)
def in_the_given_mode(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride, mode=None)) / math.log(2) / size(text)


@exercise.misconception(
    "The model is in another mode after your measurement. Put it back into the mode in which "
    "you got it."
)
def leaves_evaluation_mode(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride, back=False)) / math.log(2) / size(text)


@exercise.misconception(
    "The first window counts for its last `stride` tokens only. No earlier window has counted "
    "the others."
)
def first_window_cut(model, tokens, text, length, stride):
    found = losses(model, tokens, length, stride)
    found[0] = found[0][-stride:]
    return summed(found) / math.log(2) / size(text)


@exercise.misconception(
    "You compare each place with its own token. The logits at a place are about the token after it."
)
@torch.no_grad()
def not_shifted(model, tokens, text, length, stride):
    was, total = model.training, 0.0
    model.eval()
    done = 0
    for start in range(0, len(tokens) - 1, stride):
        piece = tokens[start : min(start + length, len(tokens) - 1)]
        new = start + len(piece) - done
        if new <= 0:
            break
        total += F.cross_entropy(model(piece[None])[0][-new:], piece[-new:], reduction="sum").item()
        done += new
    model.train(was)
    return total / math.log(2) / size(text)


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


@exercise.misconception("You count the start as a byte. It is no part of the text.")
def start_is_a_byte(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride)) / math.log(2) / (size(text) + 1)


@exercise.misconception(
    "An unlikely token costs infinitely much: its probability is 0 after rounding, and so has no "
    "logarithm. `log_softmax` and `cross_entropy` never make the probability."
)
def logarithm_of_the_softmax(model, tokens, text, length, stride):
    def cost(logits, targets, new):
        probs = logits.softmax(dim=-1).gather(-1, targets[:, None])[-new:]
        return -probs.log2().sum()

    return counted(model, tokens, length, stride, cost) / size(text)


@exercise.misconception(
    "A small number is added to each probability, so that an unlikely token costs too little. "
    "`log_softmax` needs none."
)
def adds_a_small_number(model, tokens, text, length, stride):
    def cost(logits, targets, new):
        probs = logits.double().softmax(dim=-1).gather(-1, targets[:, None])[-new:]
        return -(probs + 1e-9).log2().sum()

    return counted(model, tokens, length, stride, cost) / size(text)


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
    short = max(1, length - 1)
    return summed(losses(model, tokens, short, min(stride, short))) / math.log(2) / size(text)
