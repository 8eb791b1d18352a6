"""Cases, oracle and variants of `KVCache`."""

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, CostAtMost, Exercise, Finite, Group, Specimen

NARROW = ("half precision", "pieces in bfloat16", "equal large scores in half precision")
exercise = Exercise(
    "KVCache",
    points=5,
    difficulty=3,
    minutes=20,
    returns=("output", "all keys", "all values"),
    read="06_cross_attention.html#two-caches",
    properties=(
        Finite(),
        CostAtMost("flops", 2.5, "Outputs of earlier queries are not to be computed again."),
    ),
    groups=(Group("half precision", 1, cases=NARROW),),
)


# What is done with an object, as the text shows it; another one gets something before. What objects
# share is put back in the end, so that no case depends on those before it.
PIECE_BY_PIECE = Specimen("""
def piece_by_piece(cache, query, key, value, sizes):
    def run():
        type(cache)().append(key[..., -1:, :], value[..., -1:, :])
        outputs = []
        for piece in zip(*(x.split(sizes, dim=-2) for x in (query, key, value))):
            keys, values = cache.append(piece[1], piece[2])
            outputs.append(cache.attend(piece[0]))
        return torch.cat(outputs, dim=-2), keys, values

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


def draw(rng, shape, widths, sizes, dtype=torch.float32):
    """shape: batch, heads. widths: d_k, d_v. sizes: of the pieces."""
    length, (d_k, d_v) = sum(sizes), widths
    query = rng.normal(*shape, length, d_k, dtype=dtype)
    key = rng.normal(*shape, length, d_k, dtype=dtype)
    value = rng.normal(*shape, length, d_v, dtype=dtype)
    return {"query": query, "key": key, "value": value, "sizes": sizes}


def case(name, inputs):
    return Case(name, inputs, construct={}, through=PIECE_BY_PIECE)


def example(*sizes):
    """That of the text, in pieces of these sizes."""
    column = torch.zeros(1, 1, 2, 1)
    values = torch.tensor([6.0, 10.0]).view_as(column)
    return {"query": column + 1, "key": column, "value": values, "sizes": list(sizes)}


def with_scores(inputs, scores):
    """The inputs with these scores of the keys, the same for each query and exact in any order."""
    inputs["query"].zero_()[..., 0] = 2  # the root of d_k, which cancels it
    inputs["key"].zero_()[..., 0] = torch.tensor(scores)
    return inputs


@exercise.cases
def cases(rng):
    yield case("the text's example in two pieces", example(1, 1))
    yield case("the text's example as one piece", example(2))
    yield case("one token at a time", draw(rng, (2, 3), (4, 6), [1, 1, 1, 1, 1]))
    yield case("a prompt and then tokens", draw(rng, (3, 2), (5, 3), [4, 1, 1, 1]))
    yield case("pieces of several tokens", draw(rng, (2, 4), (3, 7), [2, 3, 3]))
    yield case("as many of everything", draw(rng, (3, 3), (3, 3), [3, 3, 3]))
    yield case("half precision", draw(rng, (2, 2), (8, 5), [2, 1, 2, 1], torch.float16))
    yield case("a longer text", draw(rng, (1, 2), (24, 16), [1] * 12 + [2]))


@exercise.secret_cases
def secret_cases(rng):
    some = [rng.integer(1, 4) for _ in range(5)]
    yield case("pieces of any size", draw(rng, (2, 3), (4, 5), some))
    yield case("a single token", draw(rng, (1, 1), (4, 3), [1]))
    yield case("pieces in float64", draw(rng, (3, 2), (7, 4), [3, 1, 2], torch.float64))
    yield case("pieces in bfloat16", draw(rng, (2, 2), (2, 2), [2, 2], torch.bfloat16))
    # of the scores that a query may not see, one is far above those that it may
    far = [-(2.0**100), -(2.0**100), -(2.0**99), -40000.0, -40001.0, 2.0**100]
    yield case("large scores", with_scores(draw(rng, (2, 2), (4, 4), [3, 1, 2]), far))
    half = draw(rng, (2, 1), (4, 3), [3, 2], torch.float16)
    yield case("equal large scores in half precision", with_scores(half, [4096.0] * 5))
    yield case("a long prompt", draw(rng, (1, 1), (2, 1), [520, 2, 1]))
    sizes = [rng.integer(2, 6)] + [1] * 12
    yield case("a prompt and many tokens", draw(rng, (2, 2), (24, 16), sizes))


exercise.promise("of a piece of at least", "pieces of any size", "a single token")
exercise.promise(
    "Batch, heads, widths", "half precision", "pieces in bfloat16", "pieces in float64"
)
exercise.promise("They are not changed.", EVERY)
exercise.promise("all keys and all values", EVERY)
exercise.promise("as many as the newest", "a prompt and then tokens", "pieces of several tokens")
exercise.promise(
    "Query i of the piece", "a prompt and then tokens", "pieces of several tokens", "large scores"
)
exercise.promise(
    "No score, scaled or not, exceeds", "equal large scores in half precision", "large scores"
)
exercise.promise(
    "the outputs of these", "half precision", "pieces in bfloat16", "pieces in float64"
)


@exercise.oracle
class ByPosition:
    """Each query with the positions that are not behind its own, and exponentials by hand."""

    def __init__(self):
        self.pieces = []

    def append(self, key, value):
        self.pieces.append((key, value))
        return self.kept()

    def kept(self):
        keys, values = zip(*self.pieces, strict=True)
        return torch.cat(keys, dim=-2), torch.cat(values, dim=-2)

    def attend(self, query):
        keys, values = self.kept()
        position = torch.arange(keys.size(-2))
        later = position > position[-query.size(-2) :, None]
        scores = torch.einsum("bhqd,bhkd->bhqk", query, keys) / query.size(-1) ** 0.5
        scores = scores.masked_fill(later, -torch.inf)
        shares = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        weights = shares / shares.sum(dim=-1, keepdim=True)
        return torch.einsum("bhqk,bhkv->bhqv", weights, values)


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


@exercise.variant
class RoomThatGrows:
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
