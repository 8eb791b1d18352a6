"""Cases, oracle and known mistakes of `KVCache`."""

import textwrap

import torch
import torch.nn.functional as F

from autograder.properties import CostAtMost, Finite
from autograder.spec import Case, Exercise, Implementation, Misconception

exercise = Exercise(
    "KVCache",
    points=5,
    difficulty=3,
    minutes=20,
    returns=("output", "all keys", "all values"),
    read="06_cross_attention.html#two-caches",
    properties=(
        Finite(),
        CostAtMost("flops", 1.25, "Outputs of earlier queries are computed again at each step."),
    ),
)


def draw(rng, shape, widths, sizes, dtype=torch.float32):
    """shape: batch, heads. widths: d_k, d_v. sizes: of the pieces."""
    length, (d_k, d_v) = sum(sizes), widths
    query = rng.normal(*shape, length, d_k, dtype=dtype)
    key = rng.normal(*shape, length, d_k, dtype=dtype)
    value = rng.normal(*shape, length, d_v, dtype=dtype)
    return {"query": query, "key": key, "value": value, "sizes": sizes}


def case(name, inputs):
    return Case(name, inputs, construct={})


@exercise.cases
def cases(rng):
    yield case("one token at a time", draw(rng, (2, 3), (4, 6), [1, 1, 1, 1, 1]))
    yield case("a prompt, then tokens", draw(rng, (3, 2), (5, 3), [4, 1, 1, 1]))
    yield case("pieces of several tokens", draw(rng, (2, 4), (3, 7), [2, 3, 3, 1]))
    yield case("all at once", draw(rng, (1, 2), (6, 4), [5]))
    yield case("as many of everything", draw(rng, (3, 3), (3, 3), [3, 3, 3]))
    yield case("half precision", draw(rng, (2, 2), (8, 5), [2, 1, 1, 1], torch.float16))
    yield case("a long text", draw(rng, (2, 2), (16, 12), [1] * 40))


@exercise.secret_cases
def secret_cases(rng):
    some = [rng.integer(1, 4) for _ in range(5)]
    yield case("pieces of any size", draw(rng, (2, 3), (4, 5), some))
    yield case("two pieces of two", draw(rng, (2, 2), (2, 2), [2, 2]))
    yield case("a single token", draw(rng, (1, 1), (4, 3), [1]))
    half = draw(rng, (3, 2), (7, 4), [3, 1, 2], torch.float16)
    yield case("pieces in half precision", half)
    far = draw(rng, (2, 2), (4, 4), [2, 1, 3])
    far["key"] *= 1000
    far["query"] = (far["query"] * 4).round()
    far["key"] = far["key"].round()
    yield case("large scores", far)
    yield case("a longer text", draw(rng, (2, 2), (16, 8), [rng.integer(2, 6)] + [1] * 40))


@exercise.oracle
class AllAtOnce:
    """No cache at all: every position under one causal mask."""

    def __call__(self, query, key, value, sizes):
        length = query.size(-2)
        later = torch.ones(length, length, dtype=torch.bool, device=query.device).triu(1)
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / query.size(-1) ** 0.5
        weights = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
        return torch.einsum("bhqk,bhkv->bhqv", weights, value), key, value


class Right:
    """What the wrong caches have in common: they differ from this in one method."""

    def __init__(self):
        self.keys = self.values = self.queries = None

    def join(self, old, new):
        return new if old is None else torch.cat([old, new], dim=-2)

    def append(self, key, value):
        self.keys, self.values = self.join(self.keys, key), self.join(self.values, value)
        return self.keys, self.values

    def causal(self, scores):
        queries, keys = scores.shape[-2:]
        ones = torch.ones(queries, keys, dtype=torch.bool, device=scores.device)
        return scores.masked_fill(~ones.tril(keys - queries), float("-inf"))

    def attend(self, query):
        scores = query @ self.keys.mT / query.size(-1) ** 0.5
        return self.causal(scores).softmax(dim=-1) @ self.values

    def __call__(self, query, key, value, sizes):
        outputs = []
        for part in zip(*(x.split(sizes, dim=-2) for x in (query, key, value)), strict=True):
            keys, values = self.append(part[1], part[2])
            outputs.append(self.attend(part[0]))
        return torch.cat(outputs, dim=-2), keys, values


class WrongMethod(Misconception):
    """The class above with one wrong method after the right one, which it replaces."""

    def source_as(self, name):
        method, function = next(
            (n, f) for n, f in vars(self.target).items() if getattr(f, "__name__", "") == self.name
        )
        source = Implementation(method, function).source_as(method)
        return Implementation("", Right).source_as(name) + "\n" + textwrap.indent(source, "    ")


def wrong(method, hint):
    def register(function):
        target = type(function.__name__, (Right,), {method: function})
        exercise.misconceptions.append(WrongMethod(function.__name__, target, hint))

    return register


@wrong("append", "You keep the newest keys and values only. What became of those before?")
def keeps_the_newest_only(self, key, value):
    self.keys, self.values = key, value
    return self.keys, self.values


@wrong("join", "The newest stands in front. At which end does a text grow?")
def puts_the_newest_in_front(self, old, new):
    return new if old is None else torch.cat([new, old], dim=-2)


@wrong(
    "join",
    "A second piece does not fit to the first, or attention cannot use what was kept. Keys and "
    "values are (batch, heads, length, width): which axis grows, and do both of them grow?",
)
def joins_along_another_axis(self, old, new):
    return new if old is None else torch.cat([old, new], dim=1)


