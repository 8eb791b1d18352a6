"""Cases, oracle and variants of `decode`."""

import codecs

import torch

from autograder.author import Case, Exercise

from .encode import OF_LOW
from .train_bpe import ROUGH

exercise = Exercise(
    "decode",
    points=2,
    difficulty=2,
    minutes=15,
    returns=("the text",),
    read="12_language_model.html#merges-by-hand",
)

OF_LINES = [(10, 32), (32, 32), (257, 10), (256, 258), (120, 121)]
OF_BYTES = [(195, 169), (230, 151), (257, 165), (32, 258), (169, 32)]  # é, 日 in two steps, " 日"


def case(name, tokens, merges):
    return Case(name, {"tokens": torch.tensor(tokens), "merges": merges})


def picked(rng, name, tokens, count, merges):
    """A row of these tokens, drawn one by one."""
    places = rng.integers(0, len(tokens), count).tolist()
    return case(name, [tokens[at] for at in places], merges)


@exercise.cases
def cases(rng):
    yield case("the example of the text", [115, 257, 260, 115], OF_LOW)
    yield case("merges of merges", [260, 258, 120, 257, 32, 259, 256], OF_LOW)
    yield case("spaces and lines", [32, 10, 97, 259, 257, 260, 10, 258, 32], OF_LINES)
    letters = [256, 259, 195, 170, 32, 230, 151, 165, 257, 165]
    yield case("letters of several bytes", letters, OF_BYTES)
    yield case("half a letter", [97, 257, 98, 169, 99, 255, 260, 195], OF_BYTES)
    yield case("without merges", [*ROUGH.encode()], [])
    yield picked(rng, "drawn tokens", [*range(97, 123), *range(256, 261)], 40, OF_LOW)


@exercise.secret_cases
def secret_cases(rng):
    yield picked(rng, "drawn low", [108, 111, 119, *range(256, 261)], 50, OF_LOW)
    yield picked(rng, "drawn lines", [120, 10, 32, *range(256, 261)], 50, OF_LINES)
    yield picked(rng, "drawn letters", [97, 32, 256, 258, 259], 50, OF_BYTES)
    single = [97, 151, 165, 169, 195, 230, 255, *range(256, 261)]
    yield picked(rng, "drawn bytes", single, 60, OF_BYTES)
    yield case("a zero in the middle", [257, 0, 32, 256, 0, 115], OF_LOW)
    yield case("one byte", [81], OF_LOW)
    yield case("one space", [32], [])
    yield case("one merge", [258], OF_BYTES)


exercise.promise("at least one, without", "one byte", "one space")
exercise.promise("pairs of tokens; the one at place", "the example of the text", "merges of merges")
exercise.promise("There may be none.", "without merges", "one space")
exercise.promise("the bytes of all tokens", "letters of several bytes", "drawn letters")
exercise.promise("Nothing is left out", "half a letter", "drawn bytes", "spaces and lines")


@exercise.oracle
def expanded_from_a_stack(tokens, merges):
    """The rightmost token is expanded first, so the stack yields bytes from left to right."""
    stack, found = tokens.tolist()[::-1], bytearray()
    while stack:
        token = stack.pop()
        if token < 256:
            found.append(token)
        else:
            left, right = merges[token - 256]
            stack += [right, left]
    return codecs.decode(found, "utf-8", "replace")


@exercise.variant
def with_a_table_of_pieces(tokens, merges):
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[token] for token in tokens).decode("utf-8", errors="replace")


@exercise.variant
def by_recursion(tokens, merges):
    def of(token):
        if token < 256:
            return [token]
        left, right = merges[token - 256]
        return of(left) + of(right)

    found = [byte for token in tokens.tolist() for byte in of(token)]
    return str(bytes(found), "utf-8", "replace")


@exercise.variant
def undone_merge_by_merge(tokens, merges):
    parts = [int(token) for token in tokens]
    for number in range(len(merges) - 1, -1, -1):
        undone: list[int] = []
        for part in parts:
            undone.extend(merges[number] if part == 256 + number else [part])
        parts = undone
    return bytearray(parts).decode(errors="replace")
