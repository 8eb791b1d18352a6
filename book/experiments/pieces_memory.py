"""Claim 51: how many bytes are alive at one time, forward and in training, by length and chunk.

Counted are the tensors that attention makes beyond its inputs and their gradients, for one head in
float32. What a kernel allocates inside itself is not seen.
"""

from collections.abc import Callable

import torch
from cross_cost import LargestAlive
from measurements import Numbers, Series, number, run_and_save
from pieces_attention import at_once, by_chunks, recomputed
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
LENGTHS = (256, 512, 1024, 2048, 4096, 8192)
CHUNKS = (64, 128, 256, 512, 1024, 2048, 4096)
LONGEST, LENGTH, CHUNK, D_K = LENGTHS[-1], 4096, 256, 64
MIB = 2**20
Attend = Callable[[Tensor, Tensor, Tensor], Tensor]


def ways(chunk: int) -> dict[str, Attend]:
    return {
        "at once": at_once,
        "chunks": lambda query, key, value: by_chunks(query, key, value, chunk)[0],
        "chunks, computed again": lambda query, key, value: recomputed(query, key, value, chunk),
    }


WAYS = tuple(ways(CHUNK))

CLAIMS = [
    claim(
        51,
        "Attention by tiles is exact, and its memory is linear in the length, in training too.",
        "One head in float32, pieces of {chunk} keys. Output and gradients agree with attention at "
        "once within {disagreement} in float64. From 4,096 to 8,192 tokens the most bytes alive "
        "grow {forward_growth} times forward and {training_growth} times in training, and {kept} "
        "stay alive for the backward pass at 8,192. The same loop under autograd, which keeps "
        "every tile: {autograd_growth} times, {autograd_8192} at 8,192 tokens, where all at once "
        "takes {at_once_8192}.",
        "holds if",
        "the backward pass computes the weights again instead of leaving that to autograd",
        scope="one head 64 wide in float32, 256 to 8,192 tokens, tiles of 256, counted",
        control="The tiles alone do not do it: under autograd the same loop keeps "
        "{autograd_kept_8192} for the backward pass, and attention at once {at_once_kept_8192}.",
        stands=lambda n: (
            n.disagreement < 1e-12
            and n.forward_growth < 2.2
            and n.training_growth < 2.2
            and n.autograd_growth > 3.5
        ),
    )
]


def given(length: int, training: bool) -> list[Tensor]:
    """Query, key and value, with room for their gradients."""
    made = [torch.zeros(length, D_K, requires_grad=training) for _ in range(3)]
    for tensor in made if training else ():
        tensor.grad = torch.zeros_like(tensor)
    return made


def peak(attend: Attend, length: int, training: bool) -> int:
    """The most bytes alive; in training up to the end of the backward pass."""
    inputs = given(length, training)
    above = torch.zeros(length, D_K)  # the gradient of the output
    known = [*inputs, above, *(x.grad for x in inputs if x.grad is not None)]
    with LargestAlive(known) as memory:
        output = attend(*inputs)
        if training:
            output.backward(above)
    return memory.peak


def kept(attend: Attend, length: int) -> int:
    """Bytes of what the forward pass leaves for the backward pass, but for the inputs."""
    inputs = given(length, training=True)
    theirs = {tensor.untyped_storage()._cdata for tensor in inputs}
    found: dict[int, Tensor] = {}  # by storage; the tensor keeps it from being used again

    def pack(tensor: Tensor) -> Tensor:
        found[tensor.untyped_storage()._cdata] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        output = attend(*inputs)
    found[output.untyped_storage()._cdata] = output
    return sum(x.untyped_storage().nbytes() for name, x in found.items() if name not in theirs)


def disagreement(seed: int) -> float:
    """Largest difference of outputs and gradients from attention at once, in float64."""
    rng = torch.Generator().manual_seed(seed)
    query, key, value, above = (
        torch.randn(300, D_K, generator=rng, dtype=torch.float64).requires_grad_() for _ in range(4)
    )
    found = []
    for attend in ways(77).values():
        output = attend(query, key, value)
        found.append([output, *torch.autograd.grad(output, (query, key, value), above)])
    pairs = [zip(found[0], other, strict=True) for other in found[1:]]
    return max((one - other).abs().max().item() for pair in pairs for one, other in pair)


def by_length() -> tuple[Numbers, Series]:
    numbers: Numbers = {}
    series: Series = {"forward": {}, "training": {}, "kept": {}}
    for name, attend in ways(CHUNK).items():
        for kind, training in (("forward", False), ("training", True)):
            series[kind][name] = [peak(attend, n, training) / MIB for n in LENGTHS]
        series["kept"][name] = [kept(attend, n) / MIB for n in LENGTHS]
    keys = zip(WAYS, ("at_once", "autograd", "again"), strict=True)
    for name, key in keys:
        for kind, ending in (("forward", "_forward"), ("training", ""), ("kept", "_kept")):
            found = series[kind][name]
            numbers[f"{key}{ending}_8192"] = number(found[-1], ",.0f", "MiB")
            numbers[f"{key}{ending}_4096"] = number(found[LENGTHS.index(LENGTH)], ",.1f", "MiB")
    again, autograd = series["training"][WAYS[2]], series["training"][WAYS[1]]
    forward = series["forward"][WAYS[2]]
    numbers |= {
        "forward_growth": number(forward[-1] / forward[-2], ".2f"),
        "training_growth": number(again[-1] / again[-2], ".2f"),
        "autograd_growth": number(autograd[-1] / autograd[-2], ".2f"),
        "kept": number(series["kept"][WAYS[2]][-1], ".2f", "MiB"),
        "saved_times": number(series["training"][WAYS[0]][-1] / again[-1], ".0f"),
        "saved_times_forward": number(series["forward"][WAYS[0]][-1] / forward[-1], ".0f"),
    }
    return numbers, series


def by_chunk() -> tuple[Numbers, Series]:
    peaks = {
        kind: [peak(ways(chunk)[WAYS[2]], LENGTH, training) / MIB for chunk in CHUNKS]
        for kind, training in (("chunk_forward", False), ("chunk_training", True))
    }
    numbers = {
        f"{kind}_{chunk}": number(found, ",.1f", "MiB")
        for kind, of_chunk in peaks.items()
        for chunk, found in zip(CHUNKS, of_chunk, strict=True)
    }
    return numbers, {"chunks": CHUNKS, **peaks}


def measure() -> tuple[Numbers, Series]:
    of_length, lengths = by_length()
    of_chunk, chunks = by_chunk()
    numbers = {
        "chunk": number(CHUNK, "d"),
        "length": number(LENGTH, ",d"),
        "longest": number(LONGEST, ",d"),
        "output": number(LENGTH * D_K * 4 / MIB, ".0f", "MiB"),
        "scores": number(LENGTH**2 * 4 / MIB, ".0f", "MiB"),
        "scores_8192": number(LONGEST**2 * 4 / MIB, ",.0f", "MiB"),
        "disagreement": number(max(disagreement(seed) for seed in SEEDS), ".0e"),
    }
    return numbers | of_length | of_chunk, {"lengths": LENGTHS, **lengths, **chunks}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
