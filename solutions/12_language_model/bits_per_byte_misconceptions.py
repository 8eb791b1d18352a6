"""Known mistakes of `bits_per_byte`."""

import math

import torch
import torch.nn.functional as F

from .bits_per_byte import exercise


def probabilities(logits, targets):
    """The probability of each target."""
    return logits.softmax(dim=-1).gather(-1, targets[:, None])


@exercise.base
def right(model, tokens, text, length, stride):
    was, done, found = model.training, 0, []
    model.eval()
    for start in range(0, len(tokens) - 1, stride):
        piece = tokens[start : start + length + 1]
        new = start + len(piece) - 1 - done
        if new <= 0:
            break
        with torch.no_grad():
            logits = model(piece[None, :-1])[0]
        found.append(F.cross_entropy(logits[-new:], piece[-new:], reduction="none"))
        done += new
    model.train(was)
    total = sum(part.sum().item() for part in found)
    return total / math.log(2) / len(text.encode())


# fmt: off
right.mistake("counts_overlaps", {"len(piece) - 1 - done": "len(piece) - 1 - start"},
    "Where windows overlap, you count a token in each of them. It should count once, in the first "
    "window that contains it.")
right.mistake("context_restarts", {"- 1, stride)": "- 1, length)"},
    "Your windows do not overlap, so each begins without context. They should begin `stride` "
    "tokens apart.")
right.mistake("drops_the_end", {"if new <= 0:": "if new <= 0 or len(piece) < length + 1:"},
    "The tokens at the end that do not fill a window are missing. The last window is shorter.")
right.mistake("first_window_cut",
    {"total = sum(": "found[0] = found[0][-stride:]\n    total = sum("},
    "In the first window you count only its last `stride` tokens. No earlier window has counted "
    "the others.")
right.mistake("counts_overlaps_until_the_end",
    {'logits[-new:], piece[-new:], reduction="none"': 'logits, piece[1:], reduction="sum"'},
    "Until all tokens have been seen, you count a token in each window that contains it. It "
    "should count once, in the first of them.")


