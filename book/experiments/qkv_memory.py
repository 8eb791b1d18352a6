"""Claims 6 and 8: how many bytes and parameters are queries, keys and values? Counted, not timed.

The layers are made and run; bytes are those of the tensors that came out, parameters those of the
modules. The last part counts what autograd keeps for the backward pass.
"""

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from torch.nn import functional as F
from verdicts import claim

BATCH, LENGTH, D_MODEL, D_K = 2, 64, 768, 64
# query heads, key and value heads; every head is D_K wide
LAYERS = {"one_head": (1, 1), "multi_head": (12, 12), "grouped": (12, 4), "multi_query": (12, 1)}

CLAIMS = [
    claim(
        6,
        "Storing Q, K and V needs three times the memory of the input.",
        "At a width of 768 and heads of 64: {one_head_ratio} times the input for one head, "
        "{multi_head_ratio} for twelve, {grouped_ratio} if twelve query heads share four heads of "
        "keys and values, {multi_query_ratio} if they share one. In training, twelve heads keep "
        "{kept_ratio} times the input for the backward pass: input, Q, K, V and output.",
        "holds if",
        "the projected widths add up to three times d_model",
        scope="counted in float32 at d_model = 768 with heads 64 wide",
        control="An error of the count: the bytes are those of tensors that the layers return, and "
        "they agree with the widths, such as (12 + 4 + 4) · 64 / 768 for the shared four. What is "
        "kept for the backward pass is five times the input and one float for each query and head.",
        stands=lambda n: (
            n.multi_head_ratio == 3
            and n.one_head_ratio < 1
            and n.multi_query_ratio < n.grouped_ratio < 3
            and abs(n.grouped_ratio - (12 + 4 + 4) * 64 / 768) < 1e-4
            and abs(n.kept_ratio - (5 + 12 / 768)) < 1e-4
        ),
    ),
    claim(
        8,
        "Projecting 768 to 64 for Q, K and V takes 147,456 parameters a head.",
        "{one_head_parameters} without biases, as in the document; {biased_parameters} with them. "
        "W_o is not among them: of the {multi_head_parameters} parameters of twelve heads it is "
        "{output_share}.",
        "holds",
        scope="counted for one head without biases",
        control="An error of the count: three matrices of 768 times 64 entries have as many.",
        stands=lambda n: n.one_head_parameters == 3 * 768 * 64 == 147_456,
    ),
]


class Projections(nn.Module):
    """W_q, W_k and W_v of some heads, all heads of one projection in one matrix."""

    def __init__(self, query_heads: int, key_heads: int, bias: bool = False):
        super().__init__()
        self.W_q = nn.Linear(D_MODEL, query_heads * D_K, bias=bias)
        self.W_k = nn.Linear(D_MODEL, key_heads * D_K, bias=bias)
        self.W_v = nn.Linear(D_MODEL, key_heads * D_K, bias=bias)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_q(x), self.W_k(x), self.W_v(x)


def parameters(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def ratio(query_heads: int, key_heads: int) -> float:
    """Bytes of Q, K and V, divided by those of the input."""
    x = torch.randn(BATCH, LENGTH, D_MODEL)  # [batch, length, d_model]
    return sum(t.nbytes for t in Projections(query_heads, key_heads)(x)) / x.nbytes


def kept_for_backward() -> float:
    """Bytes that autograd keeps of twelve heads, divided by those of the input.

    Parameters are not counted: they are there anyway. Nor are views of what was counted.
    """
    x = torch.randn(BATCH, LENGTH, D_MODEL)
    layer, kept = Projections(12, 12), {}
    own = {parameter.untyped_storage().data_ptr() for parameter in layer.parameters()}

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        heads = [t.unflatten(-1, (12, D_K)).transpose(1, 2) for t in layer(x)]
        F.scaled_dot_product_attention(*heads)  # never stores the scores
    return sum(kept.values()) / x.nbytes


def measure() -> tuple[Numbers, Series]:
    torch.manual_seed(0)
    numbers = {f"{name}_ratio": number(ratio(*heads), ".2f") for name, heads in LAYERS.items()}
    one, twelve = Projections(1, 1), Projections(12, 12)
    W_o = nn.Linear(D_MODEL, D_MODEL, bias=False)
    whole = parameters(twelve) + parameters(W_o)
    numbers |= {
        "one_head_parameters": number(parameters(one), ",d"),
        "biased_parameters": number(parameters(Projections(1, 1, bias=True)), ",d"),
        "multi_head_parameters": number(whole, ",d"),
        "output_share": number(parameters(W_o) / whole, ".0%"),
        "kept_ratio": number(kept_for_backward(), ".2f"),
        "factored": number(parameters(one.W_q) + parameters(one.W_k), ",d"),
        "general": number(D_MODEL**2, ",d"),  # one W between all pairs of entries
        "d_model": number(D_MODEL, "d"),
        "d_k": number(D_K, "d"),
    }
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, [0])
