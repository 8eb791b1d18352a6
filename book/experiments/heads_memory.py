"""Claims 7, 13, 21 and what a bias does: bytes and parameters of multi-head attention, counted.

Bytes are those of the tensors that operations make, counted on the `meta` device, where tensors
have shapes and no contents; at a small length the same count is taken on the CPU and compared.
"""

from typing import Any

import torch
from heads_attention import MultiHeadAttention, RotaryAttention, causal, packed
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from verdicts import claim

LENGTH, D_MODEL, HEADS = 2048, 768, 12
SEEDS = range(5)
MIB = 2**20
WIDTHS = (16, 48, 96, 192, 384, 768)  # of the packed layers that are loaded
LOAD_HEADS = (1, 2, 3, 4, 6, 8, 12)

CLAIMS = [
    claim(
        7,
        "At length 2048 the weights are 4 M floats, about 16 MB per layer and sample.",
        "{entries} floats and {one_head} for one head; with {heads} heads {all_heads} per layer "
        "and sample. On the CPU, training with dropout keeps {kept} of that shape, "
        "{kept_bytes}. There, `F.scaled_dot_product_attention` makes no tensor larger than {fused} "
        "where it takes the flash kernel, as here without dropout; with dropout its largest is "
        "{fused_dropout}.",
        "holds if",
        "there is one head and the weights are written to memory",
        scope="float32, counted",
        control="An error of the count: at length 64, the CPU allocates as many bytes as are "
        "counted on the `meta` device, where tensors have no contents.",
        stands=lambda n: (
            n.entries == 2**22
            and n.one_head == 16
            and n.all_heads == 16 * n.heads
            and n.fused < n.one_head
            and n.fused_dropout >= n.all_heads
        ),
    ),
    claim(
        13,
        "A SelfAttention(d_model, d_k) whose value projection maps from d_k to d_model works for "
        "any d_k.",
        "Of {pairs} pairs of widths, {pairs_run} ran, those with d_k = d_model; the others raised "
        "{pairs_error}.",
        "false",
        "only equal widths run",
        scope="widths from 4 to 64, run once each",
        control="Another mistake in the class: with equal widths, in {pairs_equal} of the pairs, "
        "the same lines run.",
        stands=lambda n: n.pairs_run < n.pairs,
    ),
    claim(
        21,
        "Multi-head attention costs about the same parameters as one wide head.",
        "At d_model = {d_model}, with 1 to {heads} heads, always {with_bias} (without biases "
        "{without_bias}). A single head without W_o has {no_output} of that. A head that keeps "
        "the full width, times {heads}: {full_heads}.",
        "holds if",
        "the heads share d_model among them and the one wide head has a W_o as well",
        scope="width 768, counted",
        control="A module that is not the usual one: the parameters of {loaded} of PyTorch's own "
        "layers load into it, none is left over or missing, and the output is the same but for "
        "{load_error}.",
        stands=lambda n: n.no_output == 0.75 and n.full_heads > 10 * n.with_bias,
    ),
]


