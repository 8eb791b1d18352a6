"""Cases, oracle and variants of `train_step`."""

import torch
import torch.nn.functional as F

from autograder.author import EVERY, UNTRIED, Case, Exercise, Model, Optimizer

exercise = Exercise(
    "train_step",
    points=5,
    difficulty=4,
    minutes=35,
    returns=("the loss", "the model afterwards", "the optimizer afterwards"),
    read="12_language_model.html#one-step",
)

# Each token sees the mean of the tokens up to its own; outside training the logits are halved, as
# a model with dropout would have others there.
SMALL = """
class Small(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.read = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        x = self.embed(tokens)
        counts = torch.arange(1, x.size(1) + 1, device=x.device)[:, None]
        x = x + x.cumsum(dim=1) / counts
        return self.read(x) if self.training else self.read(x) / 2
"""
SGD = {"lr": 0.3, "momentum": 0.9}
ADAM = {"lr": 0.05, "betas": (0.9, 0.95), "weight_decay": 0.1}
TABLES, BIAS = ["embed.weight", "read.weight"], ["read.bias"]
IN_GROUPS = ADAM | {"params": [{"params": BIAS, "weight_decay": 0.0}, {"params": TABLES}]}


def case(rng, name, shape, clip, *, kind="SGD", settings=SGD, ends=(), stale=False, training=True,
         held=False, size=1.0, dtype=torch.float32):  # fmt: skip
    """shape: batch, length, vocabulary, width. ends: by row, from where the targets are ignored.

    stale: gradients are left of an earlier step. held: the optimiser has a state already.
    """
    batch, length, vocabulary, width = shape
    shapes = {
        "embed.weight": (vocabulary, width),
        "read.weight": (vocabulary, width),
        "read.bias": (vocabulary,),
    }
    state = {part: size * rng.normal(*of) for part, of in shapes.items()}
    left = {part: rng.normal(*of) for part, of in shapes.items()} if stale else None
    inner = {}
    if held and kind == "SGD":
        inner = {part: {"momentum_buffer": rng.normal(*of) / 4} for part, of in shapes.items()}
    elif held:
        for part, of in shapes.items():
            mean, square = rng.normal(*of) / 10, 0.02 + rng.normal(*of).square() / 50
            inner[part] = {"step": 3, "exp_avg": mean, "exp_avg_sq": square}
    tokens = rng.integers(0, vocabulary, batch, length + 1)
    tokens[:, 0] = 0  # the start
    targets = tokens[:, 1:].clone()
    for row, end in enumerate(ends):
        targets[row, end:] = -100
    construct = {"vocabulary": vocabulary, "width": width}
    model = Model(SMALL, state, construct, training=training, gradients=left).to(dtype)
    optimizer = Optimizer(kind, "model", settings, inner).to(dtype)
    inputs = {"model": model, "inputs": tokens[:, :-1].clone(), "targets": targets}
    return Case(name, {**inputs, "optimizer": optimizer, "clip": clip})


@exercise.cases
def cases(rng):
    yield case(rng, "a large gradient", (2, 5, 7, 4), 0.25, size=2.0)
    yield case(rng, "a small gradient", (3, 4, 6, 5), 50.0)
    yield case(rng, "gradients of the step before", (2, 4, 5, 3), 20.0, stale=True)
    yield case(rng, "ignored targets", (3, 6, 7, 4), 30.0, ends=(6, 2, 0))
    yield case(rng, "a model in evaluation mode", (2, 5, 6, 4), 25.0, training=False)
    yield case(rng, "momentum of earlier steps", (2, 3, 5, 4), 0.5, held=True)
    yield case(rng, "AdamW", (3, 5, 6, 4), 0.2, kind="AdamW", settings=ADAM, held=True)


@exercise.secret_cases
def secret_cases(rng):
    length = rng.integer(4, 8)
    given = {"stale": True, "training": False, "ends": (length, 3), "held": True}
    yield case(rng, "all at once", (2, length, 9, 5), 0.3, **given)
    given |= {"kind": "AdamW", "settings": IN_GROUPS}
    yield case(rng, "all at once, AdamW", (2, length, 8, 6), 0.1, **given)
    yield case(rng, "one sequence", (1, length, 5, 4), 40.0, settings={"lr": 0.5})
    yield case(rng, "one token", (3, 1, 6, 4), 0.4, settings={"lr": 1.0})
    # no clipping: torch adds 1e-6 to the norm, which float64 shows
    yield case(rng, "float64", (2, length, 6, 3), 60.0, dtype=torch.float64)


exercise.promise("called with inputs", EVERY)
exercise.promise("tokens.", EVERY)
exercise.promise("the next tokens, or -100", "ignored targets", "all at once")
exercise.promise("At least one is a token.", "ignored targets")
exercise.promise(
    "of all parameters of the model", "AdamW", "momentum of earlier steps", "all at once, AdamW"
)
exercise.promise("the largest norm of all gradients", "a large gradient", "a small gradient")
exercise.promise("the loss before the step", EVERY)
exercise.promise("The model is in training", "a model in evaluation mode")
exercise.promise("The gradients left afterwards", UNTRIED)


@exercise.oracle
def clipped_by_hand(model, inputs, targets, optimizer, clip):
    model.train()
    logs = model(inputs).log_softmax(dim=-1)
    counted = targets != -100
    chosen = logs.gather(-1, targets.clamp(min=0)[..., None]).squeeze(-1)
    loss = -(chosen * counted).sum() / counted.sum()
    parameters = list(model.parameters())
    gradients = torch.autograd.grad(loss, parameters)
    norm = torch.stack([gradient.square().sum() for gradient in gradients]).sum().sqrt()
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient * (clip / norm).clamp(max=1.0)
    optimizer.step()
    return loss.detach()


@exercise.variant
def with_torch(model, inputs, targets, optimizer, clip):
    model.train()
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return loss.detach()


@exercise.variant
def cleared_afterwards_too(model, inputs, targets, optimizer, clip):
    model.train(True)
    model.zero_grad(set_to_none=False)
    logits = model(inputs)
    loss = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=-100, reduction="sum")
    loss = loss / (targets != -100).sum()
    loss.backward()
    norm = torch.cat([parameter.grad.flatten() for parameter in model.parameters()]).norm()
    if norm > clip:
        for parameter in model.parameters():
            parameter.grad.mul_(clip / norm)
    optimizer.step()
    optimizer.zero_grad()
    return loss.detach().clone()


@exercise.variant
def of_the_counted_places_only(model, inputs, targets, optimizer, clip):
    optimizer.zero_grad()
    model.train()
    seen = targets >= 0
    loss = F.nll_loss(model(inputs)[seen].log_softmax(dim=1), targets[seen])
    loss.backward()
    groups = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    torch.nn.utils.clip_grad_norm_(groups, max_norm=clip, norm_type=2.0)
    optimizer.step()
    with torch.no_grad():
        return loss + 0
