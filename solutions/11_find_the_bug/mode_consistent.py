"""Specimens, oracle and variants of `mode_consistent`."""

import torch

from autograder.author import EVERY, UNTRIED, Exercise

from .families import mixed
from .modules import BY_FEATURE, NORM, Modules, functional

exercise = Exercise(
    "mode_consistent",
    points=4,
    difficulty=3,
    minutes=25,
    returns=("the answer",),
    read="11_find_the_bug.html#mode-test",
)


@exercise.cases
def cases(rng):
    make = Modules(rng)
    child = make.lines["attributes"]
    yield make("dropout in a module of its own")
    yield make("dropout by hand", dropped=functional("self.training"))
    shaken = "logits = logits + 1e-6 * torch.rand_like(logits)"
    yield make("other roundings on each call", end=shaken)
    norm = f"{child}; {NORM.replace('0.5', '0.0')}"
    yield make("normalised by the batch while training", attributes=norm, before=BY_FEATURE)
    yield make("a symbol is never predicted", end="logits[..., 1] = -math.inf")
    noise = "x = x + torch.randn_like(x) * self.training"
    yield make("noise on the inputs", dropped="x", before=noise)
    counted = f"{child}; self.calls = 0"
    yield make("the first call is counted", attributes=counted, end="self.calls += 1")
    yield make("dropout always", dropped=functional("True"))
    yield make("only the rate of the module is used", dropped="F.dropout(x, self.drop.p)")
    yield make("dropout of the weights always", after="x = x * F.dropout(torch.ones(6), 0.2)")
    yield make("dropout the other way round", dropped=functional("not self.training"))
    yield make("nothing is dropped", dropped="x")
    yield make("dropout never trains", dropped=functional("False"))
    first = "child = property(lambda self: self.parts[0])"
    yield make("a child in a list", attributes="self.parts = [Child()]", methods=first)
    yield make("the mode is set on the way", after="self.train()")
    yield make("the mode is set on the way out", end="self.child.train()")
    yield make("back to training after each call", end="self.train()")
    stays = "self.level = 1 + x.detach().mean() if self.training else self.level"
    level = f"{child}; self.level = 0.0"
    kept = f"{stays}; x = x + self.level * (not self.training)"
    yield make("the last training batch is kept", attributes=level, after=kept)
    more = "self.calls += 1; logits = logits + 0.05 * self.calls * torch.arange(logits.size(-1))"
    yield make("calls are counted in the logits", attributes=counted, end=more)
    rare = rng.integer(0, 8)
    one = f"x = torch.where((tokens == {rare})[..., None], F.dropout(x, 0.5), x)"
    yield make("dropout of one token always", before=one)
    behind = "x = torch.cat([x[:, :5], F.dropout(x[:, 5:], 0.5)], dim=1)"
    yield make("dropout always behind the fifth token", after=behind)
    large = "x = F.dropout(x, 0.5) if len(x) > 2 else x"
    yield make("dropout always in large batches", after=large)
    yield make("a little noise always", after="x = x + 0.05 * torch.randn_like(x)")
    alone = "train = lambda self, mode=True: setattr(self, 'training', mode) or self"
    yield make("the child does not hear of the mode", methods=alone)
    yield make("batch statistics are learned", attributes=f"{child}; {NORM}", before=BY_FEATURE)
    first = f"{child}; self.first = True"
    once = "x = x if self.first else x * 1.1; self.first = self.first and self.training"
    yield make("only the first evaluation counts", attributes=first, after=once)
    recorded = "F.dropout(x, 0.5, training=torch.is_grad_enabled())"
    yield make("the mode is taken from gradients", dropped=recorded)
    before = f"{child}; self.before = False"
    late = "x = F.dropout(x, 0.5, self.before or self.training); self.before = self.training"
    yield make("training goes on for one call", attributes=before, dropped="x", after=late)


@exercise.secret_cases
def secret_cases(rng):
    yield from mixed(rng, [*further(rng)])


exercise.promise("each call returns a new", UNTRIED)
exercise.promise("The model is called as model(tokens)", "a symbol is never predicted")
exercise.promise("What a call returned", UNTRIED)
exercise.promise("True if (1) in evaluation", EVERY)
exercise.promise("Else False: a Python", EVERY)
exercise.promise(
    "Calls in training mode", "batch statistics are learned", "the last training batch is kept"
)
exercise.promise("Rounding changes logits", "other roundings on each call")
exercise.promise("Where a model is wrong", "dropout always behind the fifth token")
exercise.promise("Where it is right, calls", "small logits")


