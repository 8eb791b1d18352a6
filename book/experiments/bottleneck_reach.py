"""Claim 31: in how many steps does a token reach another one, and with how much gradient?

Steps: a change of the first of n tokens is pushed forward through one layer after the other (one
step of a recurrent network is one layer here) until it reaches the last token: until the last
output's derivative with respect to the first input is no longer exactly zero. All weights are one
and all inputs zero, and after each layer only the zeros are kept, so nothing cancels and nothing
underflows.

Gradient: how much the output in the middle of an untrained stack depends on the inputs at the edge
of its field, relative to the input at its centre. PyTorch's initial weights, float64.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import count, repeat

import torch
from bottleneck_gradient import Attention, norm
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor, nn
from torch.nn import functional as F
from verdicts import claim

LENGTHS = (16, 64, 256, 1024)
FAR = LENGTHS[-1]
WIDTH, BATCH = 32, 16  # the width is that of `Attention`
SEEDS = range(5)
DEPTHS = (4, 8, 16, 32, 64)  # layers of the stack whose gradient is measured
SHOWN = 32  # layers, of the stack that is drawn
DILATED = 5  # layers with dilations 1 to 16: a field of 63, nearly the 65 of the stack drawn
Step = Callable[[Tensor], Tensor]  # states of all places to states after one more layer

CLAIMS = [
    claim(
        31,
        "RNNs process sequentially, CNNs have a fixed receptive field; attention connects all "
        "positions directly.",
        "From the first to the last of {far} tokens a change takes {rnn_1024} steps one after "
        "another through an RNN, {conv_1024} through convolutions of width 3, {dilated_1024} if "
        "their dilation doubles from layer to layer, {attention_1024} through attention. At the "
        "edge of the field of {shown} untrained convolutions the gradient is {edge_32} of that at "
        "its centre. In {dilated_layers} dilated ones, with nearly the same field, it is "
        "{edge_dilated}; in attention {edge_attention}.",
        "holds if",
        "the number of layers of the CNN is fixed",
        scope="steps counted for up to 1,024 tokens, gradients of untrained layers 32 wide",
        control="The counts agree with n, n − 1 and log2 n. Distance alone does not weaken the "
        "gradient: in dilated convolutions of nearly the same field {edge_dilated} of it is left "
        "at the edge.",
        stands=lambda n: (
            n.rnn_1024 == FAR
            and n.conv_1024 == FAR - 1
            and n.dilated_1024 == math.log2(FAR)
            and n.attention_1024 == 1
            and n.edge_32 < 1e-6
            and n.edge_dilated > 1e3 * n.edge_32
            and n.edge_attention > 0.1
        ),
    )
]


def recurrent_step(place: int) -> Step:
    """The state of one place, from the state before it and the input there."""

    def step(states: Tensor) -> Tensor:
        before = states[place - 1] if place else 0
        state = (before + states[place]).tanh()
        return torch.cat([states[:place], state[None], states[place + 1 :]])

    return step


def convolution(dilation: int) -> Step:
    """Each place from itself and one place on either side, `dilation` away."""
    ones = torch.ones(1, 1, 3)
    return lambda x: F.conv1d(x[None], ones, padding=dilation, dilation=dilation)[0].tanh()


def attention(x: Tensor) -> Tensor:
    return (x[:, None] * x).softmax(dim=-1) @ x


def layers(name: str) -> Iterable[Step]:
    """The layers of a model, one after another, without an end."""
    kinds: dict[str, Iterable[Step]] = {
        "rnn": (recurrent_step(place) for place in count()),
        "conv": repeat(convolution(1)),
        "dilated": (convolution(2**depth) for depth in count()),
        "attention": repeat(attention),
    }
    return kinds[name]


def steps(name: str, length: int) -> int:
    """How many layers a change of the first place needs to reach the last one."""
    states, change = torch.zeros(length), torch.eye(length)[0]
    for taken, layer in enumerate(layers(name), start=1):
        change = (torch.func.jvp(layer, (states,), (change,))[1] != 0).float()
        if change[-1]:
            return taken
    raise AssertionError("the layers have no end")


def stack(dilations: list[int]) -> nn.Module:
    """Convolutions of width 3 with a ReLU after each, untrained."""
    kinds = [nn.Conv1d(WIDTH, WIDTH, 3, padding=by, dilation=by) for by in dilations]
    return nn.Sequential(*(layer for kind in kinds for layer in (kind, nn.ReLU())))


def profile(model: nn.Module, half: int) -> list[float]:
    """Size of the middle output's gradient at each place, relative to the middle place.

    half: how many places the field has on either side.
    """
    x = torch.randn(BATCH, WIDTH, 2 * half + 1, requires_grad=True)
    output = model(x)[:, :, half]
    (gradient,) = torch.autograd.grad((output * torch.randn_like(output)).sum(), x)
    return relative(gradient.unbind(dim=2), half)


def relative(gradients: Sequence[Tensor], to: int) -> list[float]:
    sizes = [norm(gradient) for gradient in gradients]
    return [size / sizes[to] for size in sizes]


def attended(half: int) -> list[float]:
    """The same for attention; its query is the last place, so that one is moved to the middle."""
    x = torch.randn(BATCH, 2 * half + 1, WIDTH, requires_grad=True)
    output = Attention(None)(x)
    (gradient,) = torch.autograd.grad((output * torch.randn_like(output)).sum(), x)
    sizes = relative(gradient.unbind(dim=1), -1)
    return [*sizes[:half], 1.0, *sizes[half:-1]]


def profiles(seed: int) -> dict[str, list[float]]:
    torch.manual_seed(seed)
    found = {f"conv {depth}": profile(stack([1] * depth), depth) for depth in DEPTHS}
    dilations = [2**at for at in range(DILATED)]
    found["dilated"] = profile(stack(dilations), sum(dilations))
    found["attention"] = attended(SHOWN)
    return found


def edge(sizes: list[float]) -> float:
    """The geometric mean of both ends."""
    return math.sqrt(sizes[0] * sizes[-1])


def wide(sizes: list[float]) -> float:
    """The share of the field's places with at least a tenth of the largest gradient."""
    return sum(size >= max(sizes) / 10 for size in sizes) / len(sizes)


def measure() -> tuple[Numbers, Series]:
    numbers = {"far": number(FAR, ",d"), "shown": number(SHOWN, "d")}
    numbers |= {"dilated_layers": number(DILATED, "d"), "seeds": number(len(SEEDS), "d")}
    for name in ("rnn", "conv", "dilated", "attention"):
        for length in LENGTHS:
            numbers[f"{name}_{length}"] = number(steps(name, length), ",d")
    torch.set_default_dtype(torch.float64)
    runs = [profiles(seed) for seed in SEEDS]
    for name in runs[0]:
        key, edges = name.split()[-1], [edge(run[name]) for run in runs]
        numbers[f"edge_{key}"] = number(edges, ".1g")
        numbers[f"wide_{key}"] = number([wide(run[name]) for run in runs], ".0%")
        numbers[f"field_{key}"] = number(len(runs[0][name]), "d")
    shown = (f"conv {SHOWN}", "dilated", "attention")
    return numbers, {"profiles": {name: [run[name] for run in runs] for name in shown}}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
