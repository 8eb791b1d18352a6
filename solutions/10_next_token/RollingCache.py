"""Cases, oracle and variants of `RollingCache`."""

import torch

from autograder.author import EVERY, UNTRIED, Case, CostAtMost, Exercise, Group, Specimen

exercise = Exercise(
    "RollingCache",
    points=5,
    difficulty=3,
    minutes=25,
    returns=("the keys", "the values", "the positions after each piece"),
    read="10_next_token.html#rolling-window",
    groups=(
        Group(
            "bounded memory",
            1,
            properties=(
                CostAtMost("largest", 1.0, "A tensor has more entries than allowed."),
                CostAtMost("peak", 2.0, "All tensors together take more memory than allowed."),
            ),
        ),
    ),
)


# What is done with an object, as the text shows it; another one gets something before. What objects
# share is put back in the end, so that no case depends on those before it. Whatever is not keys,
# values and positions is returned as it is: the comparison tells.
PIECE_BY_PIECE = Specimen("""
def piece_by_piece(cache, key, value, sizes):
    def run():
        type(cache)(2, 1).append(key[..., -1:, :], value[..., -1:, :])
        seen, many = [], len(sizes) > 50  # of so many, each as a view would count as all of them
        for piece in zip(*(x.split(sizes, dim=-2) for x in (key, value))):
            kept = cache.append(*(x.clone() if many else x for x in piece))
            if not isinstance(kept, (list, tuple)) or len(kept) != 3:
                return kept
            seen.append(kept[2].clone() if isinstance(kept[2], torch.Tensor) else kept[2])
        are_rows = all(isinstance(one, torch.Tensor) and one.dim() == 1 for one in seen)
        return kept[0], kept[1], torch.cat(seen) if are_rows else kept[2]

    kind = type(cache)
    attributes, defaults = dict(vars(kind)), getattr(kind.__init__, "__defaults__", None) or ()
    boxes = [box for box in (*attributes.values(), *defaults) if isinstance(box, (list, dict))]
    before = [box.copy() for box in boxes]
    try:
        return run()
    finally:
        for box, content in zip(boxes, before):
            box.clear()
            box.extend(content) if isinstance(box, list) else box.update(content)
        for name in vars(kind).keys() - {"__dict__", "__weakref__"}:
            if name in attributes and vars(kind)[name] is not attributes[name]:
                setattr(kind, name, attributes[name])
""")


def case(rng, name, sizes, window, sinks, shape=(2, 3), widths=(4, 5), dtype=torch.float32):
    """shape: batch, heads. widths: d_k, d_v. sizes: of the pieces."""
    drawn = [rng.normal(*shape, sum(sizes), width, dtype=dtype) for width in widths]
    inputs = {"key": drawn[0], "value": drawn[1], "sizes": sizes}
    made = {"window": window, "sinks": sinks}
    return Case(name, inputs, construct=made, through=PIECE_BY_PIECE)


def example(count):
    """That of the text: the key of token t is t."""
    key = torch.arange(float(count)).view(1, 1, count, 1)
    made = {"window": 2, "sinks": 1}
    inputs = {"key": key, "value": 10 * key, "sizes": [1] * count}
    return Case(f"the example of the text, {count} tokens", inputs, construct=made,
                through=PIECE_BY_PIECE)  # fmt: skip


@exercise.cases
def cases(rng):
    yield example(3)
    yield example(5)
    yield case(rng, "room for all", [1] * 4, 3, 2)
    yield case(rng, "twice round", [1] * 13, 4, 2)
    yield case(rng, "no sinks", [1] * 8, 3, 0)
    yield case(rng, "more sinks than window", [1] * 9, 2, 4)
    yield case(rng, "pieces of several", [2, 3, 1, 4], 4, 1)
    yield case(rng, "a prompt longer than the window", [2100, 1, 1], 3, 2, (1, 1), (2, 1))
    yield case(rng, "half precision", [3, 1, 1, 1, 2], 2, 1, dtype=torch.float16)
    yield case(rng, "a long text", [1] * 100, 5, 2, (1, 2), (48, 40))


@exercise.secret_cases
def secret_cases(rng):
    window, sinks = rng.integer(3, 7), rng.integer(1, 4)
    sizes = [rng.integer(1, 5) for _ in range(8)]
    yield case(rng, "pieces of any size", sizes, window, sinks)
    yield case(rng, "another window", [1] * (3 * window + 5), window, sinks, (3, 1), (2, 6))
    yield case(rng, "a window of one", [1] * 6, 1, 2)
    yield case(rng, "a window of one and no sinks", [2, 1, 1, 3], 1, 0)
    yield case(rng, "exactly full", [1] * (window + sinks), window, sinks)
    yield case(rng, "one token too many", [1] * (window + sinks + 1), window, sinks)
    yield case(rng, "a prompt of sinks only", [2, 1, 1, 1, 1, 1], 2, 3)
    yield case(rng, "sinks in two pieces", [2, 7, 1], 2, 3)
    yield case(rng, "float64", [4, 1, 1, 1, 1], 3, 1, dtype=torch.float64)
    yield case(rng, "bfloat16", [1] * 7, 3, 2, dtype=torch.bfloat16)
    yield case(rng, "as many of everything", [3, 3, 3], 3, 3, (3, 3), (3, 3))
    yield case(rng, "a longer text", [4, *[1] * 90], 4, 3, (1, 2), (32, 48))


