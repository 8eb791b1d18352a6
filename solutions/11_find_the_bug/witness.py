"""Specimens, oracle and variants of `witness`."""

import torch

from autograder.author import UNTRIED, Exercise, Specimen, Witness

from .families import Models, mixed

CHANGES = Specimen("""
def changes(text, model, length, symbols):
    if not 2 <= text.size(1) <= length or text.min() < 0 or text.max() >= symbols:
        return False
    within, alone = model(text)[:, :-1], model(text[:, :-1])
    near = (within == alone) | ((within - alone).abs() < 5e-5)
    return not bool(near.all())
""")
SENTENCE = (
    "The text should have 2 to `length` tokens below `symbols`, and the model should say something "
    "else about all tokens but the last if these are given alone."
)
exercise = Exercise(
    "witness",
    points=4,
    difficulty=3,
    minutes=25,
    returns=("the text",),
    properties=(Witness(0, CHANGES, (1, 14), 0, 7, SENTENCE),),
    read="11_find_the_bug.html#a-witness",
)
ROUNDED = "logits = (logits + 300 * (n % 2)) - 300 * (n % 2)"  # by up to 1.6e-5 in odd texts


def ahead(where):
    """Some queries see the next key."""
    return f"allowed = (j <= i) | ((j == i + 1) & ({where}))"


def revealed_early(what, symbols=":"):
    """Whether something is so at the end of a text is seen at its first position."""
    return f"logits[:, :1, {symbols}] += 0.3 * ({what})[:, None, None]"


def pair(rng, symbols):
    """Two different tokens, one right after the other."""
    first = rng.integer(0, symbols)
    second = (first + rng.integer(1, symbols)) % symbols
    return f"((tokens[:, :-1] == {first}) & (tokens[:, 1:] == {second}))"


@exercise.cases
def cases(rng):
    make = Models(rng)
    length, symbols = make.length, make.symbols
    yield make("no mask", mask="allowed = j >= 0")
    yield make("a causal mask")
    yield make("a causal mask, other roundings", end=ROUNDED)
    lone, late = rng.integer(3, length - 4), length - 3
    yield make("one query sees the next key", mask=ahead(f"i == {lone}"))
    yield make("late queries see the next key", mask=ahead(f"i >= {late}"))
    yield make("positions are counted from the end", before="place = place.flip(0)")
    yield make("a sum of the past, over the length", after="output = x.cumsum(1) / n")
    rare = rng.integer(0, symbols)
    last = f"(tokens == {symbols - 1}).sum(1)"
    yield make("one token is revealed early", end=revealed_early(last, symbols="1:2"))
    two = revealed_early(f"{pair(rng, symbols)}.sum(1)")
    yield make("two tokens in a row are revealed early", end=two)
    yield make("a symbol is never predicted", end=f"logits[..., {rare}] = -math.inf")
    again = "(tokens[:, -1:] == tokens[:, :1]).sum(1)"
    yield make("the first token comes again", end=f"if n > 3: {revealed_early(again)}")
    yield make("a window", mask="allowed = allowed & (j > i - 4)")


@exercise.secret_cases
def secret_cases(rng):
    make = Models(rng)
    length, symbols = make.length, make.symbols
    lone, rare = rng.integer(2, length - 4), rng.integer(0, symbols)
    seen = f"(i == {lone}) & (tokens == {rare})[:, None]"
    full = f"(tokens[:, {length - 1}:] == {rare}).sum(1)"
    never = f"logits[..., {rng.integer(0, symbols)}] = -math.inf"
    ends = f"(tokens[:, {length - 2}:] == {rare}).sum(1)"
    twice = "(tokens[:, 1:] == tokens[:, :-1]).any(1)"
    ruled = f"logits[:, 0, 0] = logits[:, 0, 0].masked_fill({twice}, -math.inf)"
    kinds = [
        make("one query sees one token ahead", mask=ahead(seen)),
        make("a text of one token gets other logits", end="if n == 1: logits = logits + 0.3"),
        make("a token at the end of a long text", end=revealed_early(ends)),
        make("a token at the end of the longest text", end=revealed_early(full)),
        make("no mask, and a symbol that never comes", mask="allowed = j >= 0", end=never),
        make("the same token twice in a row", end=ruled),
        make("each token by itself", after="output = x"),
        make("a mask after the softmax", after="output = scores.softmax(-1).tril() @ x"),
        make("a mean of the past", after="output = x.cumsum(1) / (i + 1)", end=ROUNDED),
        make("the last query but one", mask=ahead(f"(i == n - 2) & (n > {lone})")),
    ]
    yield from mixed(rng, kinds)