def further(rng):
    """What only grading tries."""
    make = Modules(rng)
    child = make.lines["attributes"]
    whole = "x * F.dropout(torch.ones(x.shape[:2]), 0.4, self.training)[..., None]"
    yield make("dropout of whole positions", dropped=whole)
    own = "x * (torch.rand_like(x) > 0.3) / 0.7 if self.training else x"
    yield make("dropout with a mask of its own", dropped=own)
    unscaled = "x * (torch.rand_like(x) > 0.3) if self.training else x"
    yield make("dropout, not scaled", dropped=unscaled)
    chosen = f"{child}; self.kept = torch.randperm(6) > 2"
    kept = "x = x * self.kept if self.training else x"
    yield make("dropout is chosen once", attributes=chosen, dropped="x", after=kept)
    one = "x = torch.cat([x[:1], F.dropout(x[1:2], 0.5), x[2:]])"
    yield make("dropout of one row always", after=one)
    yield make("small logits", end="logits = logits / 8")
    recorded = "x = F.dropout(x, 0.4, self.training or {}torch.is_grad_enabled())"
    yield make("random while gradients are recorded", dropped="x", after=recorded.format(""))
    yield make("random without gradients", dropped="x", after=recorded.format("not "))
    never_again = "x = F.dropout(x, 0.4, self.training and not self.over)"
    over = f"{child}; self.over = False"
    never = f"{never_again}; self.over = self.over or not self.training"
    yield make("never random again", attributes=over, dropped="x", after=never)
    parts = "self.parts = nn.ModuleList([Child()])"
    first = "child = property(lambda self: self.parts[0])"
    yield make("a list of children, all found", attributes=parts, methods=first)
    out = "logits[..., 0].masked_fill(torch.rand(tokens.shape) > 0.7, -math.inf)"
    yield make("one symbol is ruled out at random", end=f"logits[..., 0] = {out}")


@exercise.oracle
def modes_in_turn(make):
    """Evaluated often, before and after training, with and without gradients."""

    def same(found):
        return all(((x == found[0]) | ((x - found[0]).abs() < 2e-3)).all() for x in found)

    with torch.random.fork_rng():
        torch.manual_seed(1)
        for rows, width, recorded in ((5, 9, True), (4, 8, False), (3, 10, True)) * 2:
            tokens = torch.randint(8, (rows, width))
            with torch.set_grad_enabled(recorded):
                model = make()
                first = [model.eval()(tokens).clone(), *(model(tokens).clone() for _ in range(3))]
                dropped = [
                    model.train()(tokens).clone(),
                    *(model(tokens).clone() for _ in range(3)),
                ]
                later = [model.eval()(tokens).clone(), *(model(tokens).clone() for _ in range(3))]
            if not same(first) or not same(later) or same(dropped):
                return False
    return True


@exercise.variant
def twice_in_each(make):
    def differ(model):
        tokens = torch.randint(8, (6, 12))
        one, other = model(tokens).clone(), model(tokens).clone()
        return not torch.allclose(one, other, rtol=0, atol=1e-3)

    trained, found = make().train(), []
    for trial in range(4):
        with torch.set_grad_enabled(trial % 2 == 0):
            found += [differ(trained.train()), not differ(trained.eval())]
    fresh = make().eval()
    return all(found) and not any(differ(fresh) for _ in range(4))


@exercise.variant
def many_calls(make):
    tokens = torch.randint(0, 8, (5, 11))

    def spread(model):
        calls = torch.stack([model(tokens).clamp(min=-1e6) for _ in range(6)])
        return (calls.amax(0) - calls.amin(0)).max().item()

    def is_right(model):
        fresh, trained = spread(model.eval()), spread(model.train())
        return fresh < 5e-3 and trained > 5e-3 and spread(model.eval()) < 5e-3

    with torch.no_grad():
        silent = is_right(make()) and is_right(make())
    return silent and is_right(make()) and is_right(make())


@exercise.variant
def in_turns(make):
    """Whatever was called before: evaluation twice, training twice."""
    model, texts = make(), torch.randint(8, (4, 5, 10))
    drops = []
    for turn in range(4):
        torch.set_grad_enabled(turn % 2 == 0)
        model.train(False)
        answers = [model(texts[turn]).clone() for _ in range(2)]
        answers.append(model(texts[turn]).clone())
        if not all(torch.isclose(answers[0], x, rtol=0, atol=2e-3).all() for x in answers):
            return False
        model.train(True)
        one = model(texts[turn]).clone()
        drops.append(not torch.isclose(one, model(texts[turn]), rtol=0, atol=2e-3).all())
    torch.set_grad_enabled(True)
    return all(drops)
