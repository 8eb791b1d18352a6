"""Specimens, oracle and variants of `greedy_decode`."""

import torch

from autograder.author import EVERY, UNTRIED, Case, Exercise, Specimen

exercise = Exercise(
    "greedy_decode",
    points=4,
    difficulty=3,
    minutes=25,
    returns=("the tokens", "the number of calls of `step`"),
    read="06_cross_attention.html#greedy-decoding",
)


MODEL = """
def step(tokens):
    script, end, size = torch.tensor({script}), {end}, {size}
    batch, length = tokens.shape
    if tokens.dtype != torch.int64:
        raise TypeError(f"step was given {{tokens.dtype}}, not torch.int64")
    written = tokens[:, 1:]
    ended = (written == end).any(dim=1)
    if batch != len(script):
        raise ValueError("step was given another number of rows than batch")
    if bool(ended.all()):
        raise RuntimeError("step was called after every row had ended")
    best = script[:, min(length - 1, script.size(1) - 1)]
    wrong = (written != script[:, : length - 1]).any(dim=1) | (tokens[:, 0] != {start})
    best = torch.where(wrong & ~ended, {lost}, best)
    ranks = (torch.arange(size) - best[:, None]) % size
    return {sign} - ranks.to(torch.{dtype}) / 4
"""

# Says how often `step` was called, too.
COUNTING = Specimen("""
def counting(decode, step, *rest):
    calls = []

    def counted(tokens):
        calls.append(1)
        return step(tokens)

    return decode(counted, *rest), len(calls)
""")


def case(name, script, limit, start=1, end=2, pad=0, size=None, sign="-3", dtype="float32"):
    """A model that writes the rows of `script`, or `lost` once what it is given is not its own."""
    size = size or max(max(row) for row in script) + 2
    ids = {"start": start, "end": end, "size": size, "sign": sign, "dtype": dtype}
    source = MODEL.format(script=script, lost=size - 1, **ids)
    inputs = {"step": Specimen(source), "batch": len(script), "start_id": start, "end_id": end}
    inputs |= {"pad_id": pad, "max_tokens": limit}
    return Case(name, inputs, through=COUNTING)


def text(rng, ends, length, end=2, low=3, high=12):
    """Rows of random tokens, with the end at given places and others after it."""
    rows = rng.integers(low, high, len(ends), length)
    for row, place in zip(rows, ends, strict=True):
        if place < length:
            row[place] = end
    return rows.tolist()


EXAMPLE = [[5, 2, 7, 4], [6, 8, 2, 4]]


@exercise.cases
def cases(rng):
    yield case("the text's example", EXAMPLE, 9)
    yield case("at most 2 tokens of the text's example", EXAMPLE, 2)
    yield case("one row that ends", text(rng, [3], 6), 6)
    yield case("rows that end at different times", text(rng, [4, 1, 2], 8), 8)
    yield case("a row that never ends", text(rng, [2, 9, 0], 5), 5)
    yield case("no row ends in time", text(rng, [5, 7], 8), 4)
    yield case("the last step writes the end", text(rng, [1, 3], 4), 4)
    yield case("a padding id between the others", text(rng, [1, 4], 6, low=8, high=12), 6, pad=5)
    yield case("the start is the end", text(rng, [3, 1], 5, end=1), 5, start=1, end=1)
    yield case("the padding is the end", text(rng, [3, 1, 5], 6), 6, end=2, pad=2)
    script = [[4, 0, 0, 5, 2], [0, 6, 2, 7, 8]]
    yield case("the model writes the padding's id", script, 5)
    yield case("an end that is written twice", [[2, 5, 2, 6, 7], [3, 4, 5, 2, 6]], 5)


