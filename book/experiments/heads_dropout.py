"""Claim 17: `F.dropout(weights, p=dropout)` inside attention drops in evaluation mode too.

A small causal classifier of the next symbol of a Markov chain is trained once per seed and scored
twice: with dropout that obeys the mode, and with the defect. What the row sums do, and what two of
PyTorch's own functions do, is counted beside it.
"""

import numpy as np
import torch
from heads_attention import MultiHeadAttention, causal
from markov import Chain
from masks_leak import D_MODEL, LENGTH, SYMBOLS, the_chain
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from torch.nn import functional as F
from verdicts import claim

HEADS, DROPOUT, STEPS, BATCH = 4, 0.1, 300, 64
SEEDS = range(5)

CLAIMS = [
    claim(
        17,
        "Dropout on the weights can be written F.dropout(weights, p=dropout).",
        "Its default is to drop, always. With p = {dropout}, two passes over the same input in "
        "evaluation mode differ by {change} of the output's size, in an untrained layer. Of a "
        "trained model's predictions {flips_defect} change, and its loss is {loss_defect} instead "
        "of {loss_right}.",
        "false",
        "it drops in evaluation mode, too",
        scope="one layer of attention with 4 heads and an MLP, 32 wide, 300 steps of Adam on a "
        "Markov chain",
        control="Something else that is random: with dropout that obeys the mode, the outputs of "
        "the same layer differ by {change_right}, and {flips_right} of the same model's "
        "predictions change.",
        stands=lambda n: n.change > 0.1 and n.change_right == 0,
    )
]


class Model(nn.Module):
    """Embedding, learned positions, one layer of attention, MLP, readout."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(SYMBOLS, D_MODEL)
        self.position = nn.Parameter(0.1 * torch.randn(LENGTH, D_MODEL))
        self.attention = MultiHeadAttention(D_MODEL, HEADS, dropout=DROPOUT)
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(D_MODEL) for _ in range(3))
        self.mlp = nn.Sequential(
            nn.Linear(D_MODEL, 4 * D_MODEL), nn.GELU(), nn.Linear(4 * D_MODEL, D_MODEL)
        )
        self.readout = nn.Linear(D_MODEL, SYMBOLS)

    def forward(self, tokens: Tensor) -> Tensor:
        """tokens: [batch, length]; returns logits [batch, length, symbols]."""
        x = self.embed(tokens) + self.position
        y = self.norm_1(x)
        x = x + self.attention(y, y, y, causal(LENGTH))[0]
        x = x + self.mlp(self.norm_2(x))
        return self.readout(self.norm_3(x))


def train(chain: Chain, seed: int) -> Model:
    torch.manual_seed(seed)
    rng, model = np.random.default_rng(seed), Model()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=STEPS)
    for _ in range(STEPS):
        loss = loss_of(model, torch.from_numpy(chain.sample(BATCH, LENGTH + 1, rng)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model.eval()


def loss_of(model: Model, tokens: Tensor) -> Tensor:
    return F.cross_entropy(model(tokens[:, :-1]).mT, tokens[:, 1:])


@torch.no_grad()
def score(model: Model, chain: Chain, seed: int) -> dict[str, float]:
    """Loss and answers in evaluation mode: as it should be, and with the defect."""
    rng, result = np.random.default_rng(10_000 + seed), {}
    tokens = torch.from_numpy(chain.sample(1000, LENGTH + 1, rng))
    for name, defect in (("right", False), ("defect", True)):
        model.attention.always_drops = defect
        first, second = (model(tokens[:, :-1]).argmax(dim=-1) for _ in range(2))
        result[f"loss_{name}"] = loss_of(model, tokens).item()
        result[f"flips_{name}"] = (first != second).float().mean().item()
    return result


@torch.no_grad()
def change(seed: int, defect: bool) -> float:
    """Relative difference of two passes over one input in evaluation mode."""
    torch.manual_seed(seed)
    layer = MultiHeadAttention(D_MODEL, HEADS, dropout=DROPOUT, always_drops=defect).eval()
    x = torch.randn(2, LENGTH, D_MODEL)
    first, second = (layer(x, x, x, causal(LENGTH))[0] for _ in range(2))
    return ((first - second).norm() / first.norm()).item()


@torch.no_grad()
def row_sums(seed: int) -> Tensor:
    """Sums of the rows that `nn.MultiheadAttention` returns as weights while it trains."""
    torch.manual_seed(seed)
    layer = nn.MultiheadAttention(D_MODEL, HEADS, dropout=DROPOUT, batch_first=True)
    x = torch.randn(8, LENGTH, D_MODEL)
    return layer(x, x, x, average_attn_weights=False)[1].sum(dim=-1).flatten()


@torch.no_grad()
def fused_differs(seed: int) -> float:
    """Share of runs in which `F.scaled_dot_product_attention(dropout_p=…)` repeats itself."""
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(1, HEADS, LENGTH, 8, generator=rng)
    torch.manual_seed(seed)
    first, second = (F.scaled_dot_product_attention(x, x, x, dropout_p=DROPOUT) for _ in range(2))
    return float(not torch.equal(first, second))


def untrained() -> tuple[Numbers, Series]:
    """What needs no training."""
    sums = [row_sums(seed) for seed in SEEDS]
    numbers = {
        "dropout": number(DROPOUT, ".1f"),
        "change": number([change(seed, True) for seed in SEEDS], ".0%"),
        "change_right": number([change(seed, False) for seed in SEEDS], ".0%"),
        "row_mean": number([one.mean().item() for one in sums], ".2f"),
        "row_low": number(min(one.min().item() for one in sums), ".2f"),
        "row_high": number(max(one.max().item() for one in sums), ".2f"),
        "fused_differs": number([fused_differs(seed) for seed in SEEDS], ".0%"),
    }
    return numbers, {}


def measure() -> tuple[Numbers, Series]:
    numbers, series = untrained()
    chain = the_chain()
    runs = [score(train(chain, seed), chain, seed) for seed in SEEDS]
    for key in ("loss_right", "loss_defect"):
        numbers[key] = number([run[key] for run in runs], unit="nats")
    for key in ("flips_right", "flips_defect"):
        numbers[key] = number([run[key] for run in runs], ".1%")
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
