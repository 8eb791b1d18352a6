"""Specimens, oracle and variants of `shifts_targets`."""

import torch

from autograder.spec import Case, Exercise
from autograder.specimen import Specimen

from .families import filled

exercise = Exercise(
    "shifts_targets",
    points=4,
    difficulty=2,
    minutes=20,
    returns=("the answer",),
    read="11_find_the_bug.html#target-test",
)

BATCHES = """
def batches(text, length):
    rows = {rows}
    starts = {starts}
    {start}
    at = starts[:, None] + torch.arange(length, device=text.device)
    inputs = text[at]
    {before}
    targets = {targets}
    {end}
    return inputs, targets
"""


def specimen(name, targets="text[at + 1]", **lines):
    """A way to cut a text: the right one, some lines of which are others."""
    given = {
        "rows": "(len(text) - 1) // length",
        "starts": "torch.arange(rows, device=text.device) * length",
        "targets": targets,
        **dict.fromkeys(("start", "before", "end"), "pass"),
    }
    return Case(name, {"batches": Specimen(filled(BATCHES, **given | lines))})


@exercise.cases
def cases(rng):
    yield specimen("one row after the other")
    yield specimen("the last row first", start="starts = starts.flip(0)")
    yield specimen(
        "rows that overlap",
        rows="len(text) - length",
        starts="torch.arange(rows, device=text.device)",
    )
    step = "max(1, length // 2)"
    yield specimen(
        "rows that overlap by half",
        rows=f"(len(text) - 1 - length) // ({step}) + 1",
        starts=f"torch.arange(rows, device=text.device) * ({step})",
    )
    yield specimen("cut from the end", start="starts = starts + (len(text) - 1) % length")
    yield specimen("not shifted", "inputs.clone()")
    yield specimen("shifted by two", "text[(at + 2).clamp(max=len(text) - 1)]")
    yield specimen("shifted the other way", "text[at - 1]")
    yield specimen("rolled within a row", "inputs.roll(-1, dims=1)")
    yield specimen("rolled over the rows", "inputs.flatten().roll(-1).view_as(inputs)")
    last = "torch.cat([inputs[:, 1:], {}], dim=1)"
    yield specimen("the last target is its input", last.format("inputs[:, -1:]"))
    yield specimen("the last target is 0", last.format("0 * inputs[:, :1]"))
    yield specimen("the last row is not shifted", end="targets[-1] = inputs[-1]")
    yield specimen("the first row is not shifted", end="targets[0] = inputs[0]")
    column = rng.integer(1, 4)
    yield specimen(
        "one column is not shifted",
        end=f"targets[:, {column}:{column + 1}] = inputs[:, {column}:{column + 1}]",
    )
    yield specimen(
        "a token is lost between rows",
        rows="len(text) // (length + 1)",
        starts="torch.arange(rows, device=text.device) * (length + 1)",
    )
    yield specimen("the last full row is lost", rows="max(1, (len(text) - 1) // length - 1)")
    yield specimen("only the first row is given", rows="1")
    yield specimen(
        "columns for rows",
        start="starts = starts // length",
        before="at = starts[:, None] + rows * (at - at[:, :1]); inputs = text[at]",
    )
    yield specimen("targets of the next row", "text[(at + length).clamp(max=len(text) - 1)]")
    yield specimen(
        "tokens of one number are skipped",
        end="targets = torch.where(targets == 3, inputs, targets)",
    )
    yield specimen("inputs and targets exchanged", end="inputs, targets = targets, inputs")
    yield specimen("long rows are not shifted", end="targets = inputs if length > 6 else targets")
    yield specimen("the first row twice", start="starts = torch.cat([starts[:1], starts[:-1]])")
    yield specimen(
        "an odd number of rows is not shifted",
        end="targets = inputs if rows % 2 and rows > 1 else targets",
    )


