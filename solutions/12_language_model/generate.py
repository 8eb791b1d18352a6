"""Cases, oracle and variants of `generate`."""

import math

import torch

from autograder.author import EVERY, UNTRIED, Case, Drawn, Exercise, Generator, Model

exercise = Exercise(
    "generate",
    points=4,
    difficulty=3,
    minutes=25,
    returns=("the new tokens", "the model afterwards", "the generator afterwards"),
    read="12_language_model.html#from-logits-to-text",
    properties=(Drawn(0, "Each token should be drawn with the probabilities of the model."),),
)

# One token has a logit of `sharp` above the others, which are those of `base`. Which one depends on
# all that the model sees, on how many tokens that are, and on the mode.
RULE = """
class Rule(nn.Module):
    def __init__(self, vocabulary, longest):
        super().__init__()
        self.sharp = nn.Parameter(torch.zeros(vocabulary))
        self.base = nn.Parameter(torch.zeros(vocabulary))
        self.longest = longest

    def forward(self, tokens):
        if tokens.size(1) > self.longest:
            raise ValueError(f"{tokens.size(1)} tokens, at most {self.longest} have a position")
        places = torch.arange(tokens.size(1), device=tokens.device)
        found = tokens.cumsum(dim=1) + 2 * places + int(self.training)
        chosen = F.one_hot(found % len(self.sharp), len(self.sharp))
        return chosen * self.sharp + self.base
"""
CERTAIN = 4000.0


def case(rng, name, prompt, count, longest, temperature=1.0, *, sharp=CERTAIN, vocabulary=7,
         training=False, seed=5, apart=0.0, lowest=0.0):  # fmt: skip
    """apart: by how much the logits of two tokens that follow each other differ otherwise."""
    base = lowest + apart * torch.arange(float(vocabulary))
    state = {"sharp": torch.full((vocabulary,), sharp), "base": base}
    construct = {"vocabulary": vocabulary, "longest": longest}
    inputs = {
        "model": Model(RULE, state, construct, training=training),
        "prompt": prompt,
        "count": count,
        "longest": longest,
        "temperature": temperature,
        "generator": Generator(seed),
    }
    return Case(name, inputs)


def alike(rng, rows, *prompt):
    return torch.tensor([prompt] * rows)


@exercise.cases
def cases(rng):
    yield case(rng, "room for all", rng.integers(0, 7, 3, 4), 5, 20)
    yield case(rng, "longer than the model sees", rng.integers(0, 7, 2, 3), 9, 5)
    yield case(rng, "a prompt that is too long", rng.integers(0, 9, 3, 8), 2, 4, vocabulary=9)
    yield case(rng, "a model in training mode", rng.integers(0, 7, 2, 3), 4, 9, training=True)
    yield case(rng, "many draws", alike(rng, 1000, 1, 2), 1, 4, sharp=math.log(4), vocabulary=3)
    cold = {"sharp": math.log(2), "vocabulary": 4}
    yield case(rng, "many cold draws", alike(rng, 1000, 3, 0, 1), 1, 5, 0.4, **cold)
    hot = {"sharp": 4.0, "vocabulary": 3, "lowest": 12288.0}
    yield case(rng, "many hot draws", alike(rng, 1000, 2, 2), 1, 3, 3.0, **hot)


@exercise.secret_cases
def secret_cases(rng):
    prompt = rng.integers(0, 5, 4, 1)
    yield case(rng, "one token of a prompt", prompt, 6, 3, 0.8, vocabulary=5, seed=8)
    yield case(rng, "the model sees one token", rng.integers(0, 6, 2, 3), 4, 1, vocabulary=6)
    yield case(rng, "as long as the model sees", rng.integers(0, 8, 2, 6), 3, 6, 1.5, vocabulary=8)
    # logits, temperature and how many tokens are likely: none of them has a bound
    many = {"sharp": 100 * math.log(15), "vocabulary": 256, "seed": 11, "apart": 0.125}
    hot = alike(rng, 2000, 4)
    yield case(rng, "many draws in training mode", hot, 1, 2, 100.0, training=True, **many)
    little = {"sharp": 0.0, "vocabulary": 8, "seed": 3, "apart": 0.0625, "lowest": -512.0}
    yield case(rng, "many draws of a dull model", alike(rng, 1500, 4), 3, 2, 0.0625, **little)
    mixed = rng.integers(0, 3, 1800, 2)
    yield case(rng, "many draws after other prompts", mixed, 1, 6, sharp=2.0, vocabulary=3)


exercise.promise("called with (batch, length)", "longer than the model sees")
exercise.promise("It may be in either", "a model in training mode", "room for all")
exercise.promise("at least one token a row.", "one token of a prompt")
exercise.promise("Not changed.", EVERY)
exercise.promise("at least 1.", "many draws")
exercise.promise(
    "how many tokens the model", "longer than the model sees", "the model sees one token"
)
exercise.promise("above 0.", "many cold draws", "many hot draws")
exercise.promise("on the device of the prompt", "many draws")
exercise.promise("the new tokens only, as int64.", EVERY)
exercise.promise("They need not carry", UNTRIED)


@exercise.oracle
def against_the_sums(model, prompt, count, longest, temperature, generator):
    """Draws by comparing one random number with the running sums of the probabilities."""
    was, tokens = model.training, prompt.clone()
    model.eval()
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens[:, -longest:])[:, -1].double() / temperature
            sums = logits.softmax(dim=-1).cumsum(dim=-1)
            drawn = torch.rand(
                len(tokens), 1, generator=generator, dtype=torch.float64, device=tokens.device
            )
            new = (sums < drawn).sum(dim=-1, keepdim=True).clamp(max=sums.size(-1) - 1)
            tokens = torch.cat([tokens, new], dim=1)
    model.train(was)
    return tokens[:, prompt.size(1) :]


@exercise.variant
@torch.no_grad()
def with_multinomial(model, prompt, count, longest, temperature, generator):
    was = model.training
    model.eval()
    tokens = prompt
    for _ in range(count):
        logits = model(tokens[:, -longest:])[:, -1]
        weights = torch.softmax(logits / temperature, dim=-1)
        new = torch.multinomial(weights, 1, generator=generator)
        tokens = torch.cat((tokens, new), dim=1)
    model.train(was)
    return tokens[:, -count:]


@exercise.variant
def row_by_row(model, prompt, count, longest, temperature, generator):
    training = model.training
    model.train(False)
    rows = prompt.new_empty(len(prompt), count)
    for at in range(count):
        seen = torch.cat([prompt, rows[:, :at]], dim=1)
        seen = seen[:, max(0, seen.size(1) - longest) :]
        with torch.inference_mode():
            logits = model(seen)[:, -1, :] / temperature
            found = torch.multinomial(logits.softmax(-1), num_samples=1, generator=generator)
        rows[:, at] = found.squeeze(1)
    model.train(training)
    return rows


@exercise.variant
def with_exponential_races(model, prompt, count, longest, temperature, generator):
    was, new = model.training, []
    model.eval()
    window = prompt[:, -longest:]
    for _ in range(count):
        logs = (model(window)[:, -1].detach() / temperature).log_softmax(dim=-1)
        times = torch.empty_like(logs).exponential_(generator=generator)
        new.append((logs - times.log()).argmax(dim=-1, keepdim=True))
        window = torch.cat([window, new[-1]], dim=1)[:, -longest:]
    if was:
        model.train()
    return torch.cat(new, dim=1)
