"""Cases, oracle and variants of `bits_per_answer`."""

import math

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, Exercise, Finite, Model

exercise = Exercise(
    "bits_per_answer",
    points=3,
    difficulty=2,
    minutes=15,
    returns=("bits an answer", "the model afterwards"),
    read="12_language_model.html#bits-an-answer",
    properties=(Finite(),),
)

# Causal. The logits depend on all tokens before, on the order of the last two, and on the mode.
READER = """
class Reader(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.read = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        x = self.embed(tokens)
        counts = torch.arange(1, x.size(1) + 1, device=x.device)[:, None]
        x = x + x.cumsum(dim=1) / counts
        return self.read(x) / 2 if self.training else self.read(x)
"""
TOKEN, ANSWER, PADDING = ".a_"


def case(rng, name, *rows, training=False, dtype=torch.float32, size=1.0):
    """rows: for each token what it is. size: of the logits."""
    vocabulary, width = rng.integer(6, 10), rng.integer(3, 6)
    state = {
        "embed.weight": rng.normal(vocabulary, width),
        "read.weight": size * rng.normal(vocabulary, width),
        "read.bias": size * rng.normal(vocabulary),
    }
    construct = {"vocabulary": vocabulary, "width": width}
    model = Model(READER, state, construct, training=training).to(dtype)
    is_padding, answers = (torch.tensor([[each == kind for each in row] for row in rows])
                           for kind in (PADDING, ANSWER))  # fmt: skip
    tokens = rng.integers(1, vocabulary, *answers.shape).masked_fill(is_padding, 0)
    return Case(name, {"model": model, "tokens": tokens, "answers": answers})


@exercise.cases
def cases(rng):
    yield case(rng, "the last token of each row", ".....a", "..a___")
    yield case(rng, "answers apart", "..a.a..a", "....a___", "...a..a_")
    yield case(rng, "answers of several tokens", "..aaa.a", "...a...", ".a.....")
    yield case(rng, "a row without an answer", ".......", "..a.aa_", "....___")
    yield case(rng, "a model in training mode", "..a.a", "...a.", training=True)


@exercise.secret_cases
def secret_cases(rng):
    length = rng.integer(7, 11)
    rows = ["." + "".join(".a"[rng.integer(0, 2)] for _ in range(length)) for _ in range(4)]
    yield case(rng, "many answers", "." * (length - 2) + "aa.", *rows, training=True)
    yield case(rng, "one answer in all", "......", "...a..", "....__")
    yield case(rng, "one row", "..a..aa.")
    yield case(rng, "float64", "...a.a", ".a.a__", dtype=torch.float64)
    yield case(rng, "what is nearly impossible", "...a.aa", "..aa___", size=400.0)


exercise.promise("causal; called with (batch", EVERY)
exercise.promise("It may be in either", "a model in training mode", "answers apart")
exercise.promise("Its weights are not changed.", EVERY)
exercise.promise("rows that are padded", "the last token of each row", "answers apart")
exercise.promise("Not changed.", EVERY)
exercise.promise("True where a token is", EVERY)
exercise.promise("At least one is, and none", "one answer in all", "a row without an answer")
exercise.promise("a Python number", EVERY)


@exercise.oracle
def answer_by_answer(model, tokens, answers):
    """Each answer after the tokens before it, without what follows."""
    was, bits = model.training, []
    model.eval()
    for row, at in answers.nonzero().tolist():
        logits = model(tokens[row : row + 1, :at])[0, -1].detach().double()
        bits.append(float(logits.logsumexp(0) - logits[tokens[row, at]]) / math.log(2))
    model.train(was)
    return math.fsum(bits) / len(bits)


@exercise.variant
def with_selected_logits(model, tokens, answers):
    was = model.training
    model.eval()
    with torch.no_grad():
        logits = model(tokens[:, :-1])
    model.train(was)
    marks = answers[:, 1:]
    return F.cross_entropy(logits[marks], tokens[:, 1:][marks]).item() / math.log(2)


@exercise.variant
def with_ignored_targets(model, tokens, answers):
    mode = model.training
    model.train(False)
    targets = torch.where(answers, tokens, -100)[:, 1:]
    with torch.inference_mode():
        logits = model(tokens)[:, :-1].transpose(1, 2)
        loss = F.cross_entropy(logits, targets, ignore_index=-100)
    model.train(mode)
    return float(loss / math.log(2))


@exercise.variant
@torch.no_grad()
def with_a_mean_of_weights(model, tokens, answers):
    was = model.training
    model.eval()
    found = model(tokens).log_softmax(dim=-1).roll(1, dims=1)
    bits = -found.gather(-1, tokens.unsqueeze(-1)).squeeze(-1) / math.log(2)
    if was:
        model.train()
    return ((bits * answers).sum() / answers.sum()).item()


@exercise.variant
def row_by_row(model, tokens, answers):
    """In one long row: no pair of two rows is marked."""
    was = model.training
    model.eval()
    logits = torch.cat([model(row[None]).detach()[0] for row in tokens])
    model.train(was)
    total, count = 0.0, 0
    places = answers.flatten().nonzero().flatten().tolist()
    for place in places:
        total -= logits[place - 1].double().log_softmax(0)[tokens.flatten()[place]].item()
        count += 1
    return total / count / math.log(2)
