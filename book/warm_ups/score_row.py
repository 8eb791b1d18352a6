"""Chapter 2: how well each key matches one query."""

from judge import WarmUp

warm_up = WarmUp(
    ("two keys of width 3", [2, 1, -1], [[1, 0, 3], [4, 2, 5]]),
    ("a key at right angles", [1, 2], [[2, -1], [1, 2], [-3, 0.5]]),
    ("as many keys as entries", [3, -1], [[1, 2], [5, 4]]),
    ("width 1", [-2], [[3], [0.25], [-1], [6]]),
)


@warm_up.stub
def score_row(query, keys):
    """One score for each key.

    query: d_k numbers
    keys: lists of d_k numbers
    """
    raise NotImplementedError


@warm_up.oracle
def right(query, keys):
    return [sum(q * k for q, k in zip(query, key, strict=True)) for key in keys]


@warm_up.mistake("These are products entry by entry. A score is one number for each key.")
def leaves_the_products(query, keys):
    return [[q * k for q, k in zip(query, key, strict=True)] for key in keys]


@warm_up.mistake("This is the score of the first key. What about the others?")
def stops_after_the_first(query, keys):
    return right(query, keys)[0]


@warm_up.mistake("You sum over the keys. A score sums over the entries of query and key.")
def sums_over_the_keys(query, keys):
    return [sum(q * key[at] for key in keys) for at, q in enumerate(query)]


@warm_up.mistake("You divide by lengths, which gives cosines. A dot product is only the sum.")
def divides_by_the_lengths(query, keys):
    def length(vector):
        return sum(x * x for x in vector) ** 0.5

    scores = zip(right(query, keys), keys, strict=True)
    return [score / (length(query) * length(key)) for score, key in scores]


@warm_up.mistake("You divide by the root of d_k. That is the scaled score, the row below.")
def divides_by_the_root(query, keys):
    return [score / len(query) ** 0.5 for score in right(query, keys)]


@warm_up.mistake("You add entries where they should be multiplied.")
def adds(query, keys):
    return [sum(q + k for q, k in zip(query, key, strict=True)) for key in keys]


@warm_up.mistake("You multiply the sums. First multiply entry by entry, then sum.")
def multiplies_the_sums(query, keys):
    return [sum(query) * sum(key) for key in keys]


@warm_up.mistake("These are the scores of the keys with each other. Who asks?")
def compares_the_keys(query, keys):
    return [right(key, keys) for key in keys]
