"""Claim 37, portfolios: shares of a fortune as the weights of attention, on simulated returns.

A market has ten assets. Their returns come from one common factor and a part of their own; means,
loadings and variances are drawn anew for each market. From 60 months of returns a rule makes shares
that sum to one. It is worth what an investor would take for certain instead: with the true means mu
and the true covariance Sigma, w mu - GAMMA / 2 w Sigma w, in percent a year. Rules: equal shares;
the closed form with estimated moments; the same after shrinking them by two amounts, the best on
markets that are not reported; attention among assets, trained to be worth much; the same network
without it, which scores each asset by its four statistics.
"""

from collections.abc import Callable
from functools import partial
from itertools import product

import torch
from choosing import Choice
from cross_fit import CHOICE, Data, best_rate, trained
from cross_model import EncoderLayer, Layer, UnmixedLayer
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from verdicts import claim

ASSETS, MONTHS, GAMMA = 10, 60, 5.0
PREMIUM, MARKET = 0.005, 0.04  # mean and standard deviation of the factor, a month
ALPHA, ALONE = 0.003, (0.03, 0.08)  # of an asset's own part: spread of means; range of deviations
TRAIN, CHECK, TEST, STEPS = 8000, 2000, 2000, 600
D_MODEL, HEADS = 32, 4
SHRINK = (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0)
ROUNDS, SPEED = 300, 40.0  # of the search for the best shares without short positions
SEEDS = range(5)
A_YEAR = 1200  # months, in percent
Rule = Callable[[Tensor, Tensor], Tensor]  # from a mean and a covariance, shares
Market = tuple[Tensor, Tensor, Tensor]  # returns [.., MONTHS, ASSETS], mean and covariance


def markets(count: int, seed: int) -> Market:
    """What was seen of each market, and its true moments."""
    rng = torch.Generator().manual_seed(seed)
    beta = 0.5 + torch.rand(count, ASSETS, generator=rng)
    alpha = ALPHA * torch.randn(count, ASSETS, generator=rng)
    low, high = ALONE
    own = low + (high - low) * torch.rand(count, ASSETS, generator=rng)
    mean = alpha + PREMIUM * beta
    covariance = MARKET**2 * beta[..., None] * beta[:, None] + torch.diag_embed(own**2)
    factor = PREMIUM + MARKET * torch.randn(count, MONTHS, 1, generator=rng)
    noise = own[:, None] * torch.randn(count, MONTHS, ASSETS, generator=rng)
    return alpha[:, None] + factor * beta[:, None] + noise, mean, covariance


def worth(shares: Tensor, mean: Tensor, covariance: Tensor) -> Tensor:
    """Certainty equivalent in percent a year. [batch]"""
    risk = torch.einsum("ba,bac,bc->b", shares, covariance, shares)
    return A_YEAR * ((shares * mean).sum(dim=-1) - GAMMA / 2 * risk)


def closed_form(mean: Tensor, covariance: Tensor) -> Tensor:
    """The best shares that sum to one, short positions allowed. [batch, assets]"""
    ones = torch.ones_like(mean)
    risky, safe = torch.linalg.solve(covariance, torch.stack([mean, ones], dim=-1)).unbind(-1)
    price = (risky.sum(dim=-1) - GAMMA) / safe.sum(dim=-1)
    return (risky - price[:, None] * safe) / GAMMA


def not_short(mean: Tensor, covariance: Tensor) -> Tensor:
    """The best shares that a softmax can make: gradient ascent that multiplies shares."""
    shares = torch.full_like(mean, 1 / ASSETS)
    for _ in range(ROUNDS):
        slope = mean - GAMMA * (covariance @ shares[..., None])[..., 0]
        shares = (shares.log() + SPEED * slope).softmax(dim=-1)
    return shares


def moments(returns: Tensor) -> tuple[Tensor, Tensor]:
    """Estimated mean and covariance of each market."""
    mean = returns.mean(dim=1)
    apart = returns - mean[:, None]
    return mean, apart.mT @ apart / (MONTHS - 1)


def shrunk(returns: Tensor, to_equal: float, to_diagonal: float) -> tuple[Tensor, Tensor]:
    """Means drawn towards their average, covariances towards none."""
    mean, covariance = moments(returns)
    mean = mean + to_equal * (mean.mean(dim=-1, keepdim=True) - mean)
    diagonal = torch.diag_embed(covariance.diagonal(dim1=1, dim2=2))
    return mean, covariance + to_diagonal * (diagonal - covariance)


def best_shrinkage(rule: Rule) -> Choice:
    """The two amounts with which the rule is worth most on markets that are not reported."""
    returns, mean, covariance = markets(CHECK, CHOICE)
    tried = {amounts: worth(rule(*shrunk(returns, *amounts)), mean, covariance)
             for amounts in product(SHRINK, SHRINK)}  # fmt: skip
    return Choice({amounts: -values.mean().item() for amounts, values in tried.items()},
                  natural=(SHRINK[0], SHRINK[-1]))  # fmt: skip


