"""Cases, oracle and variants of `bits_per_byte`."""

import math

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, Exercise, Finite, Model

from .train_bpe import ROUGH

exercise = Exercise(
    "bits_per_byte",
    points=4,
    difficulty=4,
    minutes=30,
    returns=("bits a byte", "the model afterwards"),
    read="12_language_model.html#bits-a-byte",
    properties=(Finite(),),
)

# The logits depend on the whole context, on the position, and on the mode, as with dropout.
READER = """
class Reader(nn.Module):
    def __init__(self, vocabulary, longest, width):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(longest, width)
        self.read = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        if tokens.size(1) > self.positions.num_embeddings:
            raise ValueError(f"{tokens.size(1)} tokens, and no position for all of them")
        x = self.embed(tokens)
        counts = torch.arange(1, x.size(1) + 1, device=x.device)[:, None]
        x = x + x.cumsum(dim=1) / counts + self.positions.weight[: x.size(1)]
        return self.read(x) / 2 if self.training else self.read(x)
"""


def case(rng, name, tokens, text, length, stride, training=False, dtype=torch.float32, size=1.0):
    """tokens: how many, the start among them. size: of the logits."""
    vocabulary, width = rng.integer(5, 9), rng.integer(3, 6)
    state = {
        "embed.weight": rng.normal(vocabulary, width),
        "positions.weight": rng.normal(length, width),
        "read.weight": size * rng.normal(vocabulary, width),
        "read.bias": size * rng.normal(vocabulary),
    }
    construct = {"vocabulary": vocabulary, "longest": length, "width": width}
    model = Model(READER, state, construct, training=training).to(dtype)
    given = rng.integers(1, vocabulary, tokens)
    given[0] = 0
    sizes = {"length": length, "stride": stride}
    return Case(name, {"model": model, "tokens": given, "text": text, **sizes}, terms=tokens)


@exercise.cases
def cases(rng):
    yield case(rng, "one window", 5, "a tokenizer", 6, 3)
    yield case(rng, "windows side by side", 13, "as many windows as fit", 4, 4)
    yield case(rng, "windows that overlap", 14, "half of each window is context", 6, 3)
    yield case(rng, "an end that does not fit", 12, "\ta longer text", 5, 2)
    yield case(rng, "letters of several bytes", 9, f"{ROUGH}日本語     ", 4, 2)
    yield case(rng, "a model in training mode", 11, "dropout is off now", 6, 4, training=True)


@exercise.secret_cases
def secret_cases(rng):
    length = rng.integer(5, 9)
    tokens = 3 * length + 2
    yield case(rng, "as long as one window", length + 1, "äöü and more", length, 2)
    yield case(rng, "one token more than a window", length + 2, "ß", length, length - 1)
    yield case(rng, "a stride of one", tokens, "one by one — ∑", length, 1, training=True)
    yield case(rng, "two tokens", 2, "x", 3, 1, size=0.3)  # a sure guess would cost nearly nothing
    yield case(rng, "an end that fits", 2 * length + 1, "the end", length, length)
    yield case(rng, "float64", tokens, "naïve", length, 3, dtype=torch.float64)
    yield case(rng, "windows of one", 6, "short", 1, 1)
    yield case(rng, "what is nearly impossible", tokens, "hardly", length, 2, size=400.0)


exercise.promise("called with (1, inputs)", EVERY)
exercise.promise("It may be in either", "a model in training mode", "one window")
exercise.promise("Its weights are not changed.", EVERY)
exercise.promise("the start and then", "two tokens", "one window")
exercise.promise("with at least one character.", "two tokens")
exercise.promise("of a window.", "windows of one", "windows side by side")
exercise.promise("from the beginning", "a stride of one", "windows side by side")
exercise.promise("a Python number", EVERY)


@exercise.oracle
def target_by_target(model, tokens, text, length, stride):
    """For each target the first window that has it, and the whole window anew."""
    was = model.training
    model.eval()
    bits = 0.0
    for at in range(1, len(tokens)):
        start = next(s for s in range(0, len(tokens), stride) if s + length >= at)
        logits = model(tokens[None, start:at])[0, -1].detach().double()
        bits -= float(logits[tokens[at]] - logits.logsumexp(0)) / math.log(2)
    model.train(was)
    return bits / len(text.encode())


@exercise.variant
def window_by_window(model, tokens, text, length, stride):
    was, total, done = model.training, 0.0, 0
    model.eval()
    with torch.no_grad():
        for start in range(0, len(tokens) - 1, stride):
            piece = tokens[start : start + length + 1]
            new = start + len(piece) - 1 - done
            if new <= 0:
                break
            logits = model(piece[None, :-1])[0]
            total += F.cross_entropy(logits[-new:], piece[-new:], reduction="sum").item()
            done += new
    model.train(was)
    return total / math.log(2) / len(text.encode("utf-8"))


@exercise.variant
def with_a_list_of_losses(model, tokens, text, length, stride):
    training = model.training
    model.train(False)
    losses: list[float | None] = [None] * (len(tokens) - 1)
    for start in range(0, len(tokens) - 1, stride):
        end = min(start + length, len(tokens) - 1)
        with torch.inference_mode():
            found = model(tokens[start:end].unsqueeze(0)).log_softmax(dim=-1)[0]
        for at in range(start, end):
            if losses[at] is None:
                losses[at] = -found[at - start, tokens[at + 1]].item() / math.log(2)
    model.train(training)
    return sum(loss or 0.0 for loss in losses) / len(bytes(text, "utf-8"))


@exercise.variant
@torch.no_grad()
def with_ignored_targets(model, tokens, text, length, stride):
    was = model.training
    model.eval()
    bits, counted = torch.zeros((), dtype=torch.float64), 0
    start = 0
    while counted < len(tokens) - 1:
        inputs = tokens[start : start + length]
        targets = tokens[start + 1 : start + length + 1].clone()
        inputs = inputs[: len(targets)]
        targets[: counted - start] = -100
        logits = model(inputs[None]).squeeze(0)
        loss = F.cross_entropy(logits, targets, reduction="none", ignore_index=-100)
        bits += loss.double().sum().cpu() / math.log(2)
        counted = start + len(targets)
        start += stride
    if was:
        model.train()
    return float(bits) / len(text.encode())
