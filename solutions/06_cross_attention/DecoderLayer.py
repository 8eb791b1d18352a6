"""Cases, oracle and known mistakes of `DecoderLayer`."""

import textwrap

import torch
import torch.nn.functional as F
from torch import nn

from autograder.properties import Finite, SumsTo
from autograder.spec import Case, Exercise, Implementation, Misconception

exercise = Exercise(
    "DecoderLayer",
    points=5,
    difficulty=3,
    minutes=30,
    returns=("output", "weights"),
    read="06_cross_attention.html#two-caches",
    builds_on=("CrossAttention",),
    properties=(
        Finite(),
        SumsTo(1, -1, "A row of cross-attention weights sums to 1, or to 0 without a key."),
    ),
)


def weights_of(rng, prefix, into, out):
    return {
        f"{prefix}.weight": rng.normal(out, into) / into**0.5,
        f"{prefix}.bias": rng.normal(out) / 2,
    }


def case(rng, name, sizes, widths, num_heads, masks=(True, True), gradient=False):
    """sizes: batch, queries, keys. widths: d_model, d_memory, d_hidden. masks: which are given."""
    (batch, queries, keys), (d_model, d_memory, d_hidden) = sizes, widths
    state = {}
    for part, width in (("attend_self", d_model), ("attend_memory", d_memory)):
        for layer, into in {"q": d_model, "k": width, "v": width, "o": d_model}.items():
            state[f"{part}.W_{layer}.weight"] = rng.normal(d_model, into) / into**0.5
    for number in (1, 2, 3):
        state[f"norm_{number}.weight"] = 1 + rng.normal(d_model) / 4
        state[f"norm_{number}.bias"] = rng.normal(d_model) / 4
    state |= weights_of(rng, "W_1", d_model, d_hidden)
    state |= weights_of(rng, "W_2", d_hidden, d_model)
    x = 2 * rng.normal(batch, queries, d_model) + 0.5
    memory = rng.normal(batch, keys, d_memory)
    given = [torch.arange(n) < rng.integers(1, n + 1, batch, 1) for n in (queries, keys)]
    shaped = [m[:, None, None] if use else None for m, use in zip(given, masks, strict=True)]
    construct = {"d_model": d_model, "d_memory": d_memory, "num_heads": num_heads}
    inputs = {"x": x, "memory": memory, "mask": shaped[0], "memory_mask": shaped[1]}
    construct["d_hidden"] = d_hidden
    return Case(name, inputs, gradient=gradient, construct=construct, state=state)


@exercise.cases
def cases(rng):
    yield case(rng, "no padding", (2, 4, 5), (6, 10, 9), 3, (False, False), gradient=True)
    yield case(rng, "padding in both", (3, 5, 4), (8, 6, 12), 2, gradient=True)
    yield case(rng, "as many of everything", (4, 4, 4), (8, 8, 8), 4, gradient=True)
    yield case(rng, "padding in the memory", (2, 3, 6), (6, 6, 5), 2, (False, True))
    front = case(rng, "padding at the front of the target", (2, 4, 5), (6, 5, 7), 2)
    front.inputs["mask"] = (torch.arange(4) >= torch.tensor([[1], [2]]))[:, None, None]
    yield front
    nothing = case(rng, "a memory of nothing but padding", (2, 3, 4), (4, 6, 8), 2, gradient=True)
    nothing.inputs["memory_mask"][1] = False
    yield nothing


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(5, 8), rng.integer(8, 11)
    yield case(rng, "one head", (2, queries, keys), (5, 4, 10), 1, gradient=True)
    yield case(rng, "one query", (3, 1, keys), (6, 9, 4), 3)
    yield case(rng, "a memory of one", (2, queries, 1), (6, 4, 11), 2)
    yield case(rng, "more queries than keys", (3, keys, 3), (8, 5, 6), 4, (True, False))
    yield case(rng, "wide", (2, queries, keys), (12, 7, 20), 4)
    large = case(rng, "large inputs", (2, queries, keys), (8, 8, 16), 2)
    large.inputs["x"] *= 100
    yield large


