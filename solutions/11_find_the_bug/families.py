"""Families of small models with one defect each: their numbers are drawn, their weights are sines.

A specimen is source text. Nothing in it is drawn from torch, whose numbers differ from one release
to the next; rates, sizes and the place of a defect come from the seed of the cases.
"""

import textwrap

from autograder.author import Case, Specimen

MODEL = """
def model(tokens):
    batch, n = tokens.shape
    if not 0 < n <= {length} or tokens.min() < 0 or tokens.max() >= {symbols}:
        raise ValueError("the model takes 1 to {length} tokens from 0 to {symbols} - 1")
    at = torch.arange(n, device=tokens.device)
    i, j = at[:, None], at
    spread = torch.arange(1, 9, device=tokens.device)
    token = torch.sin({token} * (tokens[..., None] + 1) * spread)
    place = torch.sin({place} * (i + 1) * spread)
    {before}
    x = token + place
    scores = x @ x.roll(1, dims=-1).mT / math.sqrt(8)
    allowed = j <= i
    {mask}
    weights = scores.masked_fill(~allowed, -math.inf).softmax(dim=-1)
    output = weights @ x
    {after}
    columns = torch.arange(1, {symbols} + 1, device=tokens.device)
    logits = output @ torch.sin({column} * spread[:, None] * columns)
    {end}
    return logits
"""


def rates(rng, *names):
    """How fast the sines of a family turn, by name; different in every number for every seed."""
    return {name: rng.integer(300, 900) / 317 for name in names}


def filled(template, **lines):
    """A template with its lines; one of several lines is indented as the first is."""
    for name, line in lines.items():
        lines[name] = textwrap.indent(str(line).strip(), "    ").strip()
    return template.lstrip().format(**lines)


class Models:
    """Causal models from tokens to logits: the right one, some lines of which are others."""

    def __init__(self, rng):
        self.lines = rates(rng, "token", "place", "column")
        self.lines |= dict.fromkeys(("before", "mask", "after", "end"), "pass")
        self.length, self.symbols = rng.integer(11, 15), rng.integer(5, 9)

    def __call__(self, name, **lines):
        sizes = {"length": self.length, "symbols": self.symbols}
        source = filled(MODEL, **self.lines | sizes | lines)
        inputs = {"model": Specimen(source), "length": self.length, "symbols": self.symbols}
        return Case(name, inputs)


def mixed(rng, cases):
    """The cases in an order of the seed's."""
    return [cases[at] for at in rng.normal(len(cases)).argsort().tolist()]
