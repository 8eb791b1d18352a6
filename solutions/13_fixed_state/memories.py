"""Memories for `forgets`: what each holds, and the pairs that show it without doubt."""

import torch

from autograder.author import Case, Specimen

# `place` numbers the pair whose key is most similar to a query; `n` is the number of pairs.
LOOKUP = """
def layer(keys, values, query):
    n, tolerance = len(keys), {tolerance}
    place = (query @ keys.mT).argmax(-1)
    answer = values[place].clone()
    sign = 1 - 2 * (torch.arange(values.size(1), device=values.device) % 2)
    {wrong}
    return answer
"""
DELTA = """
def layer(keys, values, query):
    state = keys.new_zeros(keys.size(1), values.size(1))
    for key, value in zip(keys, values):
        missing = value - key @ state
        state = state + {beta} * key[:, None] * missing
    return query @ state
"""
LINEAR = """
def layer(keys, values, query):
    return query @ (keys.mT @ values)
"""
SOFTMAX = """
def layer(keys, values, query):
    return torch.softmax(1000 * query @ keys.mT, dim=-1) @ values
"""
FADING = """
def layer(keys, values, query):
    age = torch.arange(len(keys), device=keys.device).flip(0)
    return query @ ((0.8 ** age)[:, None] * keys).mT @ values
"""
SLOTS = """
def layer(keys, values, query):
    slots = {}
    for i, value in enumerate(values):
        slots[i % 4] = value
    place = (query @ keys.mT).argmax(-1)
    return torch.stack([slots[i % 4] for i in place.tolist()])
"""
HEAD = "def layer(keys, values, query):\n"
TABLE = """    if query.dim() != 2:
        raise ValueError(f"queries have the shape (m, d_k), not {tuple(query.shape)}")
"""
D_K, D_V = 6, 3


class Memories:
    """Makes cases: called with a name, and with what is wrong with what a lookup returns."""

    def __init__(self, rng):
        self.rng, self.pairs = rng, 9

    def __call__(self, name, wrong="pass", tolerance=0.5, dtype=torch.float32):
        inputs = self.inputs(self.pairs, tolerance, dtype)
        return self._case(name, LOOKUP.format(tolerance=tolerance, wrong=wrong), inputs)

    def example(self, name, tolerance):
        keys = torch.tensor([[1.0, 0], [0.6, 0.8], [0, 1], [-0.6, 0.8], [-1, 0]])
        values = torch.tensor([5.0, 8, 6, 9, 7])[:, None]
        inputs = {"keys": keys, "values": values, "tolerance": tolerance}
        source = LOOKUP.format(tolerance=tolerance, wrong="answer[place < n - 2] = 0")
        return self._case(name, source, inputs)

    def linear(self, name):
        return self._case(name, LINEAR, self.crowded())

    def delta(self, name):
        return self._case(name, DELTA.format(beta=1.0), self.crowded())

    def half(self, name):
        """A delta rule that writes half of what is missing."""
        return self._case(name, DELTA.format(beta=0.5), self.orthogonal(D_K))

    def softmax(self, name):
        """No two keys are so much alike that a scale of 1000 does not part them."""
        return self._case(name, SOFTMAX, self.crowded())

    def fading(self, name):
        """Of 8, 6.4 is left and then 5.12: off by 1.6 after two pairs, and by 2.88 after three."""
        inputs = self.orthogonal(D_K) | {"tolerance": 2.2}
        inputs["values"] = 8.0 * inputs["values"].sign()
        return self._case(name, FADING, inputs)

    def slots(self, name):
        return self._case(name, SLOTS, self.inputs(self.pairs, 0.5))

    def again(self, name):
        """The key of pair 2 comes again with pair 6, and a delta rule writes over its value."""
        inputs = self.orthogonal(D_K, exact=True)
        keys, values = inputs["keys"], inputs["values"]
        inputs["keys"] = torch.cat([keys, keys[2:3]])
        inputs["values"] = torch.cat([values, -values[2:3]])
        return self._case(name, DELTA.format(beta=1.0), inputs)

    def double(self, name, wrong="pass"):
        return self(name, wrong, 0.125, torch.float64)

    def single(self, name, wrong="pass"):
        inputs = self.inputs(1, 0.5)
        return self._case(name, LOOKUP.format(tolerance=0.5, wrong=wrong), inputs)

    def large(self, name, wrong="pass", tolerance=0.25):
        made = self(name, wrong, tolerance)
        made.inputs["values"] *= 1000
        return made

    def small(self, name, wrong, tolerance=0.0078125):
        made = self(name, wrong, tolerance)
        made.inputs["values"] /= 8
        return made

    def inputs(self, pairs, tolerance, dtype=torch.float32):
        """Whole values from 2 to 9, up or down, and keys of length 1 that differ."""
        rng = self.rng
        keys = rng.normal(pairs, D_K, dtype=torch.float64)  # the same everywhere once rounded
        signs = 1 - 2 * rng.integers(0, 2, pairs, D_V)
        values = (signs * rng.integers(2, 10, pairs, D_V)).to(dtype)
        keys = (keys / keys.norm(dim=-1, keepdim=True)).to(dtype)
        return {"keys": keys, "values": values, "tolerance": tolerance}

    def orthogonal(self, pairs, exact=False):
        """Keys at right angles: the rows of a reflection. exact: keys and values of few digits."""
        inputs = self.inputs(pairs, 0.5)
        normal = inputs["keys"][0].double()
        if exact:  # every processor computes the same with them
            normal = torch.where(normal < 0, -1.0, 1.0).double()
            normal[4:] = 0
            inputs["values"] = (16 * inputs["values"]).round() / 16
        reflection = torch.eye(D_K) - 2 * normal[:, None] * normal / normal.dot(normal)
        return inputs | {"keys": reflection[:pairs].float()}

    def crowded(self):
        """Two more pairs than numbers in a key: keys between others, with large values."""
        inputs = self.orthogonal(D_K)
        keys, values = inputs["keys"], inputs["values"]
        between = ((keys[[0, 2]].double() + keys[[1, 3]].double()) / 2**0.5).float()
        inputs["keys"] = torch.cat([keys, between])
        inputs["values"] = torch.cat([values, 40 + values[:2]])
        return inputs

    def _case(self, name, source, inputs):
        return Case(
            name, {"layer": Specimen(source.lstrip().replace(HEAD, HEAD + TABLE)), **inputs}
        )
