"""Cases, oracle and variants of `CrossAttention`."""

from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

from autograder.author import EVERY, Case, CostAtMost, Exercise, Finite, Group, SumsTo

NARROW = (
    "half precision", "large scores in half precision", "equal large scores in half precision",
    "one row for all in bfloat16",
)  # fmt: skip
TOGETHER = CostAtMost("matmuls", 1.5, "The heads are to be computed together, not one by one.")
SUMS = SumsTo(1, -1, "A row of weights should sum to 1, or to 0 where nothing may be attended to.")
exercise = Exercise(
    "CrossAttention",
    points=5,
    difficulty=3,
    minutes=25,
    returns=("output", "weights"),
    read="06_cross_attention.html#three-attentions-in-code",
    properties=(Finite(), SUMS),
    groups=(Group("half precision", 1, cases=NARROW), Group("cost", 1, properties=(TOGETHER,))),
)


def case(rng, name, sizes, widths, num_heads, shape, dtype=torch.float32, **options):
    """sizes: batch, queries, keys. widths: d_model, d_memory. shape: of the mask, None for none."""
    (batch, queries, keys), (d_model, d_memory) = sizes, widths
    mask = None if shape is None else rng.bools(*shape)
    if mask is not None:
        last = mask.size(-1)
        mask[..., 1 % last] = ~mask[..., 0] | (last == 1)  # no row is empty
    x = rng.normal(batch, queries, d_model, dtype=dtype)
    memory = rng.normal(batch, keys, d_memory, dtype=dtype)
    state = {}
    for part, width in {"q": d_model, "k": d_memory, "v": d_memory, "o": d_model}.items():
        state[f"W_{part}.weight"] = rng.normal(d_model, width, dtype=dtype) / width**0.5
    construct = {"d_model": d_model, "d_memory": d_memory, "num_heads": num_heads}
    inputs = {"x": x, "memory": memory, "mask": mask}
    return Case(name, inputs, construct=construct, state=state, **options)


def example(rng, name, *visible):
    """The example of the text, once for each of the given rows of the mask."""
    made = case(rng, name, (len(visible), 1, 2), (1, 1), 1, (len(visible), 1, 1, 2))
    for weight in made.state.values():
        weight.fill_(1)
    made.inputs["x"].fill_(2)
    made.inputs["memory"][:] = torch.tensor([[1.0], [0.0]])
    made.inputs["mask"][:, 0, 0] = torch.tensor(visible)
    return made


def far_apart(rng, name, allowed, masked, dtype=torch.float32, apart=1.0, **options):
    """Scores near `allowed` and `masked`, which every arithmetic gets exactly; see `apart`.

    Of the masked scores one is the largest by far: to a query that attends to it, no other gives a
    gradient that would be all rounding. apart: 0 for visible scores that are equal.
    """
    made = case(rng, name, (2, 3, 5), (8, 8), 2, (2, 1, 3, 5), dtype=dtype, **options)
    for part in "qk":
        made.state[f"W_{part}.weight"][:] = torch.eye(8)
    visible = torch.tensor([True, True, False, True, False])
    x, memory = made.inputs["x"].zero_(), made.inputs["memory"].zero_()
    x[..., 0::4] = x[..., 1::4] = 2  # both heads have the width 4, so its root cancels this
    hidden = masked * torch.tensor([0, 0, 1, 0, 1.5])
    memory[..., 0::4] = torch.where(visible, allowed, hidden)[:, None]
    memory[..., 1::4] = apart * torch.tensor([0.0, 1, 3, 2, -1])[:, None]
    made.inputs["mask"][:] = visible
    return made


def hide(made, sequence=...):
    """The case with no key left to attend to in a sequence of its batch, or in any."""
    made.inputs["mask"][sequence] = False
    return made