@exercise.secret_cases
def secret_cases(rng):
    batch, length = rng.integer(4, 7), rng.integer(8, 12)
    ends = [rng.integer(1, length + 3) for _ in range(batch)]
    yield case("many rows and a long text", text(rng, [*ends, 140], 137), 137)
    yield case("all end at once", text(rng, [2] * batch, length), length)
    yield case("all end at the first step", text(rng, [0, 0, 0], 3), 3)
    alike = {"start": 4, "end": 4, "pad": 4}
    yield case(
        "one id for start and end and padding", text(rng, [3, 1], 6, end=4, low=5), 6, **alike
    )
    yield case("a single step", text(rng, [0, 4], 5), 1)
    half = {"sign": "100", "dtype": "float16"}
    yield case("positive logits in half precision", text(rng, [2, 5], 7), 7, **half)
    yield case("the end is token 0", text(rng, [2, 4], 6, end=0), 6, start=3, end=0, pad=1)
    yield case("a negative padding id", text(rng, [4, 1], 7), 7, pad=-1)
    script = text(rng, [6, 3], 9, low=1, high=4)
    script = [[1 if t == 2 and i not in (6, 3) else t for i, t in enumerate(r)] for r in script]
    yield case("the start's id is written again", script, 9)
    yield case("a limit beyond the script", text(rng, [5, 3], 6), 40)


exercise.promise("called as step(tokens)", EVERY)
exercise.promise(
    "Every call has all rows", "many rows and a long text", "rows that end at different times"
)
exercise.promise("It keeps nothing between", UNTRIED)
exercise.promise(
    "It raises an exception if every row", "all end at once", "all end at the first step"
)
exercise.promise("What it is given after", UNTRIED)
exercise.promise("Call it once per step.", EVERY)
exercise.promise("number of rows, at least 1.", "one row that ends", "many rows and a long text")
exercise.promise("ids; two or three of them", "the start is the end", "the padding is the end")
exercise.promise("how many tokens a row", "a single step", "no row ends in time")
exercise.promise("int64 tokens on the CPU: the start", EVERY)
exercise.promise(
    "Behind the end token", "rows that end at different times", "an end that is written twice"
)


@exercise.oracle
def one_row_at_a_time(step, batch, start_id, end_id, pad_id, max_tokens):
    rows, done = [[start_id] for _ in range(batch)], [False] * batch
    for _ in range(max_tokens):
        logits = step(torch.tensor(rows)).tolist()
        for index, (row, numbers) in enumerate(zip(rows, logits, strict=True)):
            row.append(pad_id if done[index] else numbers.index(max(numbers)))
            done[index] = done[index] or row[-1] == end_id
        if all(done):
            break
    return torch.tensor(rows)


@exercise.variant
def row_by_row_in_lists(step, batch, start_id, end_id, pad_id, max_tokens):
    rows = [[start_id] for _ in range(batch)]
    open_rows = set(range(batch))
    while open_rows and len(rows[0]) <= max_tokens:
        best = step(torch.tensor(rows)).argmax(-1).tolist()
        for i in range(batch):
            rows[i].append(best[i] if i in open_rows else pad_id)
            if best[i] == end_id:
                open_rows.discard(i)
    return torch.tensor(rows)


@exercise.variant
def padded_afterwards(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens = torch.full((batch, 1), start_id, dtype=torch.long)
    for _ in range(max_tokens):
        if (tokens[:, 1:] == end_id).any(1).all():
            break
        tokens = torch.cat((tokens, step(tokens).max(dim=-1, keepdim=True).indices), 1)
    is_end = tokens[:, 1:] == end_id
    after = (is_end.int().cumsum(1) - is_end.int()) > 0
    tokens[:, 1:][after] = pad_id
    return tokens


@exercise.variant
def with_room_for_all(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens = torch.full((batch, 1 + max_tokens), pad_id)
    tokens[:, 0] = start_id
    running, used = torch.ones(batch, dtype=torch.bool), 1
    while used <= max_tokens and running.any():
        probabilities = step(tokens[:, :used]).float().softmax(dim=-1)
        new = torch.where(running, probabilities.topk(1).indices[:, 0], pad_id)
        tokens[:, used] = new
        running = running & (new != end_id)
        used += 1
    return tokens[:, :used]
