"""Specimens, oracle and variants of `cache_consistent`."""

import torch

from autograder.author import EVERY, UNTRIED, Exercise

from .cached import ALL_TOKENS, ROUNDED, Cached
from .families import mixed

exercise = Exercise(
    "cache_consistent",
    points=5,
    difficulty=3,
    minutes=30,
    returns=("the answer",),
    read="11_find_the_bug.html#cache-test",
)


@exercise.cases
def cases(rng):
    make = Cached(rng)
    length, symbols = make.length, make.symbols
    yield make("keys and values are cached")
    yield make("keys and values are cached, other roundings", end=ROUNDED)
    yield make("the tokens are cached", ALL_TOKENS)
    yield make.by_state("one state is cached")
    yield make("positions begin again", start="at = torch.arange(n, device=device)")
    yield make("positions are off by one with a cache", start="at = at + int(past > 0)")
    yield make("the mask begins in the corner", mask="allowed = j <= i - past")
    yield make("a piece sees all of itself", mask="allowed = j < past + n + 0 * i")
    yield make("only the last piece is kept", end="keys = new")
    drop = rng.integer(5, length - 3)
    kept = f"allowed = allowed & ((j > 0) | (past < {drop}))"
    yield make(f"from {drop} tokens on the first is dropped", mask=kept)
    yield make("rows get the cache of the first", before="old = old[:1].expand_as(old)")
    row = "old = torch.cat([old[:1], old[:1], old[2:]])[:batch]"
    yield make("the second row gets the cache of the first", before=row)
    grow = "if cache is not None: cache[0].mul_(0.9)"
    yield make("a cache may be used once", end=grow)
    shift = "output = output + 0.4 * torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], dim=1)"
    yield make("the token before is forgotten between pieces", after=shift)
    alone = "allowed = allowed & ((n > 1) | (past == 0) | (j < i))"
    yield make("one token alone does not see itself", mask=alone)
    longer = "allowed = j <= i + (0 < past < n)"
    yield make("pieces longer than the cache see a key too many", mask=longer)
    yield make("long caches shrink", before=f"old = old * (1 - 0.2 * (past > {length - 3}))")
    yield make("scores are divided by the new keys", scores="scores = scores * n / (past + n)")
    yield make("the end of a piece is special", end="logits[:, -1] += 0.3 * (n > 1) * (past > 0)")
    rare = rng.integer(0, symbols)
    lost = f"new = new * (1 - 0.5 * (tokens == {rare})[..., None] * (past > 0))"
    yield make("one token is cached in another way", before=lost)
    yield make("a window", mask="allowed = allowed & (j > i - 4)", end=ROUNDED)
    yield make("nothing is hidden, each token alone", after="output = new")
    yield make("a symbol is never predicted", end="logits[..., 1] = -math.inf")
    faint = "logits[..., 0] -= 9; logits[:, -1, 0] += 0.04 * (past > 0)"
    yield make("faintly wrong with a cache", end=faint)


@exercise.secret_cases
def secret_cases(rng):
    yield from mixed(rng, [*further(rng)])


exercise.promise("called as model(tokens, cache)", "the tokens are cached", "one state is cached")
exercise.promise("The cache is None where a text begins.", UNTRIED)
exercise.promise("A text has at most", UNTRIED)
exercise.promise("The batch is the same for all of them.", UNTRIED)
exercise.promise("A logit is finite or -inf", "a symbol is never predicted")
exercise.promise("how many tokens a text", "positions begin again in long texts")
exercise.promise("how many different", "one token is cached in another way")
exercise.promise("True if, for each batch", EVERY)
exercise.promise("Rounding changes logits", "keys and values are cached, other roundings")
exercise.promise("Where a model is wrong", "only the last piece is kept")


