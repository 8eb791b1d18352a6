"""Chapter 13: one write by the delta rule."""

from judge import WarmUp

warm_up = WarmUp(
    ("a value for an empty state", [[0, 0], [0, 0]], [1, 0], [3, 5], 1),
    ("the same key again", [[3, 5], [7, 1]], [1, 0], [4, -2], 1),
    ("half of the strength", [[3, 5], [2, -6]], [0, 1], [6, 3], 0.5),
    ("a key between two", [[5, 0], [0, 10]], [0.6, 0.8], [1, 2], 1),
    ("the same with a quarter", [[5, 0], [0, 10]], [0.6, 0.8], [1, 2], 0.25),
    ("three rows, one column", [[4], [-1], [2]], [0.6, 0, -0.8], [9], 0.5),
    ("no strength", [[3, 5, 8], [2, -6, 1]], [0.8, 0.6], [1, 1, 1], 0),
)


@warm_up.stub
def delta_write(state, key, value, beta):
    """The state after one write.

    state: a list of rows, one for each
        number of the key, each as long
        as the value; it stays as it is
    key: numbers, of length 1
    value: what the key is to return
    beta: the strength, from 0 to 1
    """
    raise NotImplementedError


def read(state, key):
    columns = zip(*state, strict=True)
    return [sum(k * number for k, number in zip(key, column, strict=True)) for column in columns]


def add(state, key, missing):
    """The state with the vector `missing` added in the direction of the key."""
    rows = zip(key, state, strict=True)
    return [[number + k * m for number, m in zip(row, missing, strict=True)] for k, row in rows]


def less(one, other, times=1):
    return [times * (a - b) for a, b in zip(one, other, strict=True)]


@warm_up.oracle
def right(state, key, value, beta):
    return add(state, key, less(value, read(state, key), beta))


@warm_up.mistake(
    "You add the value to what is there, as the linear rule does. What does the key return already?"
)
def adds_the_value(state, key, value, beta):
    return add(state, key, [beta * number for number in value])


@warm_up.mistake("`beta` does nothing. It scales what is added.")
def forgets_beta(state, key, value, beta):
    return right(state, key, value, 1)


@warm_up.mistake(
    "`beta` scales the value alone. It scales the difference between the value and what the key "
    "returns."
)
def scales_the_value_alone(state, key, value, beta):
    return add(state, key, less([beta * number for number in value], read(state, key)))


@warm_up.mistake(
    "The whole state shrinks, also what other keys return. Only what this key returns is replaced."
)
def shrinks_the_whole_state(state, key, value, beta):
    kept = [[(1 - beta) * number for number in row] for row in state]
    return adds_the_value(kept, key, value, beta)


@warm_up.mistake("The sign is wrong: the key returns something farther from the value than before.")
def subtracts(state, key, value, beta):
    return right(state, key, value, -beta)


@warm_up.mistake(
    "The same is added to every row. To each row it is added times its part of the key."
)
def adds_to_every_row(state, key, value, beta):
    return add(state, [1] * len(key), less(value, read(state, key), beta))


@warm_up.mistake(
    "You read the row of the key's largest number. A key between two returns a sum over all rows."
)
def reads_one_row(state, key, value, beta):
    row = state[max(range(len(key)), key=lambda at: abs(key[at]))]
    return add(state, key, less(value, row, beta))


@warm_up.mistake("You compare each row with the value, as if each were what the key returns.")
def compares_rows(state, key, value, beta):
    rows = zip(key, state, strict=True)
    return [
        [number + beta * k * (v - number) for number, v in zip(row, value, strict=True)]
        for k, row in rows
    ]


@warm_up.mistake("You read along the rows. What the key returns is as long as a value.")
def reads_along_rows(state, key, value, beta):
    returned = [sum(k * number for k, number in zip(key, row)) for row in state]  # noqa: B905
    return add(state, key, [beta * (v - r) for v, r in zip(value, returned)])  # noqa: B905


@warm_up.mistake("You read again after each row is written. Read once, before the first is.")
def reads_while_it_writes(state, key, value, beta):
    written = [list(row) for row in state]
    for at in range(len(key)):
        written[at] = right(written, key, value, beta)[at]
    return written


@warm_up.mistake("This is what is added. The state with it is asked for.")
def returns_what_is_added(state, key, value, beta):
    empty = [[0] * len(value) for _ in key]
    return add(empty, key, less(value, read(state, key), beta))


@warm_up.mistake(
    "This is what is missing from what the key returns. How does it get into the state?"
)
def returns_what_is_missing(state, key, value, beta):
    return less(value, read(state, key), beta)


@warm_up.mistake("This is what the key returns now. The state after the write is asked for.")
def returns_what_it_reads(state, key, value, beta):
    return read(state, key)