@exercise.cases
def cases(rng):
    yield example(rng, "the text's example", (True, True), (False, True))
    yield case(rng, "no mask", (2, 4, 5), (6, 10), 3, None, gradient=True)
    yield case(rng, "the memory's padding", (2, 4, 6), (10, 7), 2, (2, 1, 1, 6), gradient=True)
    yield case(rng, "as many of everything", (3, 3, 3), (9, 9), 3, (3, 1, 3, 3), gradient=True)
    lengths = (2, 4, 4)
    yield case(rng, "as many queries as keys in training", lengths, (8, 6), 2, None, training=True)
    yield case(rng, "a mask for each head", (2, 4, 5), (9, 4), 3, (3, 4, 5), gradient=True)
    padding = case(rng, "nothing but padding", (3, 2, 4), (6, 5), 2, (3, 1, 1, 4), gradient=True)
    yield hide(padding, 1)
    yield far_apart(rng, "large scores and larger masked ones", 0.0, 10000.0, gradient=True)
    half = case(rng, "half precision", (2, 3, 4), (6, 9), 2, (2, 1, 3, 4), torch.float16)
    yield hide(half, 0)
    yield case(rng, "many keys", (1, 12, 16), (16, 12), 4, (1, 1, 12, 16))


@exercise.secret_cases
def secret_cases(rng):
    batch, queries, keys = rng.integer(3, 5), rng.integer(5, 7), rng.integer(8, 11)
    sizes, mask = (batch, queries, keys), (batch, 1, queries, keys)
    yield case(rng, "one head", sizes, (5, 8), 1, mask, gradient=True)
    exact = torch.float64
    yield case(rng, "heads of width 1 in float64", sizes, (6, 4), 6, mask[2:], exact, gradient=True)
    each = (batch, 3, queries, keys)
    yield case(rng, "a mask for each sequence and head", sizes, (9, 4), 3, each)
    yield case(rng, "more queries than keys", (batch, keys, queries), (8, 3), 2, None)
    yield case(rng, "a memory of one", (batch, queries, 1), (6, 7), 3, None)
    one = case(rng, "one sequence and one query", (1, 1, keys), (12, 5), 2, (1, 1, 1, keys))
    yield replace(one, gradient=True, training=True)
    yield far_apart(rng, "large negative scores", -(2.0**100), 0.0, apart=2.0**80)
    yield far_apart(rng, "large scores in half precision", 0.0, 5000.0, torch.float16)
    yield far_apart(rng, "equal large scores in half precision", 5000.0, 0.0, torch.float16, 0.0)
    row, brief = (1, keys), torch.bfloat16
    yield case(rng, "one row for all in bfloat16", (2, queries, keys), (12, 5), 4, row, brief)
    nobody = case(rng, "nobody may attend", sizes, (6, 4), 2, (1, 1), gradient=True)
    yield hide(nobody)


exercise.promise("width of x and of the output.", "no mask")
exercise.promise("width of the memory", "no mask", "as many of everything")
exercise.promise("number of heads; it divides", "one head", "heads of width 1 in float64")
exercise.promise("`W_q`, `W_k`, `W_v`", EVERY)
exercise.promise("of the dtype of the layers", "half precision", "one row for all in bfloat16")
exercise.promise(
    "No score, scaled or not, exceeds", "large scores in half precision", "large negative scores"
)
exercise.promise("No input is changed.", EVERY)
exercise.promise("True = may attend; (queries, keys)", "a mask for each head")
exercise.promise("None: every token of the memory", "as many queries as keys in training")
exercise.promise("output, and the weights", "half precision", "one row for all in bfloat16")
exercise.promise(
    "A row of weights sums", "equal large scores in half precision", "nothing but padding"
)
exercise.promise(
    "Gradients reach x, memory", "large scores and larger masked ones", "nobody may attend"
)