@exercise.secret_cases
def secret_cases(rng):
    yield specimen("rows in another order", start="starts = starts.roll(1)")
    yield specimen("even rows first", start="starts = torch.cat([starts[::2], starts[1::2]])")
    yield specimen("each row twice", start="starts = starts.repeat(2)")
    yield specimen(
        "shifted by two in the second half",
        "torch.where(at < len(text) // 2, text[at + 1], text[(at + 2).clamp(max=len(text) - 1)])",
    )
    yield specimen(
        "the end of the text is lost if it fits",
        rows="(len(text) - 1) // length - (len(text) % length == 1)",
    )
    yield specimen("the second row is not shifted", end="targets[1:2] = inputs[1:2]")
    column = rng.integer(4, 6)
    yield specimen(
        "another column is shifted by two",
        before=f"at = at + (at - at[:, :1] == {column}) * (at < len(text) - 2)",
    )
    token = rng.integer(4, 9)
    yield specimen(
        "one token is never a target",
        end=f"targets = torch.where(targets == {token}, 0 * targets, targets)",
    )
    yield specimen("inputs are reversed", end="inputs = inputs.flip(1)")
    yield specimen(
        "rows of one token are not shifted", end="targets = inputs if length == 1 else targets"
    )
    yield specimen(
        "a row is left out in the middle", start="starts = torch.cat([starts[:2], starts[3:]])"
    )


SIZES = [(20, 4), (21, 4), (22, 4), (23, 4), (9, 8), (41, 8), (16, 1), (37, 7), (40, 13), (50, 6)]


@exercise.oracle
def neighbours_in_the_text(batches):
    """Of a text without repetitions: where each token is from says it all."""
    for tokens, length in SIZES:
        text = torch.arange(tokens)
        inputs, targets = (rows.tolist() for rows in batches(text, length))
        if len(inputs) != len(targets) or not inputs:
            return False
        for row, wanted in zip(inputs, targets, strict=True):
            if row != list(range(row[0], row[0] + length)) or wanted != [at + 1 for at in row]:
                return False
        missing = set(range(1, tokens)) - {at for row in targets for at in row}
        first, last = min(map(min, inputs)), max(map(max, targets))
        if len(missing) >= length or any(first < at < last for at in missing):
            return False
    return True


@exercise.variant
def found_again_in_the_text(batches):
    """Where a row is in a random text, by comparing it with all places."""
    for length in (1, 3, 4, 5, 8):
        for tokens in range(17, 50, 2 if length > 3 else 3):
            text = torch.cat([torch.randperm(16), torch.randint(1000, (tokens - 16,))])
            text = text[torch.randperm(tokens)]
            inputs, targets = batches(text, length)
            pieces = text.unfold(0, length + 1, 1)  # [places, length + 1]
            both = torch.cat([inputs, targets[:, -1:]], dim=1)
            same = (pieces[:, None] == both).all(dim=-1)  # [places, rows]
            if not bool(same.any(0).all()) or not torch.equal(inputs[:, 1:], targets[:, :-1]):
                return False
            start = torch.where(same.any(1))[0]
            covered = torch.zeros(tokens, dtype=torch.bool)
            for at in start.tolist():
                covered[at + 1 : at + length + 1] = True
            used = torch.where(covered)[0]
            gaps = (used[1:] - used[:-1] != 1).any()
            if bool(gaps) or len(used) <= tokens - 1 - length:
                return False
    return True


@exercise.variant
def with_sets(batches):
    for tokens in (17, 20, 21, 24, 25, 33, 34, 41, 48):
        for length in (1, 2, 4, 7, 8):
            inputs, targets = batches(torch.arange(tokens), length)
            if inputs.shape != targets.shape or inputs.size(1) != length:
                return False
            if ((targets - inputs) != 1).any() or (inputs[:, 1:] - inputs[:, :-1] != 1).any():
                return False
            reached = {int(x) for x in targets.flatten()}
            run = set(range(min(reached), max(reached) + 1))
            if reached != run or tokens - 1 - len(reached) >= length:
                return False
    return True


@exercise.variant
def sorted_by_the_first_token(batches):
    answers = []
    for tokens in range(18, 45):
        for length in (1, 3, 5, 8):
            text = torch.arange(tokens).flip(0)  # so that a number says how much follows
            rows, wanted = batches(text, length)
            order = rows[:, 0].argsort(descending=True)
            rows, wanted = rows[order], wanted[order]
            answers.append(torch.equal(rows - 1, wanted))
            answers.append(torch.equal(rows[:, :1] - torch.arange(length), rows))
            steps = rows[:-1, 0] - rows[1:, 0]
            answers.append(bool((steps <= length).all()))
            answers.append(int(tokens - 1 - rows[0, 0]) + int(wanted[-1, -1]) < length)
    return all(answers)
