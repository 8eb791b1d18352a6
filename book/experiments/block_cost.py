"""Claim 44: parameters and work of a stack by part, at the size of GPT-2's smallest model.

Work is counted by torch while the modules run on `meta` tensors, which have shapes and no numbers:
a multiplication and an addition are two operations. Norms and residuals do so little that torch
does not count it.
"""

from collections.abc import Callable

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode
from verdicts import claim

D_MODEL, HEADS, D_HIDDEN, DEPTH = 768, 12, 3072, 12
TOKENS, POSITIONS = 50_257, 1024
LENGTHS = (128, 1024, 8192)
CLAIMS = [
    claim(
        44,
        "Two thirds of the parameters of a transformer are in its feed-forward layers.",
        "The MLP has {mlp_of_block} of the parameters of a block, with d_hidden = 4 d_model. It "
        "has {mlp_of_model} of those of the whole model, of which the embeddings have "
        "{embeddings_of_model}.",
        "holds if",
        "d_hidden is four times d_model and embeddings are not counted",
        scope="counted for GPT-2's smallest model, 12 blocks 768 wide",
        control="The parts of the model add up to {model} parameters, as many as the published "
        "model has.",
        stands=lambda n: abs(n.mlp_of_block - 2 / 3) < 0.01 and n.mlp_of_model < 0.5,
    ),
]


def parts() -> dict[str, nn.Module]:
    """Of one block."""
    return {
        "projections": nn.ModuleList(nn.Linear(D_MODEL, D_MODEL) for _ in range(4)),
        "mlp": nn.Sequential(nn.Linear(D_MODEL, D_HIDDEN), nn.GELU(), nn.Linear(D_HIDDEN, D_MODEL)),
        "norms": nn.ModuleList(nn.LayerNorm(D_MODEL) for _ in range(2)),
    }


def embeddings() -> nn.Module:
    """Of tokens, which the readout shares, and of positions."""
    return nn.ModuleList([nn.Embedding(TOKENS, D_MODEL), nn.Embedding(POSITIONS, D_MODEL)])


def entries(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def work(length: int) -> dict[str, int]:
    """Operations of one block's parts on one sequence."""
    x = torch.empty(1, length, D_MODEL)
    heads = torch.empty(1, HEADS, length, D_MODEL // HEADS)
    of_block = parts()
    return {
        "projections": counted(nn.Sequential(*of_block["projections"].children()), x),
        "scores": counted(attend, heads),
        "mlp": counted(of_block["mlp"], x),
    }


def attend(heads: Tensor) -> Tensor:
    """Scores and weighted sums, all keys for all queries."""
    return F.softmax(heads @ heads.mT, dim=-1) @ heads


def counted(call: Callable[[Tensor], Tensor], x: Tensor) -> int:
    with FlopCounterMode(display=False) as counter:
        call(x)
    return counter.get_total_flops()


def measure() -> tuple[Numbers, Series]:
    with torch.device("meta"):
        of_block = {name: entries(part) for name, part in parts().items()}
        of_model = {name: DEPTH * count for name, count in of_block.items()}
        of_model["norms"] += 2 * D_MODEL  # the last one
        of_model["embeddings"] = entries(embeddings())
        works = {length: work(length) for length in LENGTHS}
    numbers: Numbers = {}
    for name, value in {"d_model": D_MODEL, "d_hidden": D_HIDDEN, "heads": HEADS}.items():
        numbers[name] = number(value, ",d")
    numbers["depth"], numbers["tokens"] = number(DEPTH, "d"), number(TOKENS, ",d")
    for key, table in {"block": of_block, "model": of_model}.items():
        whole = sum(table.values())
        numbers[key] = number(whole / 1e6, ".1f", "million")
        for name, count in table.items():
            numbers[f"{name}_in_{key}"] = number(count, ",d")
            numbers[f"{name}_of_{key}"] = number(count / whole, ".2%" if name == "norms" else ".0%")
    for length, table in works.items():
        whole = sum(table.values())
        for name, count in table.items():
            numbers[f"{name}_{length}"] = number(count / whole, ".0%")
    first = works[LENGTHS[0]]  # scores grow with the square of the length, the MLP with the length
    numbers["even"] = number(LENGTHS[0] * first["mlp"] / first["scores"], ",.0f")
    return numbers, {"lengths": [*LENGTHS], "works": {str(key): one for key, one in works.items()}}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, [])