@wrong(
    "causal",
    "Right while tokens come one by one. In a piece of several, the first query must not see the "
    "keys that came with it and stand after it.",
)
def forgets_the_mask_within_a_piece(self, scores):
    return scores


@wrong(
    "causal",
    "Your mask starts at the top left, so the newest query sees only the oldest keys. Where does "
    "the last query stand?",
)
def starts_the_mask_at_the_top_left(self, scores):
    ones = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
    return scores.masked_fill(~ones.tril(), float("-inf"))


@wrong("causal", "Queries do not see their own key. A position may attend to itself.")
def hides_a_query_from_itself(self, scores):
    queries, keys = scores.shape[-2:]
    ones = torch.ones(queries, keys, dtype=torch.bool, device=scores.device)
    hidden = ~ones.tril(keys - queries - 1)
    hidden[..., 0] = False
    return scores.masked_fill(hidden, float("-inf"))


@wrong("attend", "The scores are not scaled. By what, and which width is meant?")
def forgets_to_scale(self, query):
    return self.causal(query @ self.keys.mT).softmax(dim=-1) @ self.values


@wrong("attend", "You scale by how many keys there are. A score sums over another axis.")
def scales_by_the_length(self, query):
    scores = query @ self.keys.mT / self.keys.size(-2) ** 0.5
    return self.causal(scores).softmax(dim=-1) @ self.values


@wrong(
    "attend",
    "The result is right, but you keep the queries as well and compute all outputs again at each "
    "step. Which of them are new?",
)
def computes_everything_again(self, query):
    self.queries = self.join(self.queries, query)
    scores = self.queries @ self.keys.mT / query.size(-1) ** 0.5
    output = self.causal(scores).softmax(dim=-1) @ self.values
    return output[..., -query.size(-2) :, :]


@exercise.variant
class ListsOfPieces:
    def __init__(self):
        self.parts = []

    def append(self, key, value):
        self.parts.append((key, value))
        return tuple(torch.cat(list(pieces), 2) for pieces in zip(*self.parts, strict=True))

    def attend(self, query):
        keys, values = (torch.cat(list(p), dim=2) for p in zip(*self.parts, strict=True))
        first = keys.shape[2] - query.shape[2]
        rows = []
        for i in range(query.shape[2]):
            seen = first + i + 1
            scores = torch.einsum("bhd,bhkd->bhk", query[:, :, i], keys[:, :, :seen])
            share = torch.softmax(scores / query.shape[-1] ** 0.5, -1)
            rows.append(torch.einsum("bhk,bhkv->bhv", share, values[:, :, :seen]))
        return torch.stack(rows, dim=2)

    def __call__(self, query, key, value, sizes):
        outputs = []
        for part in zip(*(x.split(sizes, dim=-2) for x in (query, key, value)), strict=True):
            keys, values = self.append(part[1], part[2])
            outputs.append(self.attend(part[0]))
        return torch.cat(outputs, dim=-2), keys, values


@exercise.variant
class RoomThatGrows:
    def __init__(self):
        self.length = 0
        self.room = None

    def append(self, key, value):
        new = self.length + key.size(-2)
        if self.room is None or new > self.room[0].size(-2):
            bigger = [x.new_zeros(*x.shape[:-2], 2 * new, x.size(-1)) for x in (key, value)]
            for big, old in zip(bigger, self.room or (), strict=False):
                big[..., : self.length, :] = old[..., : self.length, :]
            self.room = bigger
        for room, x in zip(self.room, (key, value), strict=True):
            room[..., self.length : new, :] = x
        self.length = new
        return tuple(room[..., :new, :] for room in self.room)

    def attend(self, query):
        keys, values = (room[..., : self.length, :] for room in self.room)
        position = torch.arange(self.length, device=query.device)
        allowed = position <= position[-query.size(-2) :, None]
        return F.scaled_dot_product_attention(query, keys, values, attn_mask=allowed)

    def __call__(self, query, key, value, sizes):
        outputs = []
        for part in zip(*(x.split(sizes, dim=-2) for x in (query, key, value)), strict=True):
            keys, values = self.append(part[1], part[2])
            outputs.append(self.attend(part[0]))
        return torch.cat(outputs, dim=-2), keys, values


@exercise.variant
class StartsEmpty:
    def __init__(self):
        self.kept = {}

    def append(self, key, value):
        for name, new in (("key", key), ("value", value)):
            old = self.kept.get(name, new[:, :, :0])
            self.kept[name] = torch.concat((old, new), dim=2)
        return self.kept["key"], self.kept["value"]

    def attend(self, query):
        keys, values = self.kept["key"], self.kept["value"]
        n, m = query.size(2), keys.size(2)
        scores = torch.matmul(query, keys.transpose(2, 3)) * query.size(3) ** -0.5
        if n > 1:
            bias = torch.full((n, m), float("-inf"), dtype=scores.dtype, device=scores.device)
            scores = scores + bias.triu(m - n + 1)
        return torch.matmul(torch.softmax(scores, dim=3), values)

    def __call__(self, query, key, value, sizes):
        outputs = []
        for part in zip(*(x.split(sizes, dim=-2) for x in (query, key, value)), strict=True):
            keys, values = self.append(part[1], part[2])
            outputs.append(self.attend(part[0]))
        return torch.cat(outputs, dim=-2), keys, values
