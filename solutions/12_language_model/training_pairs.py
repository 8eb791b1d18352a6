"""Cases, oracle and variants of `training_pairs`."""

import torch

from autograder.author import EVERY, Case, Exercise

exercise = Exercise(
    "training_pairs",
    points=3,
    difficulty=2,
    minutes=20,
    returns=("inputs", "targets"),
    read="12_language_model.html#pieces-of-documents",
)


def documents(rng, *lengths):
    """The start and tokens from 10 to 59, so that no target is 0 or the number that is ignored."""
    behind = [rng.integers(10, 60, length - 1) for length in lengths]
    return [torch.cat([torch.tensor([0]), tokens]) for tokens in behind]


def case(name, given, length, ignored=-100):
    return Case(name, {"documents": given, "length": length, "ignored": ignored})


@exercise.cases
def cases(rng):
    given = [torch.tensor([7, 1, 2, 3, 4, 5, 6]), torch.tensor([7, 8, 9])]
    yield case("the example of the text", given, 4)
    yield case("ends that fit", documents(rng, 7, 10, 4), 3)
    yield case("ends that do not fit", documents(rng, 9, 13), 5, ignored=-1)
    yield case("documents of one token", documents(rng, 6, 1, 3, 1), 4)
    yield case("one short document", documents(rng, 4), 6, ignored=-7)


@exercise.secret_cases
def secret_cases(rng):
    lengths = rng.integers(2, 20, 5).tolist()
    yield case("many documents", documents(rng, *lengths), 7)
    yield case("pieces of one", documents(rng, 5, 3), 1)
    yield case("as long as a piece", documents(rng, 6, 7), 6, ignored=-5)
    yield case("two tokens", documents(rng, 2, 2), 3)


exercise.promise("each at least one token", "documents of one token", "one short document")
exercise.promise("A document of one token", "documents of one token")
exercise.promise("of a piece, at least 1.", "pieces of one", "ends that fit")
exercise.promise("the target where a piece", "ends that do not fit", "one short document")
exercise.promise("Its inputs are 0 there.", "ends that do not fit", "one short document")
exercise.promise("inputs and targets", EVERY)


@exercise.oracle
def token_by_token(documents, length, ignored):
    """Each target is put where the count of the targets before it says."""
    rows = []
    for document in documents:
        for at in range(1, len(document)):
            if (at - 1) % length == 0:
                rows.append(([0] * length, [ignored] * length))
            inputs, targets = rows[-1]
            inputs[(at - 1) % length] = document[at - 1].item()
            targets[(at - 1) % length] = document[at].item()
    like = documents[0]
    return tuple(like.new_tensor([row[side] for row in rows]) for side in range(2))


@exercise.variant
def padded_first(documents, length, ignored):
    inputs: list[torch.Tensor] = []
    targets: list[torch.Tensor] = []
    for document in documents:
        missing = -(len(document) - 1) % length
        for found, part, fill in ((inputs, document[:-1], 0), (targets, document[1:], ignored)):
            padded = torch.nn.functional.pad(part, (0, missing), value=fill)
            found.append(padded.view(-1, length))
    return torch.cat(inputs), torch.cat(targets)


@exercise.variant
def filled_in(documents, length, ignored):
    pieces = [
        document[start : start + length + 1]
        for document in documents
        for start in range(0, len(document) - 1, length)
    ]
    inputs = torch.zeros(len(pieces), length, dtype=torch.int64, device=documents[0].device)
    targets = torch.full_like(inputs, ignored)
    for row, piece in enumerate(pieces):
        inputs[row, : len(piece) - 1] = piece[:-1]
        targets[row, : len(piece) - 1] = piece[1:]
    return inputs, targets


@exercise.variant
def split_and_padded(documents, length, ignored):
    def rows(parts, fill):
        pieces = [piece for part in parts if len(part) for piece in part.split(length)]
        longest = pieces[0].new_zeros(length)  # so that all are padded to this length
        return torch.nn.utils.rnn.pad_sequence([longest, *pieces], True, fill)[1:]

    return rows([x[:-1] for x in documents], 0), rows([x[1:] for x in documents], ignored)
