"""Cases, oracle and known mistakes of `QKVProjections`."""

import torch
import torch.nn.functional as F
from torch import nn

from autograder.author import EVERY, Case, Exercise

exercise = Exercise(
    "QKVProjections",
    points=2,
    difficulty=2,
    minutes=12,
    returns=("query", "key", "value"),
    read="02_qkv.html#projections",
)


def draw(rng, name, shape, d_model, d_k, d_v, dtype=torch.float32, **options):
    """Weights are given, as nn.Linear holds them: (width that comes out, width that goes in)."""
    widths = {"W_q": d_k, "W_k": d_k, "W_v": d_v}
    state = {f"{k}.weight": rng.normal(width, d_model, dtype=dtype) for k, width in widths.items()}
    sizes = {"d_model": d_model, "d_k": d_k, "d_v": d_v}
    inputs = {"x": rng.normal(*shape, d_model, dtype=dtype)}
    return Case(name, inputs, construct=sizes, state=state, **options)


@exercise.cases
def cases(rng):
    yield draw(rng, "three different widths", (2, 3), 6, 4, 5, gradient=True)
    yield draw(rng, "keys and values of one width", (3, 4), 5, 2, 2, gradient=True)
    yield draw(rng, "all widths the same", (2, 5), 4, 4, 4, gradient=True)
    yield draw(rng, "wider than the model", (2, 4), 3, 7, 5, training=True)
    yield draw(rng, "half precision", (2, 3), 4, 3, 6, torch.float16, gradient=True)


@exercise.secret_cases
def secret_cases(rng):
    batch, length, width = rng.integer(2, 5), rng.integer(3, 8), rng.integer(2, 5)
    yield draw(rng, "values as wide as the model", (batch, length), 8, width, 8, gradient=True)
    yield draw(rng, "one position without a batch", (), 6, 5, width)
    shape, dtype = (batch, 3, length), torch.bfloat16
    yield draw(rng, "an axis of heads in bfloat16", shape, 6, width, 5, dtype, gradient=True)
    yield draw(rng, "one sequence, keys of width 1", (1, length), 5, 1, width + 1, gradient=True)
    yield draw(rng, "one sequence without a batch", (length,), 4, width, 3)
    yield draw(rng, "float64", (batch, length), 16, 8, 12, torch.float64, gradient=True)


exercise.promise("width of x.", EVERY)
exercise.promise("width of queries and keys.", EVERY)
exercise.promise("width of values.", EVERY)
exercise.promise("The three widths may all differ.", "three different widths")
exercise.promise("Its parameters are W_q.weight", EVERY)
exercise.promise(
    "x and the parameters", "half precision", "an axis of heads in bfloat16", "float64"
)
exercise.promise("Returns query, key", "three different widths", "wider than the model")
exercise.promise(
    "Gradients reach x and the three parameters.", "one sequence, keys of width 1", "float64"
)


@exercise.oracle
class Exact(nn.Module):
    """Each projection as a sum over the entries of x."""

    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        for name, width in {"W_q": d_k, "W_k": d_k, "W_v": d_v}.items():
            self.add_module(name, nn.Linear(d_model, width, bias=False))

    def forward(self, x):
        weights = [layer.weight for layer in self.children()]
        return tuple((x[..., None, :] * weight).sum(dim=-1) for weight in weights)


class Layers(nn.Module):
    """What the wrong modules have in common: they differ from this in one method."""

    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_q, self.W_k = self.layer(d_model, d_k), self.layer(d_model, d_k)
        self.W_v = self.layer(d_model, d_v)

    def layer(self, into, out):
        return nn.Linear(into, out, bias=False)

    def forward(self, x):
        return self.W_q(x), self.W_k(x), self.W_v(x)  # [*batch, length, d_k], again, and d_v


right = exercise.base(Layers)


# fmt: off
right.mistake("KeepsTheBias", {"out, bias=False": "out"},
    "The parameters that the check loads do not fit. There are three: `W_q.weight`, `W_k.weight` "
    "and `W_v.weight`. Does each have a layer, stored in an attribute of that name (layers in a "
    "plain list are not registered), and does a layer hold more than its weight?")
right.mistake("SwapsInAndOut", {"into, out,": "out, into,"},
    "The error names the layers that do not fit. Which width goes into each layer and which comes "
    "out, and in which order does nn.Linear take the two?")


@exercise.misconception(
    "The error names the layer that does not fit. The outputs of W_q and W_k have d_k entries, "
    "those of W_v have d_v."
)
class MakesValuesAsWideAsKeys(Layers):
    def __init__(self, d_model, d_k, d_v):
        super().__init__(d_model, d_k, d_v=d_k)


@exercise.misconception(
    "The error names the layer that does not fit: its output has d_model entries, as many as x. "
    "The outputs of W_q and W_k have d_k entries, those of W_v have d_v."
)
class MakesValuesAsWideAsTheModel(Layers):
    def __init__(self, d_model, d_k, d_v):
        super().__init__(d_model, d_k, d_v=d_model)


