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
