"""Chapter 5: each head averages its own part of the features."""

from judge import WarmUp

warm_up = WarmUp(
    (
        "two heads by hand",
        [[0.75, 0.125, 0.125], [0.125, 0.125, 0.75]],
        [[4, 0], [0, 0], [0, 4]],
    ),
    (
        "two heads of width 3",
        [[0.5, 0.5], [0.25, 0.75]],
        [[4, 8, 1, 12, 0, -4], [2, -6, 9, 0, 16, 20]],
    ),
    (
        "three heads of width 2",
        [[1, 0], [0.5, 0.5], [0.2, 0.8]],
        [[1, 2, 3, 4, 5, 10], [-10, 0, 7, 8, 0, 15]],
    ),
    ("one head", [[0.1, 0.9]], [[10, 20, 0], [30, -10, 5]]),
)


@warm_up.stub
def attend_by_head(weights, values):
    """One output: d_model numbers.

    weights: one row for each head
    values: d_model numbers a key
    Of h heads, the first averages
    the first d_model / h features,
    the second the next, and so on.
    """
    raise NotImplementedError


def average(row, columns):
    """Each column's entries, weighted."""
    return [sum(w * x for w, x in zip(row, column, strict=True)) for column in columns]


def every_head(weights, values):
    """For each head, the average of all features."""
    columns = list(zip(*values, strict=True))
    return [average(row, columns) for row in weights]


@warm_up.oracle
def right(weights, values):
    d_k = len(values[0]) // len(weights)
    averages = every_head(weights, values)
    return [averages[at // d_k][at] for at in range(len(values[0]))]


@warm_up.mistake("Each of your heads averages all features. Which part is a head's own?")
def gives_each_head_everything(weights, values):
    return [feature for head in every_head(weights, values) for feature in head]


@warm_up.mistake(
    "You deal the features out in turn. Which d_model / h of them are the first head's?"
)
def deals_features_out_in_turn(weights, values):
    averages = every_head(weights, values)
    return [averages[at % len(weights)][at] for at in range(len(values[0]))]


@warm_up.mistake("`len(weights)` is the number of heads, not the width of one. How wide is a head?")
def takes_the_number_for_the_width(weights, values):
    averages, width = every_head(weights, values), len(weights)
    heads = [averages[at // width] if at // width < width else None for at in range(len(values[0]))]
    return [head[at] for at, head in enumerate(heads) if head]


@warm_up.mistake("Only the first head's weights are in use. Each head has a row of its own.")
def asks_the_first_head_only(weights, values):
    return every_head(weights, values)[0]


@warm_up.mistake(
    "You average over the heads, which is one head again. Each keeps its own features."
)
def averages_the_heads(weights, values):
    averages = every_head(weights, values)
    return [sum(column) / len(weights) for column in zip(*averages, strict=True)]


@warm_up.mistake("You sum the heads. They stand side by side, each with its own features.")
def sums_the_heads(weights, values):
    return [sum(column) for column in zip(*every_head(weights, values), strict=True)]


@warm_up.mistake("The numbers are right, in a list for each head. Join these lists into one.")
def leaves_the_heads_apart(weights, values):
    d_k, output = len(values[0]) // len(weights), right(weights, values)
    return [output[at : at + d_k] for at in range(0, len(output), d_k)]


@warm_up.mistake("Each head's own features are averaged into one number. They stay apart.")
def averages_the_features(weights, values):
    d_k = len(values[0]) // len(weights)
    return [sum(head) / d_k for head in leaves_the_heads_apart(weights, values)]