class OverAssets(nn.Module):
    """What is known of each asset, a layer that may mix assets, a query over assets."""

    def __init__(self, layer: Layer) -> None:
        super().__init__()
        self.embed, self.layer = nn.Linear(4, D_MODEL), layer(D_MODEL, HEADS)
        self.norm, self.query = nn.LayerNorm(D_MODEL), nn.Linear(D_MODEL, 1)

    def forward(self, returns: Tensor) -> Tensor:
        """Shares [batch, assets]: the weights of the last query."""
        x = self.layer(self.embed(known(returns)))
        return self.query(self.norm(x))[..., 0].softmax(dim=-1)


def known(returns: Tensor) -> Tensor:
    """Of each asset: mean, standard deviation, loading on the average asset, and what is left."""
    mean, covariance = moments(returns)
    average = covariance.mean(dim=-1)  # with the portfolio of equal shares
    beta = average / average.mean(dim=-1, keepdim=True)
    variance = covariance.diagonal(dim1=1, dim2=2)
    own = (variance - beta * average).clamp(min=0).sqrt()
    return torch.stack([100 * mean, 20 * variance.sqrt(), beta, 20 * own], dim=-1)


def loss(shares: Tensor, true: Tensor) -> Tensor:
    """Minus the mean worth. true: mean and covariance side by side, [batch, assets, 1 + assets]"""
    return -worth(shares, true[..., 0], true[..., 1:]).mean()


def data(count: int, seed: int) -> Data:
    returns, mean, covariance = markets(count, seed)
    return returns, torch.cat([mean[..., None], covariance], dim=-1)


def rate_of(layer: Layer) -> Choice:
    make, check = partial(OverAssets, layer), data(CHECK, CHOICE + 1)
    return best_rate(make, data(TRAIN, CHOICE), check, loss, STEPS)


def compared(seed: int, rates: dict[str, float],
             amounts: dict[str, tuple[float, float]]) -> dict[str, float]:  # fmt: skip
    """What each rule is worth on average, on new markets."""
    returns, mean, covariance = markets(TEST, 10_000 + seed)
    shares = {"equal": torch.full_like(mean, 1 / ASSETS)}
    for name, layer in LAYERS.items():
        make = partial(OverAssets, layer)
        network = trained(make, data(TRAIN, seed), loss, STEPS, rates[name], seed)
        with torch.no_grad():
            shares[name] = network(returns)
    for kind, rule in RULES.items():
        shares[f"known_{kind}"] = rule(mean, covariance)
        shares[f"plain_{kind}"] = rule(*moments(returns))
        shares[f"shrunk_{kind}"] = rule(*shrunk(returns, *amounts[kind]))
    return {name: worth(made, mean, covariance).mean().item() for name, made in shares.items()}


RULES: dict[str, Rule] = {"free": closed_form, "long": not_short}
LAYERS: dict[str, Layer] = {"attention": EncoderLayer, "unmixed": UnmixedLayer}
APART = {  # numbers that are differences of two others, seed by seed
    "cost_known": ("known_free", "known_long"),
    "cost_plain": ("plain_free", "plain_long"),
    "by_mixing": ("attention", "unmixed"),
    "without_mixing": ("unmixed", "equal"),
}
CLAIMS = [
    claim(
        37,
        "Attention serves portfolio optimisation, by weighting what assets contribute to risk.",
        "Simulated markets, certainty equivalent in percent a year: a network with attention among "
        "assets {attention}, without it {unmixed}, so attention adds {by_mixing}. Equal shares "
        "{equal}, closed form with estimated moments {plain_free}, with shrunk moments "
        "{shrunk_free}.",
        "holds if",
        "about a tenth of a percent a year on simulated markets is enough",
        scope="10 assets, 60 months, a network 32 wide, 600 steps of Adam on 8,000 markets with "
        "their true moments",
        control="The network could owe its worth to the four statistics that it is given for each "
        "asset. Without attention, at a rate of its own, it is worth {without_mixing} more than "
        "equal shares. That shares follow what assets contribute to risk was not tested.",
        without_attention="unmixed",
        stands=lambda n: (
            0.02 < n.by_mixing < n.without_mixing / 3
            and n.attention > n.equal + 0.3
            and n.attention > n.plain_free + 0.5
            and n.known_free > n.known_long + 0.5
        ),
    )
]


def measure() -> tuple[Numbers, Series]:
    amounts = {kind: best_shrinkage(rule) for kind, rule in RULES.items()}
    rates = {name: rate_of(layer) for name, layer in LAYERS.items()}
    best = [{name: choice.best for name, choice in one.items()} for one in (rates, amounts)]
    print(best, flush=True)
    runs = [compared(seed, *best) for seed in SEEDS]
    numbers = {name: number([run[name] for run in runs], ".2f", "%") for name in runs[0]}
    numbers |= {"assets": number(ASSETS, "d"), "months": number(MONTHS, "d"),
                "train": number(TRAIN, ",d")}  # fmt: skip
    for key, (more, less) in APART.items():
        numbers[key] = number([run[more] - run[less] for run in runs], ".2f", "%")
    numbers |= {f"{name}_rate": choice.number(".2g") for name, choice in rates.items()}
    for kind, choice in amounts.items():
        for axis, key in enumerate(("to_equal", "to_diagonal")):
            numbers[f"{kind}_{key}"] = choice.number(".0%", axis=axis)
    print(runs, flush=True)
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
