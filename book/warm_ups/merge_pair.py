"""Chapter 12: one merge of byte-pair encoding."""

from judge import WarmUp

warm_up = WarmUp(
    ("the pair stands once", [1, 2, 3], [2, 3], 9),
    ("twice, side by side", [4, 5, 4, 5], [4, 5], 9),
    ("three equal tokens", [7, 7, 7], [7, 7], 9),
    ("five equal tokens", [7, 7, 7, 7, 7], [7, 7], 9),
    ("the other way round", [2, 1, 1, 2], [1, 2], 9),
    ("nowhere", [3, 1, 3], [1, 2], 9),
    ("at both ends", [1, 2, 8, 1, 2], [1, 2], 6),
    ("one token", [5], [5, 5], 9),
)


@warm_up.stub
def merge_pair(tokens, pair, new):
    """The tokens with `new` in the place
    of every `pair`, from the left.

    tokens: a list of whole numbers,
        which stays as it is
    pair: a list of two
    """
    raise NotImplementedError


@warm_up.oracle
def right(tokens, pair, new):
    found: list[int] = []
    for token in tokens:
        if found and [found[-1], token] == list(pair):
            found[-1] = new
        else:
            found.append(token)
    return found


@warm_up.mistake("Only the first pair is merged. Every place where it stands counts.")
def first_only(tokens, pair, new):
    for at in range(len(tokens) - 1):
        if tokens[at : at + 2] == list(pair):
            return [*tokens[:at], new, *tokens[at + 2 :]]
    return list(tokens)


@warm_up.mistake("You merge from the right. Of three equal tokens the first two become one.")
def from_the_right(tokens, pair, new):
    return right(tokens[::-1], pair[::-1], new)[::-1]


@warm_up.mistake("The second token of the pair is still there. Both go, and one comes.")
def keeps_the_second(tokens, pair, new):
    found = list(tokens)
    for at in range(len(tokens) - 1):
        if tokens[at : at + 2] == list(pair):
            found[at] = new
    return found


@warm_up.mistake("The last token is missing where no pair ends the list.")
def loses_the_last(tokens, pair, new):
    found, at = [], 0
    while at < len(tokens) - 1:
        here = tokens[at : at + 2] == list(pair)
        found.append(new if here else tokens[at])
        at += 2 if here else 1
    return found


@warm_up.mistake("The pair counts in both orders for you. Its first token has to stand first.")
def in_both_orders(tokens, pair, new):
    return right(right(tokens, pair, new), pair[::-1], new)


@warm_up.mistake("You put the new token beside the pair. It stands in its place.")
def inserts(tokens, pair, new):
    found = []
    for at, token in enumerate(tokens):
        found.append(token)
        if at and tokens[at - 1 : at + 1] == list(pair):
            found.append(new)
    return found
