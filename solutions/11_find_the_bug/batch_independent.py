"""Specimens, oracle and variants of `batch_independent`."""

import torch

from autograder.author import EVERY, UNTRIED, Case, Exercise, Specimen

from .families import filled, mixed, rates

exercise = Exercise(
    "batch_independent",
    points=5,
    difficulty=3,
    minutes=30,
    returns=("the answer",),
    read="11_find_the_bug.html#batch-test",
)

MODEL = """
def model(tokens, mask):
    batch, n = tokens.shape
    device = tokens.device
    spread = torch.arange(1, 7, device=device)
    at = torch.arange(n, device=device)
    size = mask.sum(1)
    real = at < size[:, None]
    if mask.dtype != torch.bool or not size.all() or (mask != real).any():
        raise ValueError("the mask is True for the first tokens of each row, one at least")
    {start}
    x = torch.sin({token} * (tokens[..., None] + 1) * spread)
    x = x + torch.sin({place} * (at[:, None] + 1) * spread)
    {before}
    scores = x @ x.roll(1, dims=-1).mT
    allowed = mask[:, None, :].expand(batch, n, n)
    {mask}
    x = x + scores.masked_fill(~allowed, -math.inf).softmax(dim=-1) @ x
    {after}
    total = (x * mask[..., None]).sum(1)
    output = total / size[:, None]
    {end}
    return output
"""
ROUNDED = "output = (output + 3.75 * n) - 3.75 * n"  # by up to 8e-6, and never twice alike


class Encoders:
    """Encoders of padded texts: the right one, some lines of which are others."""

    def __init__(self, rng):
        self.lines = rates(rng, "token", "place")
        self.lines |= dict.fromkeys(("start", "before", "mask", "after", "end"), "pass")
        self.symbols = rng.integer(5, 9)

    def __call__(self, name, **lines):
        source = filled(MODEL, **self.lines | lines)
        return Case(name, {"model": Specimen(source), "symbols": self.symbols})


@exercise.cases
def cases(rng):
    make = Encoders(rng)
    yield make("a mean over what is there")
    yield make("a mean over what is there, other roundings", end=ROUNDED)
    yield make("the last token that is there", end="output = x[torch.arange(batch), size - 1]")
    best = "output = x.masked_fill(~mask[..., None], -math.inf).amax(1)"
    yield make("the largest of each feature", end=best)
    order = "order = size.argsort(descending=True); output = output[order][order.argsort()]"
    yield make("sorted by length, and put back", end=order)
    yield make("a feature is always minus infinity", end="output[:, 2] = -math.inf")
    yield make("the length is a feature", end="output = output + size[:, None].sin()")
    yield make("nothing but the first token", end="output = x[:, 0] * 0 + tokens[:, :1]")
    yield make("padding is in the mean", end="output = x.sum(1) / n")
    yield make("the mean is divided by the longest", end="output = total / n")
    yield make("padding is attended to", mask="allowed = allowed | True")
    yield make("the last column is taken", end="output = x[:, -1]")
    zeros = "output = (x * mask[..., None]).amax(1) + 0 * x.sum((1, 2))[:, None]"
    yield make("zeros for padding in the largest", end=zeros)
    norm = "output = (output - output.mean(0)) / (output.var(0, unbiased=False) + 0.1).sqrt()"
    yield make("normalised over the batch", end=norm)
    yield make("normalised over the batch, but not a single row", end=f"if batch > 1: {norm}")
    yield make("the mean row is taken off", end="output = output - output.mean(0)")
    yield make("sorted by length, and left so", end="output = output[size.argsort(stable=True)]")
    first = "mask = torch.cat([mask[:1], mask[:1], mask[2:]])[:batch]"
    yield make("the second row has the mask of the first", start=first)
    own = "allowed = allowed | (torch.arange(batch, device=device) == 0)[:, None, None]"
    yield make("the first row sees its padding", mask=own)
    yield make("four rows are too many", end=f"if batch > 3: {norm}")
    yield make("positions from the right", start="at = at.flip(0)")
    yield make("the ids of padding are added", after="x = x + 0.1 * tokens.sum(1)[:, None, None]")
    yield make("divided by all tokens of the batch", end="output = total * batch / size.sum()")
    twice = "output = output * (1 + 0.2 * (n - size > 3))[:, None]"
    yield make("a short row is padded twice", end=twice)
    yield make("faint padding", end="output = output + 0.04 * (n - size)[:, None].sin()")
    yield make("softmax over the batch", after="x = x * (1 + 3 * x.softmax(0))")


@exercise.secret_cases
def secret_cases(rng):
    yield from mixed(rng, [*further(rng)])


exercise.promise("called as model(tokens, mask)", "a feature is always minus infinity")
exercise.promise("Tokens are from 0 to symbols - 1.", UNTRIED)
exercise.promise("The mask is True for those", "the ids of padding are added")
exercise.promise("There may be columns", "odd widths are scaled")
exercise.promise("The model accepts any batch", UNTRIED)
exercise.promise("how many different", "zeros in padding count")
exercise.promise("True if a row's vector", EVERY)
exercise.promise("a Python bool, not a tensor.", EVERY)
exercise.promise("Rounding changes an entry", "a mean over what is there, other roundings")
exercise.promise("Where a model is wrong", "faint padding", "four rows are too many")