right.mistake("MakesTheKeyWithTheQuerysLayer", {"W_k(x)": "W_q(x)"},
    "Your key is computed with the query's matrix. Each of the three has its own layer. Which "
    "layer does each line use?")
right.mistake("TiesTheKeyToTheQuery", {"d_v)\n": "d_v)\n        self.W_k = self.W_q\n"},
    "Your query is computed with the key's matrix, which was loaded last. If you wrote `self.W_k "
    "= self.W_q`, how many layers are there, and how many names?")
right.mistake("ReturnsKeyQueryValue", {"W_q(x), self.W_k": "W_k(x), self.W_q"},
    "You return the three in another order. The caller unpacks query, key, value.")


@exercise.misconception(
    "Your query is divided by a square root. Scaling belongs to the scores. This exercise asks "
    "only for the three projections."
)
class ScalesTheQuery(Layers):
    def forward(self, x):
        query, key, value = super().forward(x)
        return query / query.size(-1) ** 0.5, key, value


right.mistake("MultipliesByTheWeightItself",
    {"self.W_q(x), self.W_k(x), self.W_v(x)":
        "x @ self.W_q.weight, x @ self.W_k.weight, x @ self.W_v.weight"},
    "You multiply x by a layer's weight as it is. A layer stores it as (out, in). What has to be "
    "done to it, and does the layer do that when you call it?")


@exercise.misconception(
    "The values are right, but no gradient reaches x, so nothing before this module could learn. "
    "Did you use `no_grad`, `detach` or `.data`?"
)
class ProjectsWithoutGradients(Layers):
    @torch.no_grad()
    def forward(self, x):
        return super().forward(x)


right.mistake("CountsThreeAxes",
    {"return self": "_, _, _ = x.shape\n        return (self", "W_v(x)": "W_v(x))"},
    "With three axes your result is right, but with fewer or more your code raises an exception. "
    "Do you unpack the shape into three names, or count axes from the front? Layers need only the "
    "last axis.")
right.mistake("HasALetterForEachAxis",
    {"return self.W_q(x), self.W_k(x), self.W_v(x)":
        "layers = (self.W_q, self.W_k, self.W_v)\n"
        '        return tuple(torch.einsum("bld,od->blo", x, layer.weight) for layer in layers)'},
    "With three axes your result is right, but with fewer or more your code raises an exception. "
    "If each axis has a letter in your einsum, `...` stands for any number of axes. A layer takes "
    "any number by itself.")


@exercise.misconception(
    "One sequence without a batch comes back with an extra axis of length 1 in front. If you add "
    "an axis, remove it again. Layers do not need it."
)
class AddsABatchToAMatrix(Layers):
    def forward(self, x):
        return super().forward(x[None] if x.dim() == 2 else x)


@exercise.misconception(
    "A single position comes back with an extra axis of length 1 in front. If you add an axis, "
    "remove it again. Layers do not need it."
)
class AddsAnAxisToAVector(Layers):
    def forward(self, x):
        return super().forward(x[None] if x.dim() == 1 else x)


@exercise.misconception(
    "A vector and a matrix come back with more axes than they had. If you add axes until there "
    "are three, remove them again. Layers do not need them."
)
class AddsAxesUpToThree(Layers):
    def forward(self, x):
        return super().forward(x[(None,) * (3 - x.dim())])


right.mistake("TransposesAVector",
    {"self.W_q(x), self.W_k(x), self.W_v(x)":
        "tuple((layer.weight @ x.mT).mT for layer in (self.W_q, self.W_k, self.W_v))"},
    "A vector, which is one position without others, raises an exception. If you transpose x, "
    "that needs two axes. A layer that is called with x needs only one.")
# fmt: on


@exercise.variant
class InALoop(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        for name, width in (("W_v", d_v), ("W_k", d_k), ("W_q", d_k)):
            setattr(self, name, nn.Linear(d_model, width, bias=False))

    def forward(self, x):
        return [getattr(self, name)(x) for name in ("W_q", "W_k", "W_v")]


@exercise.variant
class OneProductForAll(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.widths = (d_k, d_k, d_v)
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x):
        together = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight])
        return F.linear(x, together).split(self.widths, dim=-1)


@exercise.variant
class WithParametersOfItsOwn(nn.Module):
    class Projection(nn.Module):
        def __init__(self, into, out):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(out, into) / into**0.5)

        def forward(self, x):
            return torch.einsum("...i,oi->...o", x, self.weight)

    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_q, self.W_k = self.Projection(d_model, d_k), self.Projection(d_model, d_k)
        self.W_v = self.Projection(d_model, d_v)

    def forward(self, x):
        query = self.W_q(x)
        key = self.W_k(x)
        value = x @ self.W_v.weight.T
        return query, key, value
