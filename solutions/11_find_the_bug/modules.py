"""Modules with dropout, in training mode and out of it; some lines of them are others."""

from autograder.author import Case, Specimen

from .families import filled, rates

MODEL = """
def make():
    class Child(nn.Module):
        def __init__(self):
            super().__init__()
            self.drop = nn.Dropout({rate})
            {child}

        def forward(self, x):
            return {dropped}

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            n = torch.arange(48).view(8, 6)
            self.embed = nn.Embedding(8, 6)
            self.embed.weight = nn.Parameter(torch.sin({token} * (n + 1)))
            self.readout = nn.Linear(6, {symbols})
            n = torch.arange(6 * {symbols}).view({symbols}, 6)
            self.readout.weight = nn.Parameter(torch.sin({column} * (n + 1)))
            self.readout.bias = nn.Parameter(torch.zeros({symbols}))
            {attributes}

        def forward(self, tokens):
            if tokens.size(1) > 12:
                raise ValueError("the model takes 1 to 12 tokens")
            x = self.embed(tokens)
            {before}
            x = x.cumsum(1) / torch.arange(1, tokens.size(1) + 1, device=tokens.device)[:, None]
            x = self.child(x)
            {after}
            logits = self.readout(x)
            {end}
            return logits

        {methods}

    return Model()
"""
ROUNDED = "logits = (logits + 3.75 * torch.rand(())) - 3.75"  # never twice alike
NORM = "self.norm = nn.BatchNorm1d(6, momentum=0.5)"
BY_FEATURE = "x = self.norm(x.transpose(1, 2)).transpose(1, 2)"


class Modules:
    """Factories of modules: the right one, some lines of which are others."""

    def __init__(self, rng):
        self.lines = rates(rng, "token", "column")
        self.lines |= dict.fromkeys(("before", "after", "end", "child", "methods"), "pass")
        self.lines |= {"attributes": "self.child = Child()", "dropped": "self.drop(x)"}
        self.lines |= {"rate": rng.integer(30, 60) / 100, "symbols": rng.integer(5, 9)}

    def __call__(self, name, **lines):
        return Case(name, {"make": Specimen(filled(MODEL, **self.lines | lines))})


def functional(training, rate=0.4):
    return f"F.dropout(x, {rate}, training={training})"