@exercise.misconception(
    "A token in several windows counts in the last one, where it has the least context. It should "
    "count in the first window that contains it."
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
    return float(costs.sum()) / math.log(2) / len(text.encode())


right.mistake("counts_a_stride_of_each",
    {'logits[-new:], piece[-new:], reduction="none"':
        'logits[-stride:], piece[1:][-stride:], reduction="sum"'},
    "You count the last `stride` tokens of each window. In the first window all are new, and in "
    "the last one there may be fewer.")
right.mistake("takes_the_stride_for_the_overlap",
    {"- 1, stride)": "- 1, max(1, length - stride))",
     'piece[-new:], reduction="none"': 'piece[1:][-new:], reduction="sum"'},
    "You use `stride` as the overlap of two windows. It is the distance between their beginnings.")
right.mistake("counts_a_window_without_news",
    {"if new <= 0:": "if done < 0:",
     'logits[-new:], piece[-new:], reduction="none"':
        'logits[-max(new, 0) :], piece[1:][-max(new, 0) :], reduction="sum"'},
    "There is a window without a new token at the end, and all of it counts: `x[-0:]` is all of "
    "x. Stop when every token is counted.")
right.mistake("counts_the_first_of_a_window",
    {'logits[-new:], piece[-new:], reduction="none"':
        'logits[:new], piece[1:][:new], reduction="sum"'},
    "Where windows overlap, you count the first tokens of a window. The tokens that no earlier "
    "window contained are its last ones.")
right.mistake("windows_of_one_less", {"start + length + 1]": "start + max(1, length - 1) + 1]"},
    "Your windows are one token too short. The model gets `length` tokens, and the target of the "
    "last of them lies after the window.")
right.mistake("drops_the_end_of_many",
    {"if new <= 0:": "if new <= 0 or len(piece) <= length < len(tokens):"},
    "The tokens at the end that do not fill a window are missing, except in a text of one window. "
    "The last window is shorter.")
right.mistake("counts_a_stride_of_all",
    {"if new <= 0:": "if done < 0:",
     'logits[-new:], piece[-new:], reduction="none"':
        'logits[-stride:], piece[1:][-stride:], reduction="sum"'},
    "You count the last `stride` tokens of each window, new or not. In the first window all are "
    "new, and in the last one there may be fewer.")
right.mistake("first_window_only", {"in found)": "in found[:1])"},
    "You use only the first window. Continue until every token is counted.")
right.mistake("in_nats", {"total / math.log(2)": "total"},
    "Your result is in nats, since cross-entropy uses the natural logarithm. How many nats are "
    "one bit?")
right.mistake("multiplies_by_the_logarithm", {"total / math.log(2)": "total * math.log(2)"},
    "You multiply by ln 2 to get bits. A bit is ln 2 nats. Are there more bits or more nats?")
right.mistake("per_token", {"len(text.encode())": "(len(tokens) - 1)"},
    "You divide by the number of tokens. Then a tokenizer with longer tokens looks worse. Divide "
    "by the bytes of the text.")
right.mistake("per_character", {"text.encode()": "text"},
    "You divide by the number of characters. A letter such as é has two bytes in UTF-8.")
right.mistake("mean_of_means",
    {"part.sum().item() for part in found)":
        "part.mean().item() for part in found) / len(found) * (len(tokens) - 1)"},
    "You average over each window and then average the results. The last window has fewer tokens "
    "than the others.")
right.mistake("in_training_mode", {"model.eval()": "model.train()"},
    "The model is in training mode while you measure. Measure in evaluation mode.")
right.mistake("in_the_given_mode", {"    model.eval()\n": ""},
    "You do not set the mode of the model, so a model in training mode gives another number.")
right.mistake("leaves_evaluation_mode", {"    model.train(was)\n": ""},
    "The model is in another mode after your measurement. Restore the mode in which you got it.")
right.mistake("not_shifted",
    {'piece[-new:], reduction="none"': 'piece[:-1][-new:], reduction="sum"'},
    "You compare each place with its own token. The logits at a place predict the next token.")
right.mistake("start_is_a_byte", {"len(text.encode())": "(len(text.encode()) + 1)"},
    "You count the start token as a byte. It is not part of the text.")
right.mistake("logarithm_of_the_softmax",
    {'F.cross_entropy(logits[-new:], piece[-new:], reduction="none")':
        "-probabilities(logits, piece[1:])[-new:].log2()",
     "total / math.log(2)": "total"},
    "An unlikely token gets an infinite loss: its probability is rounded to 0, whose logarithm is "
    "infinite. `log_softmax` and `cross_entropy` never compute the probability itself.")
right.mistake("adds_a_small_number",
    {'F.cross_entropy(logits[-new:], piece[-new:], reduction="none")':
        "-(probabilities(logits.double(), piece[1:])[-new:] + 1e-9).log2()",
     "total / math.log(2)": "total"},
    "You add a small number to each probability, so the loss of an unlikely token is too small. "
    "`log_softmax` needs no such number.")
right.mistake("perplexity",
    {"total / math.log(2) / len(text.encode())": "2 ** (total / math.log(2) / len(text.encode()))"},
    "You return a perplexity: 2 to the power of the bits. The exercise asks for the bits "
    "themselves.")
right.mistake("per_token_and_start", {"len(text.encode())": "len(tokens)"},
    "You divide by the number of tokens, including the start token. Divide by the bytes of the "
    "text.")
right.mistake("bytes_of_the_stripped_text", {"text.encode()": "text.strip().encode()"},
    "You count the bytes of the text without the white space at its ends. It belongs to the text.")
right.mistake("divides_by_the_logarithm_of_10", {"math.log(2)": "math.log(10)"},
    "You divide by the logarithm of 10. Bits use the logarithm to base 2: divide nats by ln 2.")
right.mistake("rounded",
    {"total / math.log(2) / len(text.encode())":
        "round(total / math.log(2) / len(text.encode()), 2)"},
    "Your number is rounded. Return it as it is.")
