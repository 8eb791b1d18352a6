"""Specimens, oracle and variants of `shifts_targets`."""

import itertools

import torch

from autograder.author import EVERY, UNTRIED, Exercise

from .cuttings import by_index, drawn, only_in_rows_of, unfolded

exercise = Exercise(
    "shifts_targets",
    points=4,
    difficulty=2,
    minutes=20,
    returns=("the answer",),
    read="11_find_the_bug.html#target-test",
)


@exercise.cases
def cases(rng):
    yield by_index("one row after the other")
    yield by_index("the last row first", start="starts = starts.flip(0)")
    every = "torch.arange(rows, device=text.device)"
    yield by_index("rows that overlap", rows="len(text) - length", starts=every)
    step = "max(1, length // 2)"
    rows = f"(len(text) - 1 - length) // ({step}) + 1"
    starts = f"torch.arange(rows, device=text.device) * ({step})"
    yield by_index("rows that overlap by half", rows=rows, starts=starts)
    yield by_index("cut from the end", start="starts = starts + (len(text) - 1) % length")
    yield by_index("not shifted", "inputs.clone()")
    yield by_index("shifted by two", "text[(at + 2).clamp(max=len(text) - 1)]")
    yield by_index("shifted the other way", "text[at - 1]")
    rolled = "inputs.roll(-1, dims=1) if length > 1 else text[at + 1]"
    yield by_index("rolled within a row", rolled)
    yield by_index("rolled over the rows", "inputs.flatten().roll(-1).view_as(inputs)")
    last = "torch.cat([inputs[:, 1:], {}], dim=1)"
    yield by_index("the last target is its input", last.format("inputs[:, -1:]"))
    yield by_index("the last target is 0", last.format("0 * inputs[:, :1]"))
    yield by_index("the last row is not shifted", end="targets[-1] = inputs[-1]")
    yield by_index("the first row is not shifted", end="targets[0] = inputs[0]")
    column = rng.integer(1, 4)
    same = f"targets[:, {column}:{column + 1}] = inputs[:, {column}:{column + 1}]"
    yield by_index("one column is not shifted", end=same)
    apart = "torch.arange(rows, device=text.device) * (length + 1)"
    yield by_index("a token is lost between rows", rows="len(text) // (length + 1)", starts=apart)
    yield by_index("the last full row is lost", rows="max(1, (len(text) - 1) // length - 1)")
    yield by_index("only the first row is given", rows="1")
    columns = "at = starts[:, None] + rows * (at - at[:, :1]); inputs = text[at]"
    yield by_index("columns for rows", start="starts = starts // length", before=columns)
    yield by_index("targets of the next row", "text[(at + length).clamp(max=len(text) - 1)]")
    skipped = "targets = torch.where(targets == 3, inputs, targets)"
    yield by_index("tokens of one number are skipped", end=skipped)
    yield by_index("inputs and targets exchanged", end="inputs, targets = targets, inputs")
    yield only_in_rows_of(1)
    yield only_in_rows_of(3)
    rest = f"length > 3 and (len(text) - 1) % length == {rng.integer(1, 4)}"
    yield unfolded("one rest is wrong", end=f"if {rest}: targets[-1] = inputs[-1]")
    yield unfolded("some rows twice", pieces="pieces = torch.cat([pieces, pieces[1:]])")
    yield by_index("long rows are not shifted", end="targets = inputs if length > 6 else targets")
    yield by_index("the first row twice", start="starts = torch.cat([starts[:1], starts[:-1]])")
    odd = "targets = inputs if rows % 2 and rows > 1 else targets"
    yield by_index("an odd number of rows is not shifted", end=odd)


@exercise.secret_cases
def secret_cases(rng):
    yield from drawn(rng)


exercise.promise("called as batches(text, length)", UNTRIED)
exercise.promise("It does not change", UNTRIED)
exercise.promise(
    "True if (1) each row", "columns for rows", "not shifted", "a token is lost between rows"
)
exercise.promise("Else False: a Python", EVERY)
exercise.promise(
    "Each mistake shows", "tokens of one number are skipped", "long rows are not shifted"
)
exercise.promise("Its other tokens may be any from 16 on.", UNTRIED)


@exercise.oracle
def neighbours_in_the_text(batches):
    """Of a text without repetitions: where each token is from says it all."""
    for tokens, length in itertools.product(range(17, 42), range(1, 9)):
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
    for length in (8, 5, 4, 3, 1):
        for tokens in range(41, 16, -1):
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
    for tokens in range(17, 42):
        for length in (1, 2, 3, 4, 7, 8):
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
    for tokens in range(17, 45):
        for length in (1, 3, 4, 8):
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
