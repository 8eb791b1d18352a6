"""Known mistakes of `training_pairs`."""

import torch
import torch.nn.functional as F

from .training_pairs import exercise


def pieces(documents, length, step=None):
    """Pieces of at most length + 1 tokens, the last of which is a target only."""
    step = step or length
    return [document[at : at + length + 1]
            for document in documents for at in range(0, len(document) - 1, step)]  # fmt: skip


def filled(rows, length, fill):
    return torch.stack([F.pad(row, (0, length - len(row)), value=fill) for row in rows])


def pairs(found, length, ignored, of_inputs=0):
    return (filled([piece[:-1] for piece in found], length, of_inputs),
            filled([piece[1:] for piece in found], length, ignored))  # fmt: skip


@exercise.misconception(
    "Your targets are the inputs themselves. At each place the target is the token that comes next."
)
def not_shifted(documents, length, ignored):
    found = pieces(documents, length)
    rows = [piece[:-1] for piece in found]
    return filled(rows, length, 0), filled(rows, length, ignored)


@exercise.misconception(
    "Your targets are the tokens before the inputs. Which of the two is one place later?"
)
def shifted_back(documents, length, ignored):
    found = pieces(documents, length)
    return (filled([piece[1:] for piece in found], length, 0),
            filled([piece[:-1] for piece in found], length, ignored))  # fmt: skip


@exercise.misconception(
    "Your pieces go on into the next document. Nothing at the end of one says how the next "
    "begins: cut each by itself."
)
def across_documents(documents, length, ignored):
    return pairs(pieces([torch.cat(documents)], length), length, ignored)


@exercise.misconception(
    "The end of a document is missing where it does not fill a piece. Fill the piece up instead."
)
def drops_ends(documents, length, ignored):
    whole = [piece for piece in pieces(documents, length) if len(piece) == length + 1]
    if not whole:
        return (torch.zeros(0, length, dtype=torch.int64),) * 2
    return pairs(whole, length, ignored)


@exercise.misconception(
    "One target between two pieces is missing. A piece begins with the last target of the one "
    "before it, so both share a token."
)
def pieces_that_share_nothing(documents, length, ignored):
    found = [piece for piece in pieces(documents, length, length + 1) if len(piece) > 1]
    return pairs(found, length, ignored)


@exercise.misconception(
    "What fills up the targets would be learned as a token. Those places get the number that is "
    "ignored."
)
def zeros_as_targets(documents, length, ignored):
    return pairs(pieces(documents, length), length, 0)


@exercise.misconception(
    "The inputs are filled up with the ignored number, which is no token: an embedding has no "
    "row for it. Fill inputs with 0."
)
def ignored_as_input(documents, length, ignored):
    return pairs(pieces(documents, length), length, ignored, ignored)


@exercise.misconception(
    "You put the filling before the tokens. The tokens stand at the beginning of a piece, the "
    "filling after them."
)
def filled_in_front(documents, length, ignored):
    def front(rows, fill):
        return torch.stack([F.pad(row, (length - len(row), 0), value=fill) for row in rows])

    found = pieces(documents, length)
    return front([x[:-1] for x in found], 0), front([x[1:] for x in found], ignored)


@exercise.misconception(
    "Your pieces begin at every token, so most targets are there many times. Each target "
    "belongs to one piece."
)
def at_every_token(documents, length, ignored):
    return pairs(pieces(documents, length, 1), length, ignored)


@exercise.misconception(
    "The last target of a piece is missing: a piece of `length` inputs needs `length + 1` tokens."
)
def last_target_ignored(documents, length, ignored):
    rows = [document[at : at + length] for document in documents
            for at in range(0, len(document) - 1, length)]  # fmt: skip
    return filled(rows, length, 0), filled([row[1:] for row in rows], length, ignored)


@exercise.misconception(
    "The first token of a document is missing from your inputs. It is never a target, but the "
    "second is predicted from it."
)
def without_the_first(documents, length, ignored):
    return pairs(pieces([x[1:] for x in documents], length), length, ignored)


@exercise.misconception(
    "The last piece of a document is moved back until it is full, so tokens are learned twice. It "
    "begins where the piece before it ends, and is filled up."
)
def moves_the_last_piece_back(documents, length, ignored):
    found = []
    for piece, document in [(p, d) for d in documents for p in pieces([d], length)]:
        short = len(piece) <= length < len(document)
        found.append(document[-length - 1 :] if short else piece)
    return pairs(found, length, ignored)


@exercise.misconception(
    "Where an input is 0 you ignore the target. Every document begins with 0, and its first token "
    "is to be learned from it: ignore what was filled up, and nothing else."
)
def start_teaches_nothing(documents, length, ignored):
    inputs, targets = pairs(pieces(documents, length), length, ignored)
    return inputs, targets.masked_fill(inputs == 0, ignored)


@exercise.misconception(
    "What fills up the targets is -100, also where `ignored` is another number."
)
def fills_with_minus_100(documents, length, ignored):
    return pairs(pieces(documents, length), length, -100)


@exercise.misconception(
    "The last target of a piece is its first token: `roll` brings it round. The target is the "
    "token that comes next in the document."
)
def rolls_the_targets(documents, length, ignored):
    rows = [piece[:-1] for piece in pieces(documents, length)]
    return filled(rows, length, 0), filled([row.roll(-1) for row in rows], length, ignored)


@exercise.misconception(
    "Behind the last token of a document you learn a 0. Nothing follows that token, so it is no "
    "input and has no target."
)
def learns_an_end(documents, length, ignored):
    longer = [F.pad(x, (0, 1)) if len(x) > 1 else x for x in documents]
    return pairs(pieces(longer, length), length, ignored)


@exercise.misconception(
    "The last token of a document is an input. Nothing follows it, so there is nothing to learn: "
    "the inputs are all tokens but the last."
)
def last_token_as_input(documents, length, ignored):
    found = pieces(documents, length)
    inputs = [piece[:length] for piece in found]
    return filled(inputs, length, 0), filled([piece[1:] for piece in found], length, ignored)


@exercise.misconception("Only the first document is there. Does a `return` stand inside the loop?")
def first_document_only(documents, length, ignored):
    return pairs(pieces(documents[:1], length), length, ignored)
