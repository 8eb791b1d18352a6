"""Small language models of four layers, each of which mixes tokens by softmax or by a state.

"softmax" has rotary positions. "gated delta" keeps a state for each head, as in Yang et al. (2025),
computed for a whole text at once. Queries, keys and values of both pass through a short causal
convolution, as is usual before a state. All models of a call train at once; their tensors have
`models` as first axis.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from recall import Params, adam, equal_rates
from torch import Tensor
from torch.nn import functional as F

D_MODEL, HEADS, CONV, MLP = 32, 2, 4, 64
DECAY = 3.0  # the logit of a decay at the start
STACKS = {
    "softmax": ("softmax",) * 4,
    "gated delta": ("gated delta",) * 4,
    "softmax first": ("softmax", *("gated delta",) * 3),
    "softmax last": (*("gated delta",) * 3, "softmax"),
    "none": ("none",) * 4,  # no more than the convolution
}
Mask = Callable[[Tensor], Tensor]  # from scores [..., queries, keys] to the keys that are read


@dataclass(frozen=True)
class Kind:
    stack: str = "softmax"
    d_k: int = 16
    vocabulary: int = 20


def new_models(kind: Kind, seeds: Sequence[int]) -> Params:
    each = [_new_model(kind, torch.Generator().manual_seed(seed)) for seed in seeds]
    return {name: torch.stack([one[name] for one in each]) for name in each[0]}


def _new_model(kind: Kind, rng: torch.Generator) -> Params:
    keys, values = HEADS * kind.d_k, D_MODEL
    width = 2 * keys + values
    shapes = {"embed": (kind.vocabulary, D_MODEL), "readout": (D_MODEL, kind.vocabulary)}
    for at in range(len(STACKS[kind.stack])):
        shapes |= {
            f"{at}.qkv": (D_MODEL, width),
            f"{at}.conv": (CONV, width),
            f"{at}.o": (values, D_MODEL),
            f"{at}.gates": (D_MODEL, 2 * HEADS),
            f"{at}.up": (D_MODEL, MLP),
            f"{at}.down": (MLP, D_MODEL),
        }
    made = {name: torch.randn(shape, generator=rng) / math.sqrt(shape[0])
            for name, shape in shapes.items()}  # fmt: skip
    made["embed"] *= math.sqrt(kind.vocabulary / D_MODEL)
    return made


def logits_of(models: Params, kind: Kind, tokens: Tensor, mask: Mask | None = None) -> Tensor:
    """Tokens [models, batch, length] to logits [models, batch, length, vocabulary]."""
    x = models["embed"][torch.arange(len(tokens))[:, None, None], tokens]
    for at, mixer in enumerate(STACKS[kind.stack]):
        part = {name.split(".")[1]: W for name, W in models.items() if name[0] == str(at)}
        x = x + mixed(norm(x), part, mixer, kind, mask)
        x = x + apply(F.gelu(apply(norm(x), part["up"])), part["down"])
    return apply(norm(x), models["readout"])


def norm(x: Tensor) -> Tensor:
    return F.rms_norm(x, x.shape[-1:])


def apply(x: Tensor, matrix: Tensor) -> Tensor:
    """Each model's matrix, applied to its batch. [models, batch, length, ...]"""
    return (x.flatten(1, 2) @ matrix).unflatten(1, x.shape[1:3])


def mixed(x: Tensor, part: Params, mixer: str, kind: Kind, mask: Mask | None) -> Tensor:
    qkv = convolved(apply(x, part["qkv"]), part["conv"])
    keys = HEADS * kind.d_k
    query, key, value = (
        each.unflatten(-1, (HEADS, -1)).transpose(2, 3)
        for each in qkv.split([keys, keys, D_MODEL], dim=-1)
    )  # [models, batch, heads, length, d_k or d_v]
    if mixer == "none":
        found = value
    elif mixer == "softmax":
        found = softmax(query, key, value, mask)
    else:
        beta, decay = apply(x, part["gates"]).transpose(2, 3).chunk(2, dim=2)
        unit = F.normalize(query, dim=-1), F.normalize(key, dim=-1)
        found = gated_delta(*unit, value, beta.sigmoid(), F.logsigmoid(decay + DECAY))
    return apply(found.transpose(2, 3).flatten(3), part["o"])


