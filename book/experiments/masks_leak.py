"""Claim 26: does a model without a causal mask learn to copy the future, and what then?

A one-block decoder learns to predict a Markov chain whose entropy is known. Only the mask differs:
`causal` shows no later key, `off_by_one` shows the next one, `none` shows all of them. A loss below
the entropy proves a leak. Each model is then scored again without a future, as when it generates.
"""

from typing import Any

import numpy as np
import torch
from markov import Chain, random_chain
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from torch.nn import functional as F
from verdicts import claim

LENGTH, SYMBOLS, D_MODEL, HEADS = 24, 8, 32, 2
STEPS, BATCH, EVERY = 600, 64, 20
SEEDS = range(5)
LOOKAHEAD = {"causal": 0, "off_by_one": 1, "none": LENGTH}


class Decoder(nn.Module):
    """One pre-norm block with learned positions; `lookahead` later keys are visible."""

    def __init__(self, lookahead: int):
        super().__init__()
        self.lookahead = lookahead
        self.embed = nn.Embedding(SYMBOLS, D_MODEL)
        self.position = nn.Parameter(0.1 * torch.randn(LENGTH, D_MODEL))
        self.W_qkv = nn.Linear(D_MODEL, 3 * D_MODEL)
        self.W_o = nn.Linear(D_MODEL, D_MODEL)
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(D_MODEL) for _ in range(3))
        self.mlp = nn.Sequential(
            nn.Linear(D_MODEL, 4 * D_MODEL), nn.GELU(), nn.Linear(4 * D_MODEL, D_MODEL)
        )
        self.readout = nn.Linear(D_MODEL, SYMBOLS)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens) + self.position[: tokens.size(1)]  # [batch, length, d_model]
        x = x + self.attend(self.norm_1(x))
        x = x + self.mlp(self.norm_2(x))
        return self.readout(self.norm_3(x))  # [batch, length, symbols]

    def attend(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        split = self.W_qkv(x).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        query, key, value = split  # each [batch, heads, length, d_k]
        position = torch.arange(length)
        mask = position <= position[:, None] + self.lookahead  # [queries, keys]
        output = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return self.W_o(output.transpose(1, 2).reshape(batch, length, D_MODEL))


def losses(model: Decoder, tokens: Tensor) -> Tensor:
    """Cross-entropy in nats at each position, all later symbols present. [batch, length]"""
    logits = model(tokens[:, :-1])
    return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none")


def losses_without_future(model: Decoder, tokens: Tensor) -> Tensor:
    """The same, but each prediction is made from its prefix alone. [batch, length]"""
    columns = []
    for step in range(1, tokens.size(1)):
        logits = model(tokens[:, :step])[:, -1]  # [batch, symbols]
        columns.append(F.cross_entropy(logits, tokens[:, step], reduction="none"))
    return torch.stack(columns, dim=1)


def generate(model: Decoder, start: Tensor, rng: torch.Generator) -> Tensor:
    """Sample symbol by symbol until the window is full. start: [batch, 2]"""
    tokens = start
    while tokens.size(1) < LENGTH:
        weights = model(tokens)[:, -1].softmax(dim=-1)  # [batch, symbols]
        tokens = torch.cat([tokens, torch.multinomial(weights, 1, generator=rng)], dim=1)
    return tokens


def train(chain: Chain, lookahead: int, seed: int) -> tuple[Decoder, list[float]]:
    """Train one model; the loss of every `EVERY`th step is kept for the figure."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model, curve = Decoder(lookahead), []
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=STEPS)
    for step in range(STEPS):
        tokens = torch.from_numpy(chain.sample(BATCH, LENGTH + 1, rng))
        loss = losses(model, tokens).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % EVERY == 0 or step == STEPS - 1:
            curve.append(loss.item())
    return model, curve


@torch.no_grad()
def score(model: Decoder, chain: Chain, seed: int) -> dict[str, list[float] | float]:
    """Score a trained model on sequences it has not seen, with and without their future."""
    rng = np.random.default_rng(10_000 + seed)
    tokens = torch.from_numpy(chain.sample(2000, LENGTH + 1, rng))
    seen, alone = losses(model, tokens), losses_without_future(model, tokens)
    made = generate(model, tokens[:, :2], torch.Generator().manual_seed(seed))
    return {
        "loss": seen.mean().item(),
        "alone": alone.mean().item(),
        "made": float(chain.surprise(made.numpy()).mean()),
        "alone_by_position": alone.mean(dim=0).tolist(),
        "seen_by_position": seen.mean(dim=0).tolist(),
    }


CLAIMS = [
    claim(
        26,
        "Without a causal mask, training is trivial: the model copies the future.",
        "No causal predictor can go below {floor}. With the causal mask: {causal_loss}. Without "
        "a mask: {none_loss}; with one visible later key: {off_by_one_loss}. Scored without a "
        "future, as when it generates, the model without a mask has {none_alone}, worse than "
        "guessing ({uniform}).",
        "holds",
        scope="a Markov chain of order two over 8 symbols, models 32 wide of one block, 600 steps "
        "of Adam",
        control="The model could predict better instead of copying: no predictor can go below "
        "{floor}, and without a future the same model is worse than guessing. The causal model "
        "has the same size, data and steps.",
        stands=lambda n: (
            n.none_loss < n.floor < n.causal_loss < n.floor + 0.1 and n.none_alone > n.uniform
        ),
    )
]


def run_all(chain: Chain) -> dict[str, list[dict[str, Any]]]:
    """Every kind of mask with every seed."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for name, lookahead in LOOKAHEAD.items():
        runs[name] = []
        for seed in SEEDS:
            model, curve = train(chain, lookahead, seed)
            runs[name].append(score(model, chain, seed) | {"curve": curve})
            print(name, seed, f"{runs[name][-1]['loss']:.3f}", flush=True)
    return runs


def exact_numbers(chain: Chain) -> Numbers:
    """What follows from the chain alone: tests compare it with the file on disk."""
    return {
        "floor": number(chain.floor(LENGTH), unit="nats"),
        "entropy": number(chain.entropy, unit="nats"),
        "uniform": number(float(np.log(SYMBOLS)), unit="nats"),
    }


def the_chain() -> Chain:
    return random_chain(SYMBOLS, concentration=0.3, seed=0)


def measure() -> tuple[Numbers, Series]:
    runs, numbers = run_all(the_chain()), exact_numbers(the_chain())
    for name, of_seed in runs.items():
        for key in ("loss", "alone", "made"):
            numbers[f"{name}_{key}"] = number([run[key] for run in of_seed], unit="nats")
    floor = the_chain().floor(LENGTH)
    excess = [run["loss"] - floor for run in runs["causal"]]
    numbers["causal_excess"] = number(excess, unit="nats")
    numbers["seeds"] = number(float(len(SEEDS)), ".0f")
    series: Series = {"steps": [*range(0, STEPS, EVERY), STEPS - 1]}
    for key in ("curve", "seen_by_position", "alone_by_position"):
        series[key] = {name: [run[key] for run in of_seed] for name, of_seed in runs.items()}
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
