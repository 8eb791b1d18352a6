"""Chapter 6: several queries ask one memory, part of which is padding."""

from judge import WarmUp

warm_up = WarmUp(
    (
        "two queries by hand",
        [[6, 1, 1], [1, 1, 2]],
        [16, 8, 0],
        [True, True, True],
    ),
    (
        "the third token is padding",
        [[6, 1, 1], [1, 1, 2]],
        [16, 8, 40],
        [True, True, False],
    ),
    (
        "three queries, two tokens",
        [[3, 1], [1, 1], [1, 7]],
        [-4, 20],
        [True, True],
    ),
    (
        "one query, padding in front",
        [[9, 2, 2]],
        [5, 6, -10],
        [False, True, True],
    ),
)


@warm_up.stub
def ask_memory(exp_scores, values, real):
    """One number for each query.

    exp_scores: one row a query,
        e to the power of scores
    values: one for each token
    real: False for padding
    """
    raise NotImplementedError


def weighted(row, values):
    return sum(share * value for share, value in zip(row, values, strict=True)) / sum(row)


@warm_up.oracle
def right(exp_scores, values, real):
    hidden = [[share * kept for share, kept in zip(row, real, strict=True)] for row in exp_scores]
    return [weighted(row, values) for row in hidden]


@warm_up.mistake("Padding answers as well. Which tokens may take a share of the weights?")
def lets_padding_answer(exp_scores, values, real):
    return [weighted(row, values) for row in exp_scores]


@warm_up.mistake(
    "The values of padding are gone, but it still takes its share of the weights. What do the "
    "others sum to?"
)
def hides_the_values_only(exp_scores, values, real):
    kept = [value if good else 0 for value, good in zip(values, real, strict=True)]
    return [weighted(row, kept) for row in exp_scores]


@warm_up.mistake("Your rows are not divided by their sums. What do the weights of a query sum to?")
def forgets_to_divide(exp_scores, values, real):
    kept = [value * good for value, good in zip(values, real, strict=True)]
    return [sum(s * v for s, v in zip(row, kept, strict=True)) for row in exp_scores]


@warm_up.mistake("You divide by the sum over the queries. Each query shares its own weight of 1.")
def normalises_over_the_queries(exp_scores, values, real):
    totals = [sum(column) for column in zip(*exp_scores, strict=True)]
    rows = [
        [s / total * good for s, total, good in zip(row, totals, real, strict=True)]
        for row in exp_scores
    ]
    return [sum(w * v for w, v in zip(row, values, strict=True)) for row in rows]


@warm_up.mistake("This is the answer to the first query. The output is as long as the queries.")
def answers_the_first_query(exp_scores, values, real):
    return right(exp_scores, values, real)[:1]


@warm_up.mistake("True and False have changed places: `real` is False for padding.")
def asks_the_padding(exp_scores, values, real):
    return right(exp_scores, values, [not good for good in real])


@warm_up.mistake("These are the weights. Each query is to get one number, made of the values.")
def returns_the_weights(exp_scores, values, real):
    rows = [[s * good for s, good in zip(row, real, strict=True)] for row in exp_scores]
    return [[share / sum(row) for share in row] for row in rows]
