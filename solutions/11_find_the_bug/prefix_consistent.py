"""Specimens, oracle and variants of `prefix_consistent`."""

import torch

from autograder.author import EVERY, UNTRIED, Exercise

from .families import Models, mixed

exercise = Exercise(
    "prefix_consistent",
    points=4,
    difficulty=2,
    minutes=20,
    returns=("the answer",),
    read="11_find_the_bug.html#prefix-test",
)

ROUNDED = "logits = (logits + 3.75 * n) - 3.75 * n"  # by up to 8e-6, and never twice alike


def in_rows(rows, line="j >= 0"):
    """The mask is another one in some rows."""
    return f"allowed = allowed.repeat(batch, 1, 1); allowed[{rows}] |= {line}"


@exercise.cases
def cases(rng):
    make = Models(rng)
    length, symbols = make.length, make.symbols
    yield make("a causal mask")
    yield make("a causal mask, other roundings", end=ROUNDED)
    yield make("no mask at all", mask="allowed = j >= 0")
    yield make("each query sees one key too many", mask="allowed = j <= i + 1")
    lone = 2 * rng.integer(2, 4) - 1  # it shows where an even number of tokens is cut off from
    yield make("one query sees the next key", mask=f"allowed = j <= i + (i == {lone})")
    yield make("the last query but one sees the last key", mask="allowed = j <= i + (i == n - 2)")
    late = length - 3
    yield make("late queries see the next key", mask=f"allowed = j <= i + (i >= {late - 1})")
    yield make("positions are counted from the end", before="place = place.flip(0)")
    yield make("scores are divided by the length", mask="scores = scores * 8 / n")
    yield make("a sum of the past, over the length", after="output = x.cumsum(1) / n")
    yield make("a mean of the past", after="output = x.cumsum(1) / (i + 1)", end=ROUNDED)
    yield make("a mask after the softmax", after="output = scores.softmax(-1).tril() @ x")
    yield make("the last position is special", end="logits[:, -1] += 0.3 * logits[:, -1].sin()")
    some = f"if 3 < n < {length}: logits[:, 1, 0] += 0.3"
    yield make("texts of medium length are special early on", end=some)
    same = f"logits = (tokens[..., None] == torch.arange({symbols}, device=tokens.device)).float()"
    yield make("the same symbol again", end=same)
    pad = f"logits += 0.1 * ((n % 2) if n < {length} else 0)"  # which no softmax shows
    yield make("texts of odd length are padded", end=pad)
    last = symbols - 1
    seen = f"x = x + 0.2 * (tokens == {last}).flip(1).cumsum(1).flip(1)[..., None]"
    yield make("one token is seen from before", after=f"{seen}; output = output + x")
    yield make("the second row has no mask", mask=in_rows("1:2"))
    column = rng.integer(1, symbols)
    ahead = f"logits[..., {column}] += 0.2 * token[..., 0].flip(1).cumsum(1).flip(1)"
    yield make("one logit knows what follows", end=ahead)
    yield make("values are centred over the text", before="token = token - token.mean(1, True)")
    yield make("a symbol is never predicted", end=f"logits[..., {column}] = -math.inf")
    yield make("rows share a mean", before="token = token + token.mean(0) / 2", end=ROUNDED)
    yield make("a window", mask="allowed = allowed & (j > i - 4)")
    first = "output = 0 * output + x[:, :1]"
    yield make("only the first token counts", after=first, end=ROUNDED)
    faint = "logits += 40; logits[:, :-1, :1] += 0.03 * torch.sin(3 * token[:, 1:, :1])"
    yield make("a faint trace of the next token", end=faint)
    trade = "trade = 0.3 * torch.sin(3 * token[:, 1:, :1])"
    each = "logits[:, :-1, :1] += trade; logits[:, :-1, 1:2] -= trade"
    yield make("one logit gains what another loses", end=f"{trade}; {each}")


@exercise.secret_cases
def secret_cases(rng):
    yield from mixed(rng, [*further(rng)])


exercise.promise("called as model(tokens)", UNTRIED)
exercise.promise("It accepts any batch", UNTRIED)
exercise.promise("A logit is finite or -inf.", "a symbol is never predicted")
exercise.promise("how many tokens a text", "late queries see the next key")
exercise.promise("how many different", "one token is seen from before")
exercise.promise("True if, for each batch", EVERY)
exercise.promise("Rows of a batch may depend", "rows share a mean")
exercise.promise("Rounding changes logits", "a causal mask, other roundings")
exercise.promise(
    "Where a model is wrong", "a faint trace of the next token", "the second row has no mask"
)