@exercise.oracle
class FromFunctions(nn.Module):
    """Built of torch's functions; attention over one-hot values returns the weights."""

    def __init__(self, d_model, d_memory, num_heads, d_hidden):
        super().__init__()
        self.num_heads = num_heads
        for name, width in (("attend_self", d_model), ("attend_memory", d_memory)):
            into = {"W_q": d_model, "W_k": width, "W_v": width, "W_o": d_model}
            layers = {part: nn.Linear(n, d_model, bias=False) for part, n in into.items()}
            self.add_module(name, nn.ModuleDict(layers))
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)

    def attended(self, layers, x, memory, mask):
        query, key, value = (
            layers[name](source).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, source in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        one_hot = torch.eye(key.size(2), dtype=key.dtype).repeat(*key.shape[:2], 1, 1)
        weights = F.scaled_dot_product_attention(query, key, one_hot, attn_mask=mask)
        return layers["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, mask=None, memory_mask=None):
        position = torch.arange(x.size(1))
        seen = position <= position[:, None]
        seen = seen if mask is None else seen & mask
        normed = self.norm_1(x)
        x = x + self.attended(self.attend_self, normed, normed, seen)[0]
        found, weights = self.attended(self.attend_memory, self.norm_2(x), memory, memory_mask)
        x = x + found
        return x + self.W_2(self.W_1(self.norm_3(x)).clamp(min=0)), weights


class Layers(nn.Module):
    """What the wrong layers have in common: they differ from this in one method."""

    class Attention(nn.Module):
        def __init__(self, d_model, d_memory, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.W_q, self.W_o = (
                nn.Linear(d_model, d_model, bias=False),
                nn.Linear(d_model, d_model, bias=False),
            )
            self.W_k, self.W_v = (
                nn.Linear(d_memory, d_model, bias=False),
                nn.Linear(d_memory, d_model, bias=False),
            )

        def forward(self, x, memory, mask=None):
            def split(y):
                return y.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

            query, key, value = split(self.W_q(x)), split(self.W_k(memory)), split(self.W_v(memory))
            scores = query @ key.mT / query.size(-1) ** 0.5
            hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
            weights = scores.masked_fill(hidden, -torch.inf).softmax(-1).masked_fill(hidden, 0)
            return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights

    def __init__(self, d_model, d_memory, num_heads, d_hidden):
        super().__init__()
        self.attend_self = self.Attention(d_model, d_model, num_heads)
        self.attend_memory = self.Attention(d_model, d_memory, num_heads)
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)

    def itself(self, x, mask):
        return self.attend_self(x, x, self.seen(x, mask))[0]

    def seen(self, x, mask):
        causal = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).tril()
        return causal if mask is None else causal & mask

    def transform(self, x):
        return self.W_2(F.relu(self.W_1(x)))

    def forward(self, x, memory, mask=None, memory_mask=None):
        x = x + self.itself(self.norm_1(x), mask)
        found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        x = x + found
        return x + self.transform(self.norm_3(x)), weights


class WrongMethod(Misconception):
    """The class above with one wrong method after the right one, which it replaces."""

    def source_as(self, name):
        method, function = next(
            (n, f) for n, f in vars(self.target).items() if getattr(f, "__name__", "") == self.name
        )
        source = Implementation(method, function).source_as(method)
        return Implementation("", Layers).source_as(name) + "\n" + textwrap.indent(source, "    ")


def wrong(hint, method="forward"):
    def register(function):
        target = type(function.__name__, (Layers,), {method: function})
        exercise.misconceptions.append(WrongMethod(function.__name__, target, hint))

    return register


@wrong("Self-attention sees later positions. Which mask does the layer have to add itself?", "seen")
def forgets_the_causal_mask(self, x, mask):
    return mask


@wrong("The target's padding is not masked in self-attention: `mask` is to hide it.", "seen")
def forgets_the_targets_padding(self, x, mask):
    return torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).tril()


