"""Specimens, oracle and variants of `ties_embeddings`."""

import torch
from torch import nn

from autograder.author import EVERY, UNTRIED, Exercise

from .families import mixed
from .tied import ALONE, ZEROS, Tied

exercise = Exercise(
    "ties_embeddings",
    points=4,
    difficulty=3,
    minutes=25,
    returns=("the answer",),
    read="11_find_the_bug.html#tie-test",
)
READOUT = "self.readout.weight"
SAME = f"{READOUT} = self.embed.weight"


@exercise.cases
def cases(rng):
    make = Tied(rng)
    symbols, width = make.symbols, make.width
    yield make.layer("one parameter with two names", SAME)
    yield make.layer("the other way round", "self.embed.weight = self.readout.weight", bias=True)
    yield make("a product with the embedding")
    yield make.layer("weights of its own", ALONE)
    copy = f"{READOUT} = nn.Parameter(self.embed.weight.clone())"
    yield make.layer("copied when it is made", copy)
    yield make.layer("two parameters in one memory", f"{READOUT} = nn.Parameter(self.embed.weight)")
    yield make("the gradient is cut", logits="x @ self.embed.weight.detach().T")
    copy = f"{READOUT}.data = self.embed.weight.data.clone()"
    yield make.layer("copied at each call", ALONE, after=copy)
    yield make.layer("zeros, tied", SAME, also=ZEROS)
    yield make.layer("zeros, not tied", "pass", also=ZEROS)
    wide = f"self.lift = nn.Linear({width}, {width})"
    zeros = f"{wide}; {ZEROS}"
    yield make("a layer before the product", attributes=zeros, after="x = self.lift(x)")
    scaled = f"x @ self.embed.weight.T / {width} ** 0.5 / 1000"
    yield make("scaled at both ends", before=f"x = x * {width} ** 0.5", logits=scaled)
    more = rng.integer(2, 5)
    first = f"x @ self.embed.weight[:{symbols}].T"
    yield make("more rows than symbols", rows=symbols + more, logits=first)
    lone = rng.integer(2, symbols - 1)
    own = f"self.own = nn.Parameter(torch.sin(torch.arange({width}) + 1.0))"
    other = f"logits[..., {lone}] = x @ self.own"
    yield make("one symbol has its own row", attributes=own, end=other)
    yield make("rows are off by one", logits="x @ self.embed.weight.roll(1, 0).T")
    square = f"self.embed = nn.Embedding({symbols}, {symbols})"
    yield make("no transpose", attributes=square, logits="x @ self.embed.weight")
    unused = f"self.output = nn.Linear({width}, {symbols}, bias=False)"
    yield make.layer("the tied layer is not used", SAME, also=unused, logits="self.output(x)")
    kept = "self.register_buffer('table', self.embed.weight.detach().clone())"
    yield make("a buffer that no step moves", attributes=kept, logits="x @ self.table.T")


@exercise.secret_cases
def secret_cases(rng):
    make = Tied(rng)
    symbols, width = make.symbols, make.width
    lone, by = symbols - 1, rng.integer(2, symbols)
    every = f"x @ self.embed(torch.arange({symbols}, device=x.device)).T"
    place = f"self.place = nn.Embedding({symbols}, {width})"
    cut = f"torch.where(torch.arange({symbols}) == {lone}, logits.detach(), logits)"
    kinds = [
        make("all symbols are embedded", logits=every),
        make("a norm before the product", after=f"x = F.layer_norm(x, ({width},))"),
        *(
            make(
                f"the {name} symbol has its own row",
                attributes=f"self.own = nn.Parameter(torch.ones({width}))",
                end=f"logits[..., {symbol}] = x @ self.own",
            )
            for symbol, name in enumerate(("first", "second"))
        ),
        make("a copy that gradients pass", logits="F.linear(x, self.embed.weight.clone())"),
        make(
            "under another name",
            attributes="self.table = self.embed.weight",
            logits="x @ self.table.T",
        ),
        make("a factor, negative", logits=f"-{rng.integer(2, 9)} / 3 * x @ self.embed.weight.T"),
        make.layer(
            "zeros, tied the other way", "self.embed.weight = self.readout.weight", also=ZEROS
        ),
        make("positions are tied", attributes=place, logits="x @ self.place.weight.T"),
        make("rows are in another order", logits=f"x @ self.embed.weight.roll({by}, 0).T"),
        make("the gradient of one symbol is cut", end=f"logits = {cut}"),
        make.layer(
            "no gradient for the embedding",
            SAME.replace("weight =", "weight.data ="),
            before="x = x.detach()",
            logits="F.linear(x, self.readout.weight)",
        ),
        make("two symbols share a row", end=f"logits[..., {lone}] = logits[..., {lone - 1}]"),
    ]
    yield from mixed(rng, kinds)