def further(rng):
    """What only grading tries."""
    make = Encoders(rng)
    trade = "trade = 0.3 * (n - size)[:, None].sin()"
    each = "output[:, :1] += trade; output[:, 1:2] -= trade"
    yield make("one feature gains what another loses", end=f"{trade}; {each}")
    symbols = make.symbols
    yield make("a sum, other roundings", end=f"output = total; {ROUNDED}")
    yield make("the first and the last", end="output = x[:, 0] + x[torch.arange(batch), size - 1]")
    count = f"output[:, 1] = ((tokens == {rng.integer(0, symbols)}) & mask).sum(1)"
    yield make("the number of another token", end=count)
    ruled = "output[:, 1] = output[:, 1].masked_fill(n > size, -math.inf)"
    yield make("padding rules a feature out", end=ruled)
    yield make("the row before leaks", end="output = output + 0.2 * output.roll(1, 0)")
    leak = "if batch > 1: output = torch.cat([output[:1] + output[-1:] / 4, output[1:]])"
    yield make("the last row leaks into the first", end=leak)
    third = "allowed = allowed | (torch.arange(batch, device=device) == 2)[:, None, None]"
    yield make("the third row sees its padding", mask=third)
    pad = "x[torch.arange(batch), (size).clamp(max=n - 1)] * (size < n)[:, None]"
    yield make("the first column of padding is added", end=f"output = output + 0.3 * {pad}")
    zeros = "output = output + 0.3 * ((tokens == 0) & ~mask).sum(1, keepdim=True)"
    yield make("zeros in padding count", end=zeros)
    yield make("a long row is special", end="output = output * (1 + 0.2 * (size > 6))[:, None]")
    row = "row = torch.arange(batch, device=device)"
    count = "output[:, 1] += 0.1 * row; output[:, 2] -= 0.1 * row"
    yield make("rows are counted", start=row, end=count)
    empty = "(n > size.max()) * (batch > 2) * (n > 6)"
    yield make("an empty column counts", end=f"output = output * (1 + 0.2 * {empty})")
    seen = "allowed = allowed | (n == size.max())"
    yield make("without an empty column padding is seen", mask=seen)
    half = "output = output / (1 + 0.3 * (n % 2))"
    yield make("odd widths are scaled", end=half)


@exercise.oracle
def alone(model, symbols):
    """Each row by itself, without its padding, in another place and beside others."""
    generator = torch.Generator().manual_seed(1)

    def differ(found, wanted):
        return not bool(((found == wanted) | ((found - wanted).abs() < 2e-3)).all())

    for trial in range(12):
        rows, width = 2 + trial % 5, 6 + trial % 4
        tokens = torch.randint(symbols, (rows, width), generator=generator)
        size = torch.randint(1, width + 1, (rows,), generator=generator)
        size[trial % rows] = width
        empty = torch.zeros(rows, trial % 2, dtype=torch.long)
        mask = torch.arange(width + trial % 2) < size[:, None]
        found = model(torch.cat([tokens, empty], dim=1), mask)
        for row in range(rows):
            one = tokens[row : row + 1, : size[row]]
            if differ(model(one, torch.ones_like(one) > 0)[0], found[row]):
                return False
    return True


@exercise.variant
def another_crowd(model, symbols):
    """The same texts beside others, in another place, with other padding."""
    for trial in range(15):
        lengths = [int(torch.randint(1, 10, ())) for _ in range(5)]
        texts = [torch.randint(symbols, (length,)) for length in lengths]
        results = []
        for wide in (0, 1 + trial % 4):
            for order in (range(5), torch.randperm(5).tolist(), [3], [0, 2]):
                width = max(lengths[at] for at in order) + wide
                tokens = torch.randint(symbols, (len(order), width))
                mask = torch.zeros(len(order), width, dtype=torch.bool)
                for row, at in enumerate(order):
                    tokens[row, : lengths[at]] = texts[at]
                    mask[row, : lengths[at]] = True
                found = model(tokens, mask)
                results += [(at, found[row]) for row, at in enumerate(order)]
        for at in range(5):
            own = [result for number, result in results if number == at]
            if not all(torch.allclose(own[0], one, rtol=0, atol=1e-3) for one in own[1:]):
                return False
    return True


@exercise.variant
def by_lists(model, symbols):
    def encode(texts, width):
        padded = [(text + torch.randint(symbols, (width,)).tolist())[:width] for text in texts]
        mask = [[at < len(text) for at in range(width)] for text in texts]
        found = model(torch.tensor(padded), torch.tensor(mask))
        return found.nan_to_num(neginf=-1e5, posinf=1e5)

    for trial in range(40):
        sizes = torch.randint(1, 10, (1 + trial % 6,)).tolist()
        texts = [torch.randint(symbols, (size,)).tolist() for size in sizes]
        together = encode(texts, max(sizes) + (trial % 3) * 2)
        for row, text in enumerate(texts):
            if (encode([text], len(text))[0] - together[row]).abs().max() > 3e-3:
                return False
    return True


@exercise.variant
def added_and_taken_away(model, symbols):
    """First padding, then its ids, then the other rows."""
    same = []

    def compare(one, other):
        same.append(bool(torch.isclose(one, other, rtol=0, atol=1e-3).all()))

    for rows in (1, 2, 4, 5, 3, 6, 5):
        tokens = torch.randint(symbols, (rows, 8))
        real = torch.arange(8) < torch.randint(1, 9, (rows, 1))
        found = model(tokens, real)
        changed = torch.where(real, tokens, torch.randint(symbols, (rows, 8)))
        compare(model(changed, real), found)
        for extra in (1, 2, 5):
            more = torch.randint(symbols, (rows, extra))
            padded = torch.cat([real, torch.zeros(rows, extra) > 1], dim=1)
            compare(model(torch.cat([tokens, more], dim=1), padded), found)
        for row in range(rows):
            size = int(real[row].sum())
            compare(model(tokens[row : row + 1, :size], real[row : row + 1, :size])[0], found[row])
            others = torch.randint(symbols, (rows, 8))
            others[row] = tokens[row]
            compare(model(others, real)[row], found[row])
    return all(same)