exercise.promise(
    "The object was created", "no sinks", "a window of one", "a window of one and no sinks"
)
exercise.promise(
    "of a piece of at least", "pieces of several", "a prompt longer than the window", "twice round"
)
exercise.promise("Batch, heads, widths", "half precision", "float64", "bfloat16")
exercise.promise("They are not changed.", EVERY)
exercise.promise("of the first `sinks`", "room for all", "exactly full", "one token too many")
exercise.promise(
    "of these tokens in the text", "the example of the text, 5 tokens", "pieces of any size"
)
exercise.promise("Keys and values need not carry", UNTRIED)
exercise.promise("no tensor has more", "a long text", "a longer text")
exercise.promise("All tensors alive at the same time", "a long text", "a longer text")


@exercise.oracle
class ByNumber:
    """Each token by its number. What is allocated is all that is allowed."""

    def __init__(self, window, sinks):
        self.window, self.sinks = window, sinks
        self.tokens, self.count = {}, 0

    def append(self, key, value):
        new = key.size(-2)
        for i in range(new):
            self.tokens[self.count + i] = (key[..., i, :], value[..., i, :])
        self.count += new
        kept = [t for t in self.tokens if t < self.sinks or t >= self.count - self.window]
        self.tokens = {t: self.tokens[t] for t in kept}
        pairs = zip(*self.tokens.values(), strict=True)
        keys, values = (torch.stack(list(x), dim=-2) for x in pairs)
        key.new_empty(4 * (self.window + self.sinks + new) * max(
            key[..., 0, :].numel(), value[..., 0, :].numel()))  # fmt: skip
        return keys, values, torch.tensor(kept)


@exercise.variant
class CutAfterEachPiece:
    def __init__(self, window, sinks):
        self.window, self.sinks, self.kept, self.length = window, sinks, None, 0

    def append(self, key, value):
        new = torch.arange(self.length, self.length + key.size(-2), device=key.device)
        self.length += key.size(-2)
        if self.kept is not None:
            old_keys, old_values, old = self.kept
            key = torch.cat([old_keys, key], dim=-2)
            value = torch.cat([old_values, value], dim=-2)
            new = torch.cat([old, new])
        stays = (new < self.sinks) | (new >= self.length - self.window)
        self.kept = key[..., stays, :], value[..., stays, :], new[stays]
        return self.kept


@exercise.variant
class Ring:
    """Room for all that is kept, made once; the oldest of the window is overwritten."""

    def __init__(self, window, sinks):
        self.window, self.sinks, self.count, self.room = window, sinks, 0, None

    def append(self, key, value):
        if self.room is None:
            size = self.window + self.sinks
            self.room = [x.new_zeros(*x.shape[:-2], size, x.shape[-1]) for x in (key, value)]
        for i in range(key.shape[-2]):
            at = self.slot(self.count)
            for room, x in zip(self.room, (key, value), strict=True):
                room[..., at, :] = x[..., i, :]
            self.count += 1
        first = max(self.sinks, self.count - self.window)
        kept = [*range(min(self.sinks, self.count)), *range(first, self.count)]
        slots = [self.slot(t) for t in kept]
        keys, values = (room[..., slots, :] for room in self.room)
        return keys, values, torch.tensor(kept, dtype=torch.long, device=key.device)

    def slot(self, t):
        return t if t < self.sinks else self.sinks + (t - self.sinks) % self.window


@exercise.variant
class TwoParts:
    """Sinks and window apart."""

    def __init__(self, window, sinks):
        self.window = window
        self.sinks = sinks
        self.first = []
        self.last = []
        self.total = 0

    def append(self, key, value):
        for k, v in zip(key.unbind(dim=2), value.unbind(dim=2), strict=True):
            entry = (k, v, self.total)
            if len(self.first) < self.sinks:
                self.first.append(entry)
            else:
                self.last = [*self.last, entry][-self.window :]
            self.total += 1
        entries = self.first + self.last
        keys = torch.stack([e[0] for e in entries], dim=2)
        values = torch.stack([e[1] for e in entries], dim=2)
        return keys, values, torch.tensor([e[2] for e in entries], device=key.device)