@exercise.oracle
class HeadsAsWeights(nn.Module):
    """No split and no merge: weights with an axis of heads, and exponentials instead of fills."""

    W_o: nn.Linear

    def __init__(self, d_model, d_memory, num_heads):
        super().__init__()
        self.num_heads = num_heads
        for part, width in {"q": d_model, "k": d_memory, "v": d_memory, "o": d_model}.items():
            self.add_module(f"W_{part}", nn.Linear(width, d_model, bias=False))

    def projected(self, layer, x):
        weight = layer.weight.unflatten(0, (self.num_heads, -1))
        return torch.einsum("bnm,hkm->bhnk", x, weight)

    def forward(self, x, memory, mask=None):
        query, key = self.projected(self.W_q, x), self.projected(self.W_k, memory)
        scores = torch.einsum("bhqk,bhnk->bhqn", query, key) / query.size(-1) ** 0.5
        allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
        lowest = torch.finfo(scores.dtype).min
        top = scores.masked_fill(~allowed, lowest).amax(dim=-1, keepdim=True)
        shares = (scores - top).masked_fill(~allowed, -torch.inf).exp()
        weights = shares / shares.sum(dim=-1, keepdim=True).clamp(min=0.5)
        heads = torch.einsum("bhqn,bhnk->bhqk", weights, self.projected(self.W_v, memory))
        matrices = self.W_o.weight.unflatten(1, (self.num_heads, -1))
        return torch.einsum("bhqk,mhk->bqm", heads, matrices), weights


class Layers(nn.Module):
    """The layers, as the task asks for them."""

    def __init__(self, d_model, d_memory, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_o = (nn.Linear(d_model, d_model, bias=False) for _ in range(2))
        self.W_k, self.W_v = (nn.Linear(d_memory, d_model, bias=False) for _ in range(2))


@exercise.variant
class BatchTimesHeads(nn.Module):
    def __init__(self, d_model, d_memory, num_heads):
        super().__init__()
        self.h, self.d_k = num_heads, d_model // num_heads
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.W_v, self.W_k = (
            nn.Linear(d_memory, d_model, bias=False),
            nn.Linear(d_memory, d_model, bias=False),
        )
        self.W_q = nn.Linear(d_model, d_model, bias=False)

    def rows(self, x):
        x = x.reshape(x.shape[0], x.shape[1], self.h, self.d_k)
        return x.permute(0, 2, 1, 3).reshape(-1, x.shape[1], self.d_k)

    def forward(self, x, memory, mask=None):
        batch, queries, keys = x.shape[0], x.shape[1], memory.shape[1]
        q = self.rows(self.W_q(x)) * self.d_k**-0.5
        scores = torch.bmm(q, self.rows(self.W_k(memory)).transpose(1, 2))
        if mask is not None:
            mask = torch.broadcast_to(mask, (batch, self.h, queries, keys)).flatten(0, 1)
            scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
        weights = F.softmax(scores, dim=2)
        weights = weights if mask is None else weights * mask.to(weights.dtype)
        mixed = torch.bmm(weights, self.rows(self.W_v(memory)))
        mixed = mixed.view(batch, self.h, queries, self.d_k).transpose(1, 2)
        output = self.W_o(mixed.reshape(batch, queries, self.h * self.d_k))
        return output, weights.view(batch, self.h, queries, keys)


@exercise.variant
class KeysAndValuesTogether(Layers):
    def forward(self, x, memory, mask=None):
        both = torch.cat([self.W_k.weight, self.W_v.weight])
        k, v = F.linear(memory, both).unflatten(-1, (2 * self.num_heads, -1)).chunk(2, 2)
        q = self.W_q(x).unflatten(-1, (self.num_heads, -1))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            nobody = ~mask.any(-1, keepdim=True)
            scores = scores.masked_fill(~(mask | nobody), float("-inf"))
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(nobody, 0)
        return self.W_o(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)), weights


@exercise.variant
class TorchAttendsOverOneHot(Layers):
    def forward(self, x, memory, mask=None):
        def heads(y):
            return y.view(*y.shape[:2], self.num_heads, -1).transpose(1, 2)

        q, k, v = heads(self.W_q(x)), heads(self.W_k(memory)), heads(self.W_v(memory))
        ones = torch.eye(k.size(2), dtype=k.dtype, device=k.device).expand(*k.shape[:3], -1)
        together = torch.cat([v, ones], dim=-1)
        found = F.scaled_dot_product_attention(q, k, together, attn_mask=mask)
        output, weights = found.split([v.size(-1), k.size(2)], dim=-1)
        return self.W_o(output.transpose(1, 2).flatten(2)), weights
