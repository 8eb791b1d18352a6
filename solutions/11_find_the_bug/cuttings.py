"""Ways to cut a text into rows and targets, in three styles; some lines of them are others."""

from autograder.author import Case, Specimen

from .families import filled, mixed

BY_INDEX = """
def batches(text, length):
    if text.dim() > 1 or len(text) < 17 or not 0 < length < 9:
        raise ValueError("a text has 17 tokens or more, and a row 1 to 8")
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
ROW_BY_ROW = """
def batches(text, length):
    inputs, targets = [], []
    for start in range({begin}, len(text) - length, {step}):
        row, wanted = text[start : start + length], text[start + 1 : start + 1 + length].clone()
        {change}
        inputs.append(row)
        targets.append(wanted)
    return torch.stack(inputs), torch.stack(targets)
"""
UNFOLDED = """
def batches(text, length):
    {text}
    pieces = text.unfold(0, length + 1, {step})
    {pieces}
    inputs, targets = pieces[:, :-1].clone(), pieces[:, 1:].clone()
    {end}
    return inputs, targets
"""


def by_index(name, targets="text[at + 1]", **lines):
    """The places of all tokens first."""
    given = {
        "rows": "(len(text) - 1) // length",
        "starts": "torch.arange(rows, device=text.device) * length",
        "targets": targets,
        **dict.fromkeys(("start", "before", "end"), "pass"),
    }
    return cutting(name, BY_INDEX, given | lines)


def row_by_row(name, change="pass", begin="0", step="length"):
    """By slices."""
    return cutting(name, ROW_BY_ROW, {"change": change, "begin": begin, "step": step})


def unfolded(name, **lines):
    """Pieces that are longer by one, without their last token and without their first one."""
    given = dict.fromkeys(("text", "pieces", "end"), "pass") | {"step": "length"}
    return cutting(name, UNFOLDED, given | lines)


def cutting(name, template, lines):
    return Case(name, {"batches": Specimen(filled(template, **lines))})


def only_in_rows_of(length):
    end = f"targets = inputs if length == {length} else targets"
    return unfolded(f"rows of {length} are not shifted", end=end)


def right(rng):
    """Rows in an order of the seed's, that overlap or begin late."""
    odd, late, shorter = (rng.integer(2, 41), rng.integer(1, 6), rng.integer(1, 4))
    shuffled = f"starts = starts[(starts * {odd} % 41).argsort()]"
    yield by_index("rows in another order", start=shuffled)
    yield by_index("begun late", start=f"starts = starts + min({late}, (len(text) - 1) % length)")
    yield row_by_row("rows that overlap a little", step=f"max(1, length - {shorter})")
    yield unfolded("rolled rows", pieces=f"pieces = pieces.roll({odd}, 0)")


def wrong(rng):
    """Of each kind one, at a row, a column, a token or a size that the seed chooses."""
    # token 0 is the last of a text that counts down, and so never an input
    row, column, token = rng.integer(0, 4), rng.integer(1, 7), rng.integer(1, 15)
    far = (-1, 0, 2, 3)[rng.integer(0, 4)]
    at = f"(at + {far}).clamp(0, len(text) - 1)"
    yield by_index("shifted wrongly", f"text[{at}]")
    yield row_by_row("one row is not shifted", f"wanted = row if len(inputs) == {row} else wanted")
    part = f"wanted[{column} : {column + 2}]"
    yield row_by_row("two targets are exchanged", f"{part} = {part}.flip(0)")
    yield only_in_rows_of(4)
    yield only_in_rows_of(8)
    yield by_index("one token is skipped", end=f"inputs = inputs + (inputs == {token})")
    yield by_index("one target is another", end=f"targets = targets + 5 * (targets == {token + 1})")
    yield by_index("rows change their targets", end="targets = targets.roll(1, 0)")
    yield by_index("one row is lost", start=f"starts = starts[starts != {1 + row % 2} * length]")
    yield row_by_row("the first row is lost", begin="length")
    yield row_by_row("begun so late that too few are left for the end", begin="length - 1")
    yield unfolded("the end of long texts is lost", text=f"text = text[: {rng.integer(24, 40)}]")
    yield row_by_row("some tokens are lost", step=f"length + (length > {rng.integer(0, 3)})")
    fitting = "max(1, (len(text) - 1) // length - (len(text) % length == 1))"
    yield by_index("the end is lost where it fits", rows=fitting)
    hole = "starts + (length > 2) * (starts >= 2 * length)"  # so some texts have none
    moved = f"starts = ({hole}).clamp(max=len(text) - 1 - length)"
    yield by_index("a token in the middle is lost, none at the ends", start=moved)
    later = "starts = starts + (starts >= length)"
    yield by_index("a token is lost once", rows="max(1, (len(text) - 2) // length)", start=later)
    pair = f"[:, {column - 1} : {column + 1}]"
    swapped = f"inputs{pair} = inputs{pair}.flip(1); targets{pair} = targets{pair}.flip(1)"
    yield unfolded("two columns are exchanged", end=swapped)
    yield unfolded("wrapped at the end", text="text = torch.cat([text, text[:1]])")


def drawn(rng):
    """All of them in an order of the seed's."""
    yield from mixed(rng, [*right(rng), *wrong(rng)])