@wrong("The memory's padding is not masked. Where does `memory_mask` have to go?")
def forgets_the_memory_mask(self, x, memory, mask=None, memory_mask=None):
    x = x + self.itself(self.norm_1(x), mask)
    found, weights = self.attend_memory(self.norm_2(x), memory)
    x = x + found
    return x + self.transform(self.norm_3(x)), weights


@wrong(
    "You normalise after each sum (post-norm). Asked for is pre-norm: what goes into a part is "
    "normalised, the sum is not."
)
def normalises_after_each_sum(self, x, memory, mask=None, memory_mask=None):
    x = self.norm_1(x + self.itself(x, mask))
    found, weights = self.attend_memory(x, memory, memory_mask)
    x = self.norm_2(x + found)
    return self.norm_3(x + self.transform(x)), weights


@wrong("You add to the normalised input. The path past a part is the plain sum so far.")
def adds_to_the_normalised(self, x, memory, mask=None, memory_mask=None):
    x = self.norm_1(x)
    x = x + self.itself(x, mask)
    x = self.norm_2(x)
    found, weights = self.attend_memory(x, memory, memory_mask)
    x = self.norm_3(x + found)
    return x + self.transform(x), weights


@wrong("The paths past the parts are missing: each part's result is to be added to its input.")
def forgets_the_sums(self, x, memory, mask=None, memory_mask=None):
    x = self.itself(self.norm_1(x), mask)
    x, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
    return self.transform(self.norm_3(x)), weights


@wrong("Cross-attention gets x as it came in. It is to ask with what self-attention has found.")
def asks_with_the_input(self, x, memory, mask=None, memory_mask=None):
    found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
    x = x + self.itself(self.norm_1(x), mask) + found
    return x + self.transform(self.norm_3(x)), weights


@wrong("Cross-attention comes before self-attention. In which order do the three parts stand?")
def attends_across_first(self, x, memory, mask=None, memory_mask=None):
    found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
    x = x + found
    x = x + self.itself(self.norm_1(x), mask)
    return x + self.transform(self.norm_3(x)), weights


@wrong(
    "Self-attention asks with the normalised x, but its keys and values are made of x as it is. "
    "In self-attention both are the same.",
    "forward",
)
def normalises_the_queries_only(self, x, memory, mask=None, memory_mask=None):
    x = x + self.attend_self(self.norm_1(x), x, self.seen(x, mask))[0]
    found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
    x = x + found
    return x + self.transform(self.norm_3(x)), weights


@wrong("What goes into the two linear layers was not normalised.")
def forgets_the_last_norm(self, x, memory, mask=None, memory_mask=None):
    x = x + self.itself(self.norm_1(x), mask)
    found, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
    x = x + found
    return x + self.transform(x), weights


@wrong("Between W_1 and W_2 nothing is bent: two linear maps in a row are one.", "transform")
def forgets_the_relu(self, x):
    return self.W_2(self.W_1(x))


@wrong("Between W_1 and W_2 you use GELU. Asked for is ReLU.", "transform")
def uses_gelu(self, x):
    return self.W_2(F.gelu(self.W_1(x)))


@wrong("You return the weights of self-attention. Asked for are those over the memory.")
def returns_the_other_weights(self, x, memory, mask=None, memory_mask=None):
    normed = self.norm_1(x)
    found, weights = self.attend_self(normed, normed, self.seen(x, mask))
    x = x + found
    x = x + self.attend_memory(self.norm_2(x), memory, memory_mask)[0]
    return x + self.transform(self.norm_3(x)), weights