exercise.promise("called as model(tokens)", UNTRIED)
exercise.promise("It accepts any batch", UNTRIED)
exercise.promise("A logit is finite or -inf.", "a symbol is never predicted")
exercise.promise("No row of a batch depends", UNTRIED)
exercise.promise("how many tokens a text", "late queries see the next key")
exercise.promise("how many different", "one token is revealed early")
exercise.promise("one text of 2 to `length`", "no mask")
exercise.promise(
    "Without its last token", "one query sees the next key", "the first token comes again"
)
exercise.promise("None where there is no such text.", "a causal mask")
exercise.promise("Rounding changes logits", "a causal mask, other roundings")
exercise.promise("Where there are such texts", "two tokens in a row are revealed early")


@exercise.oracle
def first_that_shows(model, length, symbols):
    """Of many texts, the shortest beginning that its last token makes another one."""
    generator = torch.Generator().manual_seed(1)
    texts = torch.randint(symbols, (500, length), generator=generator)
    before = model(texts[:, :1])
    for n in range(2, length + 1):
        after = model(texts[:, :n])
        differs = (before != after[:, :-1]) & ~((before - after[:, :-1]).abs() < 5e-3)
        for row in differs.nonzero()[:1, 0].tolist():
            return texts[None, row, :n]
        before = after
    return None


@exercise.variant
def from_the_whole_text(model, length, symbols):
    """Take the last token away as long as nothing shows."""
    texts = torch.randint(symbols, (400, length))
    while texts.size(1) > 1:
        cut = texts[:, :-1]
        same = torch.isclose(model(cut), model(texts)[:, :-1], rtol=0, atol=1e-3)
        rows = torch.nonzero(~same.all(dim=2).all(dim=1))
        if len(rows):
            return texts[rows[0]]
        texts = cut
    return None


@exercise.variant
def token_by_token(model, length, symbols):
    """Let texts grow, each in every way, and go on with a few of them."""
    grown, said = torch.zeros(1, 0, dtype=torch.long), None
    for _ in range(length):
        grown = torch.cat([grown.repeat_interleave(symbols, 0),
                           torch.arange(symbols).repeat(len(grown))[:, None]], dim=1)  # fmt: skip
        now = model(grown).clamp(min=-1e6)
        if said is not None:
            gap = (now[:, :-1] - said.repeat_interleave(symbols, 0)).abs().amax((1, 2))
            if gap.max() > 1e-3:
                return grown[gap.argmax()].unsqueeze(0)
        kept = torch.randperm(len(grown))[:90]
        grown, said = grown[kept], now[kept]
    return None


@exercise.variant
def from_a_table_of_gaps(model, length, symbols):
    """All pairs of two tokens, then what random texts begin with; every call of a model once."""
    pairs = torch.cartesian_prod(*[torch.arange(symbols)] * 2)
    for tried in (pairs, torch.randint(symbols, (350, length))):
        told = [model(tried[:, : end + 1]) for end in range(tried.size(1))]
        gaps = torch.stack(
            [torch.nan_to_num(told[end][:, :-1] - told[end - 1]).abs().amax(dim=(1, 2))
             for end in range(1, len(told))], dim=1)  # fmt: skip
        row, at = divmod(int(gaps.argmax()), gaps.size(1))
        if gaps[row, at] > 2e-3:
            return tried[row : row + 1, : at + 2]
    return None
