"""Known mistakes of `training_pairs`."""

import torch
import torch.nn.functional as F

from .training_pairs import exercise


@exercise.base
def right(documents, length, ignored):
    rows = []
    for document in documents:
        for at in range(0, len(document) - 1, length):
            piece = document[at : at + length + 1]
            x, y = piece[:-1], piece[1:]
            x = F.pad(x, (0, length - len(x)), value=0)
            y = F.pad(y, (0, length - len(y)), value=ignored)
            rows.append(torch.stack([x, y]))
    inputs, targets = torch.stack(rows, dim=1)
    return inputs, targets


# fmt: off
right.mistake("not_shifted", {"y = piece[:-1], piece[1:]": "y = piece[:-1], piece[:-1]"},
    "Your targets are the inputs themselves. The target at each place is the token that comes "
    "next.")
right.mistake("shifted_back", {"piece[:-1], piece[1:]": "piece[1:], piece[:-1]"},
    "Your targets are the tokens before the inputs. Which of the two is one place later?")
right.mistake("across_documents", {"in documents:": "in [torch.cat(documents)]:"},
    "Your pieces continue into the next document. The end of one says nothing about how the next "
    "begins, so cut each document separately.")
right.mistake("drops_ends",
    {"- 1, length):": "- length, length):",
     "torch.stack(rows, dim=1)":
        "torch.stack(rows, 1) if rows else torch.zeros(2, 0, length).long()"},
    "The end of a document is missing where it does not fill a piece. Pad the piece instead.")
right.mistake("pieces_that_share_nothing", {"- 1, length):": "- 1, length + 1):"},
    "One target between two pieces is missing. A piece begins with the last target of the "
    "previous piece, so both share a token.")
right.mistake("zeros_as_targets", {"value=ignored": "value=0"},
    "The padding of your targets would be learned as a token. Those places get the number that is "
    "ignored.")
right.mistake("ignored_as_input", {"value=0": "value=ignored"},
    "You pad the inputs with the ignored number, which is not a token: an embedding has no row "
    "for it. Pad inputs with 0.")
right.mistake("filled_in_front",
    {"(0, length - len(x))": "(length - len(x), 0)",
     "(0, length - len(y))": "(length - len(y), 0)"},
    "You put the padding before the tokens. The tokens come first in a piece, and the padding "
    "after them.")
right.mistake("at_every_token", {"- 1, length):": "- 1, 1):"},
    "Your pieces begin at every token, so most targets occur many times. Each target belongs to "
    "one piece.")
right.mistake("last_target_ignored", {"piece[:-1], piece[1:]": "piece[:length], piece[1:length]"},
    "The last target of a piece is missing: a piece of `length` inputs needs `length + 1` tokens.")
right.mistake("without_the_first",
    {"in documents:": "in [document[1:] for document in documents]:"},
    "The first token of a document is missing from your inputs. It is never a target, but the "
    "second is predicted from it.")
right.mistake("moves_the_last_piece_back",
    {"piece = document[at : at + length + 1]":
        "at = min(at, max(0, len(document) - length - 1))\n"
        "            piece = document[at : at + length + 1]"},
    "You move the last piece of a document back until it is full, so some tokens are learned "
    "twice. It begins where the previous piece ends, and is padded.")
right.mistake("start_teaches_nothing",
    {"return inputs, targets": "return inputs, targets.masked_fill(inputs == 0, ignored)"},
    "Where an input is 0 you ignore the target. Every document begins with 0, and its first token "
    "should be learned from it. Ignore only the padding.")
right.mistake("fills_with_minus_100", {"value=ignored": "value=-100"},
    "You pad the targets with -100, even where `ignored` is another number.")
right.mistake("rolls_the_targets", {"piece[1:]": "piece[:-1].roll(-1)"},
    "The last target of a piece is its first token, because `roll` wraps round. The target is the "
    "token that comes next in the document.")
right.mistake("learns_an_end",
    {"in documents:":
        "in [F.pad(document, (0, int(len(document) > 1))) for document in documents]:"},
    "After the last token of a document your model would learn a 0. Nothing follows that token, "
    "so it is not an input and has no target.")
right.mistake("last_token_as_input", {"piece[:-1]": "piece[:length]"},
    "You use the last token of a document as an input. Nothing follows it, so it has no target. "
    "The inputs are all tokens but the last.")
right.mistake("first_document_only", {"in documents:": "in documents[:1]:"},
    "Only the first document is in your result. Is there a `return` inside the loop?")
