"""Cases, oracle and variants of `KVCache`."""

import torch
import torch.nn.functional as F

from autograder.properties import CostAtMost, Finite
from autograder.spec import Case, Exercise

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
    yield case("a long text", draw(rng, (1, 2), (4, 3), [1] * 40))


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


class Given:
    """The method that is given: calls the two that are asked for, piece by piece."""

    def append(self, key, value):
        raise NotImplementedError

    def attend(self, query):
        raise NotImplementedError

    def __call__(self, query, key, value, sizes):
        outputs = []
        for part in zip(*(x.split(sizes, dim=-2) for x in (query, key, value)), strict=True):
            keys, values = self.append(part[1], part[2])
            outputs.append(self.attend(part[0]))
        return torch.cat(outputs, dim=-2), keys, values


@exercise.variant
class ListsOfPieces(Given):
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


@exercise.variant
class RoomThatGrows(Given):
    def __init__(self):
        self.length = 0
        self.room: list[torch.Tensor] = []  # for keys and for values

    def append(self, key, value):
        new = self.length + key.size(-2)
        if not self.room or new > self.room[0].size(-2):
            bigger = [x.new_zeros(*x.shape[:-2], 2 * new, x.size(-1)) for x in (key, value)]
            for big, old in zip(bigger, self.room, strict=False):
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


@exercise.variant
class StartsEmpty(Given):
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
