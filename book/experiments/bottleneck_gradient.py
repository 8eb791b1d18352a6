"""Claim 3: how much of the gradient reaches the first of n inputs, before any training?

A random direction of the last output is differentiated with respect to the first input. The size
of that gradient is divided by its size for a sequence of one. In float64, so that 1e-200 is still
a number. LSTMs are also started with more on the bias of their forget gates: 1, as Jozefowicz et
al. advise, up to 7, and the biases of Tallec and Ollivier, drawn for dependencies over as many
steps.
"""

import math

import torch
from measurements import Number, Numbers, Series, number, run_and_save
from torch import Tensor, nn
from verdicts import claim

WIDTH, BATCH = 32, 16
LENGTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
FAR = LENGTHS[-1]
SEEDS = range(5)
BIASES = range(1, 8)  # added to the bias of an LSTM's forget gates
MOST = BIASES[-1]  # sigmoid(7) = 0.9991
GAP = 12.0  # added to the score of the key that a sharp query looks for
RECURRENT = {"RNN": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}
OPENED = {f"LSTM, bias {bias}": bias for bias in BIASES}
UNFED = "LSTM, no feedback"  # bias MOST, and no output returns
CHRONO = "LSTM, chrono"  # forget gates log u, u uniform from 1 to FAR - 1; input gates -log u
LOOKS_AT = {"attention, even": None, "attention, at the first": 0, "attention, elsewhere": -1}

CLAIMS = [
    claim(
        3,
        "Token 1 reaches token 1000 directly: no vanishing gradient through 999 steps.",
        "Of the gradient of a sequence of one, {far_rnn} is left over 1000 tokens in an RNN, "
        "{far_gru} in a GRU and {far_lstm} in an LSTM, against {far_even} in attention with nearly "
        "even weights, which falls as the power {power_even} of the length, {far_first} when the "
        "query looks at token 1 and {far_elsewhere} when it looks elsewhere. With 1 added to the "
        "bias of its forget gates an LSTM has {far_1} of it, and with {bias} from {least_open} to "
        "{most_open} times as much ({far_feedback} where its output is not fed back). Nothing is "
        "trained.",
        "holds if",
        "the query already has most of its weight on token 1",
        scope="untrained layers 32 wide, random inputs, 1,000 tokens",
        control="One step between the tokens is not enough: in the same layer with the weight "
        "elsewhere {far_elsewhere} is left. Nor is it necessary: an LSTM with {bias} added to the "
        "bias of its forget gates has more left. Nothing underflows in float64.",
        without_attention="far_7",
        stands=lambda n: (
            n.far_gru < 1e-30
            and n.far_first > 0.5
            and -1.2 < n.power_even < -0.8
            and n.far_elsewhere < 0.01
            and n.far_1 < 1e-30
            and n.least_open > 1
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
    """An untrained layer with PyTorch's initial weights, but for the biases of some LSTMs."""
    if name in LOOKS_AT:
        return Attention(LOOKS_AT[name])
    if name in RECURRENT:
        return RECURRENT[name](WIDTH, WIDTH, batch_first=True)
    lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True)
    with torch.no_grad():
        if name == CHRONO:
            start_chrono(lstm)
        else:
            forget(lstm, "bias_hh_l0").add_(OPENED.get(name, MOST))
        if name == UNFED:
            lstm.get_parameter("weight_hh_l0").zero_()
    return lstm


def forget(lstm: nn.Module, bias: str) -> Tensor:
    """The part of a bias that belongs to the forget gates; the order is i, f, g, o."""
    return lstm.get_parameter(bias)[WIDTH : 2 * WIDTH]


def start_chrono(lstm: nn.Module) -> None:
    """Chrono initialisation: Tallec and Ollivier 2018, section 3, for dependencies up to FAR."""
    logs = torch.empty(WIDTH).uniform_(1, FAR - 1).log()
    for bias, sign in (("bias_hh_l0", 1.0), ("bias_ih_l0", 0.0)):
        forget(lstm, bias).copy_(sign * logs)
        lstm.get_parameter(bias)[:WIDTH].copy_(-sign * logs)


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
    names = [*RECURRENT, *OPENED, UNFED, CHRONO, *LOOKS_AT]
    curves = {name: [reach(name, seed) for seed in SEEDS] for name in names}
    numbers = {"bias": number(MOST, "d"), "gap": number(GAP, ".0f"), "far": number(FAR, ",d")}
    for name, runs in curves.items():
        key = name.split()[-1].lower()
        numbers[f"far_{key}"] = left([run[-1] for run in runs])
    opened = [run[-1] for run in curves[f"LSTM, bias {MOST}"]]
    numbers["least_open"] = number(min(opened), ".0f")
    numbers["most_open"] = number(max(opened), ".0f")
    numbers["seeds"] = number(len(SEEDS), "d")
    numbers["power_even"] = number([power(run) for run in curves["attention, even"]], ".2f")
    for bias in (1, MOST):
        kept = torch.sigmoid(torch.tensor(float(bias))).item()
        numbers[f"kept_{bias}"] = number(kept, ".4f" if bias == MOST else ".2f")
    return numbers, {"lengths": LENGTHS, "reach": curves, "biases": [*BIASES]}


def left(sizes: list[float]) -> Number:
    if min(sizes) == 0:
        return number("less than 10⁻³⁰⁰")  # float64 ends there
    return number(sizes, ".2g")


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