@exercise.variant
class InTheOrderOfTheText(nn.Module):
    def __init__(self, d_model, d_memory, num_heads, d_hidden):
        super().__init__()
        self.attend_self = CrossAttention(d_model, d_model, num_heads)
        self.attend_memory = CrossAttention(d_model, d_memory, num_heads)
        for number in range(1, 4):
            setattr(self, f"norm_{number}", nn.LayerNorm(d_model))
        self.W_1 = nn.Linear(d_model, d_hidden)
        self.W_2 = nn.Linear(d_hidden, d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        length = x.size(1)
        allowed = torch.tril(torch.ones((length, length), dtype=torch.bool, device=x.device))
        if mask is not None:
            allowed = torch.logical_and(allowed, mask)
        y = self.norm_1(x)
        y, _ = self.attend_self(y, y, allowed)
        x = x + y
        y, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        x = x + y
        y = self.W_2(torch.relu(self.W_1(self.norm_3(x))))
        return x + y, weights


@exercise.variant
class WithPartsOfItsOwn(nn.Module):
    class Attend(nn.Module):
        def __init__(self, width, other, heads):
            super().__init__()
            self.heads = heads
            self.W_q, self.W_k = (
                nn.Linear(width, width, bias=False),
                nn.Linear(other, width, bias=False),
            )
            self.W_v, self.W_o = (
                nn.Linear(other, width, bias=False),
                nn.Linear(width, width, bias=False),
            )

        def forward(self, x, memory, allowed):
            q = self.W_q(x).unflatten(2, (self.heads, -1))
            k, v = (f(memory).unflatten(2, (self.heads, -1)) for f in (self.W_k, self.W_v))
            scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.size(3) ** 0.5
            lowest = torch.finfo(scores.dtype).min
            weights = torch.softmax(torch.where(allowed, scores, lowest), dim=3) * allowed
            return self.W_o(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)), weights

    def __init__(self, d_model, d_memory, num_heads, d_hidden):
        super().__init__()
        self.attend_self = self.Attend(d_model, d_model, num_heads)
        self.attend_memory = self.Attend(d_model, d_memory, num_heads)
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        self.norm_3 = nn.LayerNorm(d_model)
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        one = torch.ones(1, 1, 1, 1, dtype=torch.bool, device=x.device)
        place = torch.arange(x.size(1), device=x.device)
        allowed = (place[:, None] >= place) & (one if mask is None else mask)
        normed = self.norm_1(x)
        x = x + self.attend_self(normed, normed, allowed)[0]
        across = one if memory_mask is None else memory_mask
        found, weights = self.attend_memory(self.norm_2(x), memory, across)
        x = x + found
        x = x + self.W_2(self.W_1(self.norm_3(x)).relu())
        return x, weights


@exercise.variant
class NormalisedByHand(nn.Module):
    class Norm(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(width))
            self.bias = nn.Parameter(torch.zeros(width))

        def forward(self, x):
            centred = x - x.mean(dim=-1, keepdim=True)
            variance = centred.square().mean(dim=-1, keepdim=True)
            return centred / (variance + 1e-5).sqrt() * self.weight + self.bias

    def __init__(self, d_model, d_memory, num_heads, d_hidden):
        super().__init__()
        self.attend_self = CrossAttention(d_model, d_model, num_heads=num_heads)
        self.attend_memory = CrossAttention(d_model, d_memory, num_heads=num_heads)
        self.norm_1, self.norm_2, self.norm_3 = (self.Norm(d_model) for _ in range(3))
        self.W_1 = nn.Linear(d_model, d_hidden)
        self.W_2 = nn.Linear(d_hidden, d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        n = x.shape[1]
        later = torch.ones(n, n, device=x.device).triu(1).bool()
        keep = ~later[None, None] if mask is None else mask & ~later
        first = self.norm_1(x)
        x = self.attend_self(first, first, keep)[0] + x
        second, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        x = second + x
        return self.W_2(self.W_1(self.norm_3(x)).clamp_min(0)) + x, weights