def convolved(x: Tensor, kernel: Tensor) -> Tensor:
    """A sum of each feature's last CONV tokens, with weights of its own."""
    padded = F.pad(x, (0, 0, CONV - 1, 0))
    length = x.size(2)
    parts = [padded[:, :, at : at + length] * kernel[:, None, None, at] for at in range(CONV)]
    return torch.stack(parts).sum(dim=0)


def softmax(query: Tensor, key: Tensor, value: Tensor, mask: Mask | None) -> Tensor:
    query, key = rotated(query), rotated(key)
    scores = query @ key.mT / math.sqrt(key.size(-1))
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    seen = seen if mask is None else seen & mask(scores.masked_fill(~seen, 0))
    return scores.masked_fill(~seen, -math.inf).softmax(dim=-1) @ value


def rotated(x: Tensor) -> Tensor:
    """Pairs of features turned by their position."""
    first, second = x.chunk(2, dim=-1)
    rates = 10_000.0 ** (-torch.arange(first.size(-1)) / first.size(-1))
    angles = torch.arange(x.size(-2))[:, None] * rates
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


def gated_delta(q: Tensor, k: Tensor, v: Tensor, beta: Tensor, log_decay: Tensor) -> Tensor:
    """The outputs of S_t = S' + b_t k_t^T (v_t - k_t S') with S' = a_t S_{t-1}, without a loop.

    What token t writes is k_t^T u_t, where u_t = b_t (v_t - sum over j < t of a_{j+1}..a_t (k_t
    k_j^T) u_j): a triangular system. beta, log_decay: [..., length], the others [..., length, d].
    """
    total = log_decay.cumsum(dim=-1)
    causal = torch.ones(q.size(-2), q.size(-2), dtype=torch.bool).tril()
    fade = (total[..., :, None] - total[..., None, :]).masked_fill(~causal, -math.inf).exp()
    system = beta[..., None] * fade * (k @ k.mT)  # read below its diagonal, which counts as 1
    written = torch.linalg.solve_triangular(
        system, beta[..., None] * v, upper=False, unitriangular=True
    )
    return (fade * (q @ k.mT)) @ written


def by_loop(q: Tensor, k: Tensor, v: Tensor, beta: Tensor, log_decay: Tensor) -> Tensor:
    """The same, token by token."""
    state, found = q.new_zeros(*q.shape[:-2], q.size(-1), v.size(-1)), []
    for t in range(q.size(-2)):
        row, state = k[..., t : t + 1, :], log_decay[..., t, None, None].exp() * state
        error = v[..., t : t + 1, :] - row @ state
        state = state + beta[..., t, None, None] * row.mT @ error
        found.append(q[..., t : t + 1, :] @ state)
    return torch.cat(found, dim=-2)


def losses(models: Params, kind: Kind, tokens: Tensor, counted: Tensor) -> Tensor:
    """Nats of the counted tokens, by model. tokens and counted: [models, batch, length]"""
    logits = logits_of(models, kind, tokens[..., :-1])
    nats = F.cross_entropy(logits.flatten(0, 2), tokens[..., 1:].flatten(), reduction="none")
    weight = counted[..., 1:].to(nats.dtype)
    return (nats.view(weight.shape) * weight).sum((1, 2)) / weight.sum((1, 2))


def train(
    kind: Kind, seeds: Sequence[int], rates: Sequence[float], steps: int,
    batch: Callable[[], tuple[Tensor, Tensor]],
    watch: Callable[[int, Params], None] = lambda step, models: None,
) -> Params:  # fmt: skip
    """Adam, its rate with warm-up and half a cosine; batch draws tokens and which are counted."""
    models, update = new_models(kind, seeds), adam()
    for tensor in models.values():
        tensor.requires_grad_()
    for step in range(steps):
        watch(step, models)
        each = losses(models, kind, *batch())
        gradients = torch.autograd.grad(each.sum(), list(models.values()), allow_unused=True)
        used = {name: g for name, g in zip(models, gradients, strict=True) if g is not None}
        factor = min(1.0, 10 * (step + 1) / steps) * (1 + math.cos(math.pi * step / steps)) / 2
        with torch.no_grad():
            update(models, used, equal_rates(models, [factor * rate for rate in rates]))
    return models