exercise.promise("each call returns a new", UNTRIED)
exercise.promise("Its part `model.embed`", UNTRIED)
exercise.promise("The weight may have more", "more rows than symbols")
exercise.promise("Called as model(tokens)", UNTRIED)
exercise.promise("A hidden vector depends", UNTRIED)
exercise.promise("Nothing is random.", UNTRIED)
exercise.promise("All parameters require", "zeros, tied", "zeros, not tied")
exercise.promise("True if the logit of each symbol", "the other way round", "scaled at both ends")
exercise.promise("Else False: a Python", EVERY)
exercise.promise(
    "Two parameters are not one, whatever", "copied when it is made", "two parameters in one memory"
)
exercise.promise("With random weights", EVERY)
exercise.promise("In a row that it does depend", EVERY)


@exercise.oracle
def row_by_row(make):
    """Of each symbol that a text lacks: whether all of its row, and no other, moves its logit."""
    model = make()
    for at, p in enumerate(model.parameters(), 1):
        p.data = torch.sin(torch.arange(p.numel()) * (0.7 + at) + at).view_as(p)
    symbols = model(torch.tensor([[0]])).size(-1)
    for present in (0, symbols - 1):
        logits = model(torch.full((1, 4), present))[0, -1]
        for symbol in set(range(symbols)) - {present}:
            (moves,) = torch.autograd.grad(logits[symbol], model.embed.weight, retain_graph=True,
                                           materialize_grads=True)  # fmt: skip
            moves[present] = 0
            wanted = torch.zeros_like(moves, dtype=torch.bool)
            wanted[symbol] = True
            if not torch.equal(moves != 0, wanted):
                return False
    return True


@exercise.variant
def by_a_step_of_one_parameter(make):
    """An optimiser that knows the embedding only, and the row that it moves."""
    model = make()
    for p in model.parameters():
        p.data = torch.randn(p.shape)
    symbols = model(torch.zeros(1, 1, dtype=torch.long)).size(-1)
    for symbol in range(symbols):
        others = [s for s in range(symbols) if s != symbol]
        old = model.embed.weight.detach().clone()
        step = torch.optim.SGD([model.embed.weight], lr=0.1)
        step.zero_grad()
        loss = model(torch.tensor([others[:1], others[-1:]]))[:, :, symbol].sum()
        if loss.requires_grad:
            loss.backward()
            step.step()
        stayed = model.embed.weight[symbol] == old[symbol]
        if stayed.any():
            return False
    return True


@exercise.variant
def by_another_weight(make):
    """Called with another weight in the embedding's place, as its derivative tells."""
    model = make()
    for p in model.parameters():
        nn.init.normal_(p, std=2)
    table = torch.randn_like(model.embed.weight)
    n = model(torch.tensor([[1]])).shape[2]
    for present in (0, 1):

        def said(weight, present=present):
            tokens = torch.tensor([[present, present]])
            return torch.func.functional_call(model, {"embed.weight": weight}, (tokens,))[0, 0]

        slopes = torch.autograd.functional.jacobian(said, table)  # [symbols, rows, width]
        absent = torch.arange(n) != present
        if not slopes[torch.arange(n), torch.arange(n)][absent].ne(0).all():
            return False
    return True


@exercise.variant
def with_a_hook(make):
    """What arrives at the embedding when a symbol's logit goes back."""
    model, arrived = make(), [torch.ones(1, 1)]
    with torch.no_grad():
        for weight in model.parameters():
            nn.init.uniform_(weight, 1, 2)
    model.embed.weight.register_hook(arrived.append)
    size = model(torch.tensor([[0, 1]])).shape[-1]
    for s in range(size):
        text = torch.full((2, 3), (s + 1) % size)
        out = model(text)[..., s].mean()
        if not out.requires_grad:
            return False
        arrived.clear()
        out.backward()
        if not arrived or arrived[-1][s].eq(0).any():
            return False
    return True