def further(rng):
    """What only grading tries."""
    make = Cached(rng)
    length, symbols = make.length, make.symbols
    yield make.by_state("one state is cached, in a list", back=".clone()")
    yield make.by_state("the state is left as it was", back=" * 0.9")
    again = f"at = at - past * (past > {length - 4})"
    yield make("positions begin again in long texts", start=again)
    ruled = f"(tokens == {rng.integer(0, symbols)}) & (past > 0)"
    out = f"logits[..., 0].masked_fill({ruled}, -math.inf)"
    yield make("a token rules a symbol out with a cache", end=f"logits[..., 0] = {out}")
    late = rng.integer(4, length - 4)
    scaled = f"old = old * (1 + 0.3 * (past == {late}) * (n == 1))"
    yield make("old keys are scaled for a token alone", before=scaled)
    row = "old = torch.cat([old[:2], old[1:2], old[3:]])[:batch]"
    yield make("the third row gets the cache of the second", before=row)
    pair = f"(n == 2) & (past == {2 * rng.integer(1, 4)})"
    yield make("a piece of two sees all of itself", mask=f"allowed = allowed | ({pair})")
    inner = f"allowed = j <= i + ((n > 2) & (0 < past < {length} - n))"
    yield make("a long piece between others sees a key too many", mask=inner)
    newest = "allowed = allowed & ((j != past - 1) | (i - j > 5))"
    yield make("the newest key of the cache is lost", mask=newest)
    order = "old = old.flip(1) if past > 1 else old"
    yield make("the cache is kept in another order", before=order)
    yield make("a window on the past", mask="allowed = allowed & (j > i - 6)")
    over = f"if 2 < past < {length} - n: cache[0][:, -1] = new[:, -1]"
    yield make("the cache is written over", end=over)
    trade = "logits[..., 0] += 0.3 * (past > 0); logits[..., 1] -= 0.3 * (past > 0)"
    yield make("one logit gains what another loses", end=trade)
    empty = "old = old * (1 - (tokens == 0).any(1).float())[:, None, None]"
    yield make("token 0 empties the cache", before=empty)


@exercise.oracle
def all_cuts(model, length, symbols):
    """Every cut in two, every token by itself, pieces of two and of three, and each cache twice."""
    generator = torch.Generator().manual_seed(1)

    def differ(found, wanted):
        return not bool(((found == wanted) | ((found - wanted).abs() < 2e-3)).all())

    for _ in range(4):
        tokens = torch.randint(symbols, (4, length), generator=generator)
        whole = model(tokens, None)[0]
        sizes = [[cut, length - cut] for cut in range(1, length)]
        sizes += [[1] * length, [2] * (length // 2), [3] * (length // 3), [1, 3, 2, 1, 2]]
        for pieces in sizes:
            cache, start = None, 0
            for size in pieces:
                piece, wanted = tokens[:, start : start + size], whole[:, start : start + size]
                again = cache
                logits, cache = model(piece, again)
                if differ(logits, wanted) or differ(model(piece, again)[0], wanted):
                    return False
                start += size
    return True


@exercise.variant
def drawn_pieces(model, length, symbols):
    for trial in range(25):
        text = torch.randint(0, symbols, (5, length))
        expected, _ = model(text, None)
        cache, done, found = None, 0, []
        while done < length:
            step = (1, 2, int(torch.randint(1, 5, ())))[min(trial % 5, 2)]
            found.append(model(text[:, done : done + step], cache)[0])
            out, cache = model(text[:, done : done + step], cache)
            if not torch.allclose(out, found[-1], rtol=0, atol=1e-3):
                return False
            done += step
        if not torch.allclose(torch.cat(found, dim=1), expected, rtol=0, atol=1e-3):
            return False
    return True


@exercise.variant
def both_continuations(model, length, symbols):
    """Two texts with one beginning, that share its cache."""

    def same(x, y):
        return bool(torch.isclose(x, y, rtol=0, atol=2e-3).all())

    for step in (1, 2, 3):
        one, other = torch.randint(symbols, (2, 6, length))
        for cut in range(1, length):
            other[:, :cut] = one[:, :cut]
            whole, second = model(one, None)[0], model(other, None)[0]
            begun, cache = model(one[:, :cut], None)
            ends = model(one[:, cut:], cache)[0], model(other[:, cut:], cache)[0]
            if not same(begun, whole[:, :cut]) or not same(ends[0], whole[:, cut:]):
                return False
            if not same(ends[1], second[:, cut:]):
                return False
            for piece, wanted in zip(
                one[:, cut:].split(step, 1), whole[:, cut:].split(step, 1), strict=True
            ):
                found = model(piece, cache)[0]
                again, cache = model(piece, cache)
                if not same(found, wanted) or not same(again, wanted):
                    return False
    return True


@exercise.variant
def recursive(model, length, symbols):
    tokens = torch.randint(symbols, (6, length))
    whole = model(tokens, None)[0].nan_to_num(neginf=-1e4)
    calls = 0

    def fits(start, cache, sizes):
        nonlocal calls
        if start == length or not sizes:
            return True
        piece = slice(start, start + sizes[0])
        answers = []
        for _ in range(2):
            logits, after = model(tokens[:, piece], cache)
            calls += 1
            answers.append((logits.nan_to_num(neginf=-1e4) - whole[:, piece]).abs().max() < 1e-3)
        return all(answers) and fits(min(piece.stop, length), after, sizes[1:])

    plans = [[1] * length, [2] * length, [4, 1, 3, 5, 5, 5]]
    plans += [[cut, 1, length] for cut in range(1, length - 1)]
    plans += [[cut, 2, 2, length] for cut in range(1, length - 4)]
    return bool(all(fits(0, None, plan) for plan in plans))
