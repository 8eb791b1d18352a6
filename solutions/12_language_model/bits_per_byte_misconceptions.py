"""Known mistakes of `bits_per_byte`."""

import math

import torch
import torch.nn.functional as F

from .bits_per_byte import exercise
from .bits_per_byte_windows import counted, losses, size, summed


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
    "You took a mean over each window and the mean of these. The last window has fewer tokens "
    "than the others."
)
def mean_of_means(model, tokens, text, length, stride):
    means = [part.mean().item() for part in losses(model, tokens, length, stride)]
    return sum(means) / len(means) * (len(tokens) - 1) / math.log(2) / size(text)


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
    "You return a perplexity: 2 to the power of the bits. The bits themselves are asked for."
)
def perplexity(model, tokens, text, length, stride):
    bits = summed(losses(model, tokens, length, stride)) / math.log(2)
    return 2 ** (bits / size(text))


@exercise.misconception(
    "You divide by the tokens, the start among them. Divide by the bytes of the text."
)
def per_token_and_start(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride)) / math.log(2) / len(tokens)


@exercise.misconception(
    "You count the bytes of a text without the blanks at its ends. They belong to the text."
)
def bytes_of_the_stripped_text(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride)) / math.log(2) / size(text.strip())


@exercise.misconception(
    "You divide by the logarithm of 10. A bit is the logarithm to base 2: divide nats by ln 2."
)
def divides_by_the_logarithm_of_10(model, tokens, text, length, stride):
    return summed(losses(model, tokens, length, stride)) / math.log(10) / size(text)


@exercise.misconception("Your number is rounded. Return it as it is.")
def rounded(model, tokens, text, length, stride):
    bits = summed(losses(model, tokens, length, stride)) / math.log(2)
    return round(bits / size(text), 2)
