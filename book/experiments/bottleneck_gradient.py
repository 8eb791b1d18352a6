"""Claim 3: how much of the gradient reaches the first of n inputs, before any training?

A random direction of the last output is differentiated by the first input. The size of that
gradient is divided by its size for a sequence of one. In float64, so that 1e-200 is still a number.
"""

import math

import torch
from measurements import Number, Numbers, Series, claim, number, run_and_save
from torch import Tensor, nn

WIDTH, BATCH = 32, 16
LENGTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
FAR = LENGTHS[-1]
SEEDS = range(5)
REMEMBER = 7.0  # added to the bias of an LSTM's forget gate: sigmoid(7) = 0.9991
GAP = 12.0  # added to the score of the key that a sharp query looks for
RECURRENT = {"RNN": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}
OPEN, UNFED = "LSTM, gate open", "LSTM, gate open, no feedback"  # unfed: no output returns
LOOKS_AT = {"attention, even": None, "attention, at the first": 0, "attention, elsewhere": -1}

CLAIMS = [
    claim(
        3,
        "Token 1 reaches token 1000 directly: no vanishing gradient through 999 steps.",
        "Of the gradient of a sequence of one, {far_rnn} is left over 1000 tokens in an RNN, "
        "{far_gru} in a GRU and {far_lstm} in an LSTM, against {far_even} in attention with nearly "
        "even weights, which falls as the power {power_even} of the length, {far_first} when the "
        "query looks at token 1 and {far_elsewhere} when it looks elsewhere. An LSTM that starts "
        "with its forget gate open has {least_open} to {most_open} times the gradient, and "
        "{far_feedback} of it where its output is not fed back.",
        "holds if",
        "the query looks at token 1; spread evenly over m tokens, it shrinks as 1/m, and it "
        "vanishes elsewhere",
        stands=lambda n: (
            n.far_gru < 1e-30
            and n.far_first > 0.5
            and -1.2 < n.power_even < -0.8
            and n.far_elsewhere < 0.01
        ),
    )
]


class Attention(nn.Module):
    """The last token asks all tokens; one key's score may be raised by `GAP`."""

    def __init__(self, looks_at: int | None):
        super().__init__()
        self.looks_at = looks_at
        self.W_q, self.W_k, self.W_v = (nn.Linear(WIDTH, WIDTH) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.W_q(x[:, -1:]), self.W_k(x), self.W_v(x)
        scores = query @ key.mT / math.sqrt(WIDTH)  # [batch, 1, keys]
        if self.looks_at is not None:
            raised = torch.zeros(x.size(1))
            raised[self.looks_at] = GAP
            scores = scores + raised
        return scores.softmax(dim=-1) @ value  # [batch, 1, d_v]


def layer(name: str) -> nn.Module:
    """An untrained layer with PyTorch's initial weights, but for the open forget gate."""
    if name in LOOKS_AT:
        return Attention(LOOKS_AT[name])
    if name in RECURRENT:
        return RECURRENT[name](WIDTH, WIDTH, batch_first=True)
    opened = nn.LSTM(WIDTH, WIDTH, batch_first=True)
    with torch.no_grad():
        gates = opened.get_parameter("bias_hh_l0")  # in the order i, f, g, o
        gates[WIDTH : 2 * WIDTH] += REMEMBER
        if name == UNFED:
            opened.get_parameter("weight_hh_l0").zero_()
    return opened


def last_output(model: nn.Module, x: Tensor) -> Tensor:
    made = model(x)
    return (made[0] if isinstance(made, tuple) else made)[:, -1]  # [batch, width]


def reach(name: str, seed: int) -> list[float]:
    """Size of the first input's gradient for each length, that for a length of one being 1."""
    torch.manual_seed(seed)
    model = layer(name).double()
    x = torch.randn(BATCH, FAR, WIDTH, dtype=torch.float64)
    direction = torch.randn(BATCH, WIDTH, dtype=torch.float64)
    sizes = []
    for length in LENGTHS:
        part = x[:, :length].clone().requires_grad_()
        (gradient,) = torch.autograd.grad((last_output(model, part) * direction).sum(), part)
        sizes.append(norm(gradient[:, 0]))
    return [size / sizes[0] for size in sizes]


def norm(gradient: Tensor) -> float:
    """Euclidean; scaled first, because the squares of 1e-200 are zero."""
    largest = gradient.abs().max().item()
    return largest * (gradient / (largest or 1.0)).square().sum().sqrt().item()


def power(curve: list[float]) -> float:
    """The exponent p of n**p between the lengths 8 and 1000."""
    start = LENGTHS.index(8)
    return math.log(curve[-1] / curve[start]) / math.log(LENGTHS[-1] / LENGTHS[start])


def measure() -> tuple[Numbers, Series]:
    names = [*RECURRENT, OPEN, UNFED, *LOOKS_AT]
    curves = {name: [reach(name, seed) for seed in SEEDS] for name in names}
    numbers = {"bias": number(REMEMBER, ".0f"), "gap": number(GAP, ".0f")}
    for name, runs in curves.items():
        key = name.split()[-1].lower()
        numbers[f"far_{key}"] = span([run[-1] for run in runs])
    opened = [run[-1] for run in curves[OPEN]]
    numbers["least_open"] = number(min(opened), ".0f")
    numbers["most_open"] = number(max(opened), ".0f")
    numbers["seeds"] = number(len(SEEDS), "d")
    numbers["power_even"] = number([power(run) for run in curves["attention, even"]], ".2f")
    kept = torch.sigmoid(torch.tensor(REMEMBER)).item()
    numbers["gate_open"] = number(kept, ".4f")
    numbers["gate_open_far"] = number(kept ** (FAR - 1), ".2f")
    return numbers, {"lengths": LENGTHS, "reach": curves}


def span(sizes: list[float]) -> Number:
    """The geometric mean: sizes over hundreds of orders of magnitude have no other."""
    if min(sizes) == 0:
        return number("less than 10⁻³⁰⁰")  # float64 ends there
    return number(math.exp(sum(math.log(size) for size in sizes) / len(sizes)), ".2g")


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
