"""Models whose output layer is the embedding, or is not; some lines of them are others."""

from autograder.author import Case, Specimen

from .families import filled, rates

MODEL = """
def make():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding({rows}, {width})
            n = torch.arange(self.embed.weight.numel()).view_as(self.embed.weight)
            self.embed.weight = nn.Parameter(torch.sin({token} * (n + 1)))
            {attributes}

        def forward(self, tokens):
            x = self.embed(tokens)
            {before}
            x = x.cumsum(1) / torch.arange(1, tokens.size(1) + 1, device=tokens.device)[:, None]
            {after}
            logits = {logits}
            {end}
            return logits

    return Model()
"""
LAYER = "self.readout = nn.Linear({width}, {symbols}, bias={bias})"
ALONE = "self.readout.weight = nn.Parameter(torch.sin({column} * (n + 2)))"
ZEROS = "[nn.init.zeros_(p) for p in self.parameters()]"


class Tied:
    """Factories of models: by a product with the embedding's weight, or by other lines."""

    def __init__(self, rng):
        self.symbols = rng.integer(5, 9)
        self.width = self.symbols - rng.integer(1, 3)  # another number, so that axes are told apart
        self.lines = dict.fromkeys(("attributes", "before", "after", "end"), "pass")
        self.lines |= {"rows": self.symbols, "width": self.width}
        self.lines |= {"logits": "x @ self.embed.weight.T"} | rates(rng, "token")
        self.column = rates(rng, "column")

    def __call__(self, name, **lines):
        return Case(name, {"make": Specimen(filled(MODEL, **self.lines | lines))})

    def layer(self, name, weight, bias=False, also="pass", **lines):
        """With an nn.Linear as the output layer, whose weight is set by a line."""
        made = LAYER.format(width=self.width, symbols=self.symbols, bias=bias)
        weight = weight.format(**self.column)
        lines = {"logits": "self.readout(x)"} | lines
        return self(name, attributes=f"{made}; {weight}; {also}", **lines)
