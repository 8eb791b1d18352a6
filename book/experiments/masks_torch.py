"""Claim 16: what do PyTorch's own functions take a mask to mean?

The two functions that take a mask are probed with one mask and the same projections: which keys get
the weight, what an empty row gives, and where `is_causal` puts its diagonal. (Of the five texts,
0, 1 and 2 write 1 or True for "may attend", 4 True for "may not attend"; 3 has no masks.)
"""

import math
from itertools import product

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from torch.nn import functional as F
from verdicts import claim

SEEDS = range(5)
DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
D_MODEL, LENGTH, CACHED = 8, 5, 3
PADDED = torch.tensor([1, 1, 1, 0, 0]).bool()  # a sentence of three and two paddings
MASK = torch.tensor([[1, 0, 0], [0, 0, 0], [1, 1, 1]]).bool()  # the second row is empty
SHAPES = ((3, 4), (1, 2, 3, 4))  # PyTorch computes them by its formula and by its kernel

CLAIMS = [
    claim(
        16,
        "A mask says which positions count.",
        "Of the weight, the keys marked True get {sdpa_true} in `F.scaled_dot_product_attention` "
        "and {mha_true} in `nn.MultiheadAttention`. Passing the same mask to both raises no "
        "error.",
        "holds if",
        "the polarity is written down",
        scope="PyTorch's two functions on the CPU, five keys, untrained",
        control="The functions could differ in more than the polarity: they share projections, and "
        "with the mask inverted they agree to {agreement}.",
        stands=lambda n: (
            abs(n.sdpa_true - 1) < 1e-5 and abs(n.mha_true) < 1e-5 and n.agreement < 1e-5
        ),
    )
]


def layer(seed: int) -> tuple[nn.MultiheadAttention, Tensor]:
    torch.manual_seed(seed)
    layer = nn.MultiheadAttention(D_MODEL, 1, bias=False, batch_first=True).eval()
    return layer, torch.randn(1, LENGTH, D_MODEL)


def by_hand(layer: nn.MultiheadAttention, x: Tensor, value: Tensor | None = None) -> Tensor:
    """The layer's projections around F.scaled_dot_product_attention, padding hidden."""
    query, key, projected = (x @ layer.in_proj_weight.T).chunk(3, dim=-1)
    mask = PADDED.expand(LENGTH, LENGTH)  # [queries, keys]
    value = projected if value is None else value
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)


@torch.no_grad()
def polarity(seed: int) -> dict[str, float]:
    """Weight on the keys marked True, and how far the two functions agree after a conversion."""
    attention, x = layer(seed)
    weights = by_hand(attention, x, value=torch.eye(LENGTH)[None])  # output = weights
    _, taken = attention(x, x, x, key_padding_mask=PADDED[None])
    converted, _ = attention(x, x, x, key_padding_mask=~PADDED[None])
    difference = by_hand(attention, x) @ attention.out_proj.weight.T - converted
    return {
        "sdpa_true": weights[..., PADDED].sum(dim=-1).mean().item(),
        "mha_true": taken[..., PADDED].sum(dim=-1).mean().item(),
        "agreement": difference.abs().max().item(),
    }


def empty_row(
    dtype: torch.dtype, added: bool, shape: tuple[int, ...], seed: int
) -> tuple[float, int]:
    """F.sdpa on a row without a key: its largest output, and how many gradients are NaN."""
    rng = torch.Generator().manual_seed(seed)
    query, key, value = made = [
        torch.randn(shape, generator=rng).to(dtype).requires_grad_() for _ in range(3)
    ]
    mask = torch.zeros(3, 3, dtype=dtype).masked_fill(~MASK, -math.inf) if added else MASK
    output = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    gradients = torch.autograd.grad(output.sum(), made)
    nans = sum(int(gradient.isnan().sum()) for gradient in gradients)
    return output[..., 1, :].abs().max().item(), nans


@torch.no_grad()
def empty_row_of_layer(need_weights: bool, seed: int) -> bool:
    """Is nn.MultiheadAttention's output NaN where a row has no key?"""
    attention, x = layer(seed)
    x = x[:, :3]
    output, _ = attention(x, x, x, attn_mask=~MASK, need_weights=need_weights)
    return bool(output[0, 1].isnan().any())


@torch.no_grad()
def empty_row_in_evaluation(seed: int) -> bool:
    """The same for a layer as it is by default, with two heads, used without gradients."""
    torch.manual_seed(seed)
    attention = nn.MultiheadAttention(D_MODEL, 2, batch_first=True).eval()
    x = torch.randn(1, 3, D_MODEL)
    output, _ = attention(x, x, x, attn_mask=~MASK, need_weights=False)
    return bool(output[0, 1].isnan().any())


def keys_seen(queries: int, keys: int) -> list[int]:
    """How many keys each query sees under is_causal=True."""
    query, key = torch.zeros(queries, 4), torch.zeros(keys, 4)
    weights = F.scaled_dot_product_attention(query, key, torch.eye(keys), is_causal=True)
    return (weights > 0).sum(dim=-1).tolist()


def measure() -> tuple[Numbers, Series]:
    probes = [polarity(seed) for seed in SEEDS]
    kinds = product(DTYPES, (False, True), SHAPES, SEEDS)
    rows = [empty_row(*kind) for kind in kinds]
    numbers = {
        "sdpa_true": number([probe["sdpa_true"] for probe in probes], ".0%"),
        "mha_true": number([probe["mha_true"] for probe in probes], ".0%"),
        "agreement": number(max(probe["agreement"] for probe in probes), ".0e"),
        "sdpa_empty": number(max(size for size, _ in rows), ".0f"),
        "sdpa_empty_nans": number(sum(nans for _, nans in rows), ".0f"),
        "sdpa_cases": number(len(rows), ".0f"),
        "cached_keys": number(LENGTH, ".0f"),
        "cached_seen": number(keys_seen(1, LENGTH)[-1], ".0f"),
    }
    for asked in (True, False):
        share = [float(empty_row_of_layer(asked, seed)) for seed in SEEDS]
        numbers[f"mha_nan_{'with' if asked else 'without'}_weights"] = number(share, ".0%")
    quick = [float(empty_row_in_evaluation(seed)) for seed in SEEDS]
    numbers["mha_nan_in_evaluation"] = number(quick, ".0%")
    return numbers, {"keys_seen": keys_seen(LENGTH - CACHED, LENGTH)}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
