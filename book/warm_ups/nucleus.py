"""Chapter 10: which tokens top-p keeps."""

from judge import WarmUp

warm_up = WarmUp(
    ("the example", [0.1, 0.4, 0.2, 0.3], 0.6),
    ("the most probable is enough", [0.2, 0.7, 0.1], 0.5),
    ("a sum that is reached exactly", [0.25, 0.5, 0.1875, 0.0625], 0.75),
    ("nearly all", [0.3, 0.1, 0.2, 0.35, 0.05], 0.92),
    ("in order already", [0.5, 0.3, 0.2], 0.6),
    ("a flat row", [0.24, 0.26, 0.23, 0.27], 0.7),
    ("one token", [1.0], 0.9),
)


@warm_up.stub
def nucleus(probs, top_p):
    """The tokens that top-p keeps.

    probs: of the tokens 0, 1, 2, and so
        on; no two are alike
    top_p: above 0 and below 1

    Returns the fewest of the most probable
    tokens whose sum is at least top_p,
    the most probable first.
    """
    raise NotImplementedError


@warm_up.oracle
def right(probs, top_p):
    order = sorted(range(len(probs)), key=lambda token: -probs[token])
    for count in range(1, len(order) + 1):
        if sum(probs[token] for token in order[:count]) >= top_p:
            return order[:count]
    return order


def ordered(probs):
    return sorted(range(len(probs)), key=lambda token: -probs[token])


@warm_up.mistake(
    "The token that makes the sum reach `top_p` is missing: without it the sum is too small."
)
def drops_the_crossing_token(probs, top_p):
    kept, total = [], 0
    for token in ordered(probs):
        total += probs[token]
        if total > top_p:
            break
        kept.append(token)
    return kept


@warm_up.mistake("One token too many: the sum had reached `top_p` before it.")
def one_too_many(probs, top_p):
    return ordered(probs)[: len(right(probs, top_p)) + 1]


@warm_up.mistake("Tokens are taken as they come. The most probable ones come first.")
def unsorted(probs, top_p):
    kept, total = [], 0
    for token, prob in enumerate(probs):
        if total >= top_p:
            break
        kept.append(token)
        total += prob
    return kept


@warm_up.mistake("You return places in the sorted list. Which tokens stood there?")
def places(probs, top_p):
    return list(range(len(right(probs, top_p))))


@warm_up.mistake("You return probabilities. Which tokens have them?")
def probabilities(probs, top_p):
    return [probs[token] for token in right(probs, top_p)]


@warm_up.mistake("Each is compared with `top_p` alone. It is the sum that has to reach it.")
def each_alone(probs, top_p):
    return [token for token in ordered(probs) if probs[token] >= top_p]


@warm_up.mistake("The least probable tokens come first. The other end is asked for.")
def least_probable_first(probs, top_p):
    kept, total = [], 0
    for token in reversed(ordered(probs)):
        if total >= top_p:
            break
        kept.append(token)
        total += probs[token]
    return kept


@warm_up.mistake("The right tokens in another order: the most probable comes first.")
def by_number(probs, top_p):
    return sorted(right(probs, top_p))


@warm_up.mistake("You return how many are kept. Which are they?")
def counts(probs, top_p):
    return len(right(probs, top_p))


@warm_up.mistake("All tokens are kept. When is the sum large enough?")
def keeps_all(probs, top_p):
    return ordered(probs)


@warm_up.mistake("Only the most probable is kept. Is that enough to reach `top_p`?")
def the_best_only(probs, top_p):
    return ordered(probs)[:1]
