"""A task that needs attention, and many small models that learn it side by side.

A sequence holds pairs of a name and a value. Asked for one of the names, a model has to return the
value beside it, which changes from sequence to sequence: it must find the pair by its name. One
attention suffices. All models of a call train at once; their tensors have `models` as first axis.
"""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

NAMES, VALUES, PAIRS, D_MODEL = 16, 16, 8, 32
Params = dict[str, Tensor]
Batch = tuple[Tensor, Tensor, Tensor, Tensor]  # names, values [batch, pairs]; asked, answer [batch]
Rates = dict[str, Tensor]  # each parameter's learning rate, [models, 1, 1]
Update = Callable[[Params, Params, Rates], None]  # parameters, gradients, learning rates


def new_models(
    seeds: Sequence[int], d_k: int, gain: float, dtype: torch.dtype = torch.float32
) -> Params:
    """One model per seed. Entries of W_q and W_k have the standard deviation gain / sqrt(d_model),
    which gives queries and keys entries of that gain, because the layer's inputs are normalised.
    """
    each = [_new_model(torch.Generator().manual_seed(seed), d_k, gain) for seed in seeds]
    return {name: torch.stack([model[name] for model in each]).to(dtype) for name in each[0]}


def _new_model(rng: torch.Generator, d_k: int, gain: float) -> Params:
    shapes = {"name": (NAMES, D_MODEL), "value": (VALUES, D_MODEL), "W_q": (D_MODEL, d_k)}
    shapes |= {"W_k": (D_MODEL, d_k), "W_v": (D_MODEL, D_MODEL), "W_o": (D_MODEL, VALUES)}
    made = {name: torch.randn(shape, generator=rng) for name, shape in shapes.items()}
    size = {"W_q": gain, "W_k": gain, "W_v": 1.0, "W_o": 1.0}
    return {
        name: x * size[name] / math.sqrt(D_MODEL) if name in size else x for name, x in made.items()
    }


def sample(rng: torch.Generator, batch: int = 32) -> Batch:
    """Sequences of distinct names, each with a random value, and the name that is asked for."""
    names = torch.rand(batch, NAMES, generator=rng).argsort(dim=-1)[:, :PAIRS]
    values = torch.randint(VALUES, (batch, PAIRS), generator=rng)
    at = torch.randint(PAIRS, (batch, 1), generator=rng)
    return names, values, names.gather(1, at)[:, 0], values.gather(1, at)[:, 0]


def score(models: Params, batch: Batch, scale: float) -> tuple[Tensor, Tensor]:
    """Scores [models, batch, pairs] and the normalised pairs [models, batch, pairs, d_model]."""
    names, values, asked, _ = batch
    pairs = _normalised(_look_up(models["name"], names) + _look_up(models["value"], values))
    query = _normalised(_look_up(models["name"], asked)) @ models["W_q"]  # [models, batch, d_k]
    # q (x W_k)^T = (q W_k^T) x^T: the same scores without d_k numbers for each key
    back = query @ models["W_k"].mT  # [models, batch, d_model]
    return (pairs @ back[..., None])[..., 0] * scale, pairs


def _look_up(tables: Tensor, index: Tensor) -> Tensor:
    """Each model's embeddings of the same symbols: [models, *index.shape, d_model]."""
    return tables.index_select(1, index.flatten()).unflatten(1, index.shape)


def _normalised(x: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:])


def answer(models: Params, batch: Batch, scale: float) -> tuple[Tensor, Tensor]:
    """Logits of the values [models, batch, values] and the scores they came from."""
    scores, pairs = score(models, batch, scale)
    weights = scores.softmax(dim=-1)  # [models, batch, pairs]
    output = (weights[..., None, :] @ pairs)[..., 0, :] @ models["W_v"]
    return output @ models["W_o"], scores


def losses(models: Params, batch: Batch, scale: float) -> Tensor:
    """Cross-entropy in nats of each model. [models]"""
    logits, _ = answer(models, batch, scale)
    target = batch[3].expand(logits.shape[:2])
    return F.cross_entropy(logits.mT, target, reduction="none").mean(dim=-1)


def train(
    models: Params, scale: float, update: Update, rates: Rates, steps: int, seed: int = 0
) -> Tensor:
    """Train in place; every model sees the same batches. Returns losses [steps, models]."""
    rng, curve = torch.Generator().manual_seed(90_000 + seed), []
    for tensor in models.values():
        tensor.requires_grad_()
    for _ in range(steps):
        each = losses(models, sample(rng), scale)
        gradients = torch.autograd.grad(each.sum(), list(models.values()))
        with torch.no_grad():
            update(models, dict(zip(models, gradients, strict=True)), rates)
        curve.append(each.detach())
    return torch.stack(curve)


def sgd(momentum: float = 0.9) -> Update:
    """Gradient descent with momentum, as in torch.optim.SGD."""
    velocity: Params = {}

    def update(models: Params, gradients: Params, rates: Rates) -> None:
        for name, gradient in gradients.items():
            velocity[name] = momentum * velocity[name] + gradient if name in velocity else gradient
            models[name] -= rates[name] * velocity[name]

    return update


def adam(eps: dict[str, float] | None = None) -> Update:
    """Adam with the defaults of torch.optim.Adam; `eps` may differ between parameters."""
    mean: Params = {}
    square: Params = {}
    count = 0

    def update(models: Params, gradients: Params, rates: Rates) -> None:
        nonlocal count
        count += 1
        for name, gradient in gradients.items():
            if name not in mean:
                mean[name], square[name] = torch.zeros_like(gradient), torch.zeros_like(gradient)
            mean[name].lerp_(gradient, 0.1)
            square[name].mul_(0.999).addcmul_(gradient, gradient, value=0.001)
            size = (square[name] / (1 - 0.999**count)).sqrt_().add_((eps or {}).get(name, 1e-8))
            models[name] -= torch.div(mean[name], size).mul_(rates[name] / (1 - 0.9**count))

    return update


def equal_rates(models: Params, rates: Sequence[float]) -> Rates:
    """One learning rate per model, the same for all its parameters."""
    tensor = torch.tensor(rates)[:, None, None]
    return dict.fromkeys(models, tensor)