def further(rng):
    """What only grading tries."""
    make = Models(rng)
    length, symbols = make.length, make.symbols
    ahead = rng.integer(3, length - 4)
    yield make("positions from the end, rounded", before="place = place.flip(0)", end=ROUNDED)
    zero = "(tokens == 0)[:, None] & (j == i + 2)"
    yield make("token 0 is seen two places ahead", mask=f"allowed = allowed | ({zero})")
    yield make("keys far ahead are seen", mask=f"allowed = (j <= i) | (j == i + {ahead})")
    yield make("the third row has no mask", mask=in_rows("2:3"))
    yield make("only the first row has no mask", mask=in_rows(":1"))
    yield make("the first query sees the second key", mask="allowed = j <= i + (i == 0)")
    again = "(tokens.roll(-1, 1) == tokens)[..., None] * (j < n - 1)[:, None]"
    yield make("a repetition shows a step early", after=f"output = output + 0.3 * {again}")
    yield make("nothing but the place counts", after="output = place + 0 * output", end=ROUNDED)
    yield make("each token by itself", after="output = x")
    hidden = f"logits[..., {rng.integer(0, symbols)}] = -math.inf"
    yield make("another symbol is never predicted", end=hidden)
    # here the largest gap of any two calls is NaN
    two = "allowed = (j <= i) | (j == i + 2)"
    yield make("a symbol is never predicted, and keys ahead are seen", mask=two, end=hidden)
    last = f"allowed = j <= i + (i == {length - 2})"
    yield make("the longest text sees its last token too early", mask=last)
    ruled = "(tokens[:, -1:] == tokens[:, :1])"
    out = f"logits[..., {rng.integer(0, symbols)}].masked_fill({ruled}, -math.inf)"
    yield make("the last token rules a symbol out", end=f"logits[..., 0] = {out}")
    weak = f"logits[:, {rng.integer(1, length - 3)}, 0] += 0.1 * token[:, -1, 0]"
    yield make("faint, at one position", end=f"if n > {length - 2}: {weak}")
    yield make("weights of the past, twice", after="output = weights @ (weights @ x)")
    hidden = "scores = scores.masked_fill(~allowed, -1e4)"
    other = "output = scores.softmax(dim=1) @ x"
    yield make("softmax over the queries", mask=hidden, after=other)


@exercise.oracle
def every_cut(model, length, symbols):
    """Whether nothing changes when tokens are taken away from the end, one after the other."""
    generator = torch.Generator().manual_seed(1)
    for _ in range(6):
        tokens = torch.randint(symbols, (5, length), generator=generator)
        after = model(tokens)
        while tokens.size(1) > 1:
            tokens = tokens[:, :-1]
            before, after = after[:, :-1], model(tokens)
            same = (before == after) | ((before - after).abs() < 2e-3)
            if not bool(same.all()):
                return False
    return True


@exercise.variant
def cut_and_changed(model, length, symbols):
    """Cut at each place, and continued in another way."""
    for _ in range(4):
        text, other = torch.randint(0, symbols, (2, 6, length))
        long = model(text)
        for cut in range(1, length):
            short = model(text[:, :cut])
            mixed = model(torch.cat([text[:, :cut], other[:, cut:]], dim=1))[:, :cut]
            for found in (short, mixed):
                if not torch.allclose(found, long[:, :cut], rtol=0, atol=3e-3):
                    return False
    return True


@exercise.variant
def by_what_is_larger(model, length, symbols):
    """Of each prefix the gaps; that of two infinities is NaN, and not larger than anything."""
    texts = torch.randint(symbols, (16, length))
    whole = model(texts)
    gaps = [(model(texts[:, :n]) - whole[:, :n]).abs() for n in range(length - 1, 0, -1)]
    return not any(bool((gap > 1e-3).any()) for gap in gaps)


@exercise.variant
def with_testing(model, length, symbols):
    try:
        for _ in range(5):
            rows = torch.stack([torch.randint(symbols, (length,)) for _ in range(4)])
            expected = model(rows).clamp(min=-1e6)
            for end in range(1, length + 1):
                found = model(rows[:, :end]).clamp(min=-1e6)
                torch.testing.assert_close(found, expected[:, :end], rtol=0, atol=1e-3)
    except AssertionError:
        return False
    return True