class Allocations(TorchDispatchMode):
    """Collects (operation, shape, bytes) of each tensor that an operation makes."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[tuple[str, tuple[int, ...], int]] = []

    def __torch_dispatch__(
        self, operation: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = operation(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(tensor, Tensor):
                made = (operation.overloadpacket.__name__, tuple(tensor.shape), tensor.nbytes)
                self.made.append(made)
        return result


def square_bytes(length: int, num_heads: int, device: str) -> tuple[int, int, int]:
    """Bytes of the weights; how many tensors of that shape autograd keeps, and their bytes."""
    layer = MultiHeadAttention(D_MODEL, num_heads, dropout=0.1).to(device)
    x = torch.empty(1, length, D_MODEL, device=device).normal_()
    kept: dict[int, Tensor] = {}  # by storage, since two operations may keep the same tensor

    def pack(tensor: Tensor) -> Tensor:
        kept[id(tensor.untyped_storage())] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        _, weights = layer(x, x, x)
    square = [tensor.nbytes for tensor in kept.values() if tensor.numel() == weights.numel()]
    return weights.nbytes, len(square), sum(square)


def fused_bytes(dropout: float = 0.0) -> int:
    """The largest tensor that `F.scaled_dot_product_attention` makes on the CPU, in bytes."""
    query = torch.zeros(1, HEADS, LENGTH, D_MODEL // HEADS)
    with torch.no_grad(), Allocations() as log:
        F.scaled_dot_product_attention(query, query, query, dropout_p=dropout)
    return max(size for _, _, size in log.made)


class NarrowSelfAttention(nn.Module):
    """The module of claim 13: values are projected from d_k to d_model."""

    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__()
        self.W_q, self.W_k = nn.Linear(d_model, d_k), nn.Linear(d_model, d_k)
        self.W_v = nn.Linear(d_k, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(self.W_q(x), self.W_k(x), self.W_v(x))


def error_of(d_model: int, d_k: int) -> str:
    """The name of the error that a forward pass raises; empty when it runs."""
    try:
        NarrowSelfAttention(d_model, d_k)(torch.zeros(1, 3, d_model))
    except RuntimeError as error:
        return type(error).__name__
    return ""


def parameters(num_heads: int, bias: bool) -> int:
    layer = MultiHeadAttention(D_MODEL, num_heads, bias=bias)
    return sum(parameter.numel() for parameter in layer.parameters())


def moved(layer: MultiHeadAttention, name: str, seed: int) -> float:
    """How far the output moves, relative to its size, when a bias becomes random numbers."""
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(2, 9, 64, dtype=torch.float64, generator=rng)
    bias = getattr(layer, f"W_{name}").bias
    outputs = []
    for _ in range(2):
        bias.data.normal_(generator=rng)
        outputs.append(layer(x, x, x, causal(9))[0])
    return difference(*outputs)


def difference(before: Tensor, after: Tensor) -> float:
    return ((after - before).norm() / before.norm()).item()


@torch.no_grad()
def idle_biases(seed: int) -> dict[str, float]:
    """What random biases do to the output, with rotary positions and without.

    For W_v: when its bias is removed and W_o's takes over W_o b_v.
    """
    torch.manual_seed(seed)
    layer, rotary = MultiHeadAttention(64, 4).double(), RotaryAttention(64, 4).double()
    found = {name: moved(layer, name, seed) for name in "qk"}
    found |= {f"{name}_rotary": moved(rotary, name, seed) for name in "qk"}
    x = torch.randn(2, 9, 64, dtype=torch.float64)
    layer.W_v.bias.normal_()
    before = layer(x, x, x, causal(9))[0]
    layer.W_o.bias.add_(layer.W_o.weight @ layer.W_v.bias)
    layer.W_v.bias.zero_()
    return found | {"v": difference(before, layer(x, x, x, causal(9))[0])}


def load_error(d_model: int, num_heads: int, bias: bool) -> float:
    """Largest difference of outputs and weights after loading PyTorch's layer, float64."""
    torch.manual_seed(0)
    theirs = nn.MultiheadAttention(d_model, num_heads, bias=bias, batch_first=True).double()
    for parameter in theirs.parameters():
        nn.init.normal_(parameter, std=d_model**-0.5)
    ours = MultiHeadAttention(d_model, num_heads, bias=bias).double()
    ours.load_state_dict(packed(theirs))
    x = torch.randn(2, 7, d_model, dtype=torch.float64)
    expected = theirs(x, x, x, attn_mask=~causal(7), average_attn_weights=False)
    found = ours(x, x, x, causal(7))
    return max((e - f).abs().max().item() for e, f in zip(expected, found, strict=True))


def memory() -> Numbers:
    one = square_bytes(LENGTH, 1, "meta")[0]
    every, kept, kept_bytes = square_bytes(LENGTH, HEADS, "meta")
    small = [square_bytes(64, HEADS, device) for device in ("meta", "cpu")]
    if small[0] != small[1]:
        raise RuntimeError(f"meta and cpu count differently: {small}")
    return {
        "length": number(LENGTH, "d"),
        "entries": number(LENGTH**2, ",d"),
        "one_head": number(one / MIB, ".0f", "MiB"),
        "all_heads": number(every / MIB, ".0f", "MiB"),
        "kept": number(kept, "d", "tensors"),
        "kept_bytes": number(kept_bytes / MIB, ".0f", "MiB"),
        "fused": number(fused_bytes() / MIB, ".0f", "MiB"),
        "fused_dropout": number(fused_bytes(0.1) / MIB, ".0f", "MiB"),
    }


def measure() -> tuple[Numbers, Series]:
    numbers = memory()
    widths = [(d_model, d_k) for d_model in (8, 16, 64) for d_k in (4, 8, 16, 64)]
    errors = [error_of(*pair) for pair in widths]
    numbers |= {
        "pairs": number(len(widths), "d"),
        "pairs_run": number(errors.count(""), "d"),
        "pairs_error": number(" and ".join(sorted(set(errors) - {""}))),
        "pairs_equal": number(sum(d_model == d_k for d_model, d_k in widths), "d"),
        "d_model": number(D_MODEL, "d"),
        "heads": number(HEADS, "d"),
    }
    counts = {bias: {parameters(heads, bias) for heads in LOAD_HEADS} for bias in (True, False)}
    (with_bias,), (without,) = counts[True], counts[False]  # one number each, whatever the heads
    numbers |= {
        "with_bias": number(with_bias, ",d"),
        "without_bias": number(without, ",d"),
        "biases": number(1 - without / with_bias, ".2%"),
        "no_output": number(3 * D_MODEL**2 / without, ".0%"),
        "full_heads": number(4 * D_MODEL**2 * HEADS, ",d"),
    }
    idle = [idle_biases(seed) for seed in SEEDS]
    numbers |= {f"bias_{name}": number([one[name] for one in idle], ".0e") for name in "kv"}
    for name in ("q", "q_rotary", "k_rotary"):
        numbers[f"bias_{name}"] = number([one[name] for one in idle], ".0%")
    loads = [(d, h, b) for d in WIDTHS for h in LOAD_HEADS for b in (True, False) if d % h == 0]
    numbers["loaded"] = number(len(loads), "d")
    numbers["load_error"] = number(max(load_error(*load) for load in loads), ".0e")
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
