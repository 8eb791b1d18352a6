"""The model of next_sink_model with a gate on the output of its head, of four kinds.

A gate is a sigmoid that multiplies the head's output before W_o. Everything else of a model, its
first weights included, is the same for all kinds.
"""

import torch
from next_sink_model import D_MODEL, HEADS, Model, _apply
from torch import Tensor

KINDS = ("none", "head", "number", "constant", "output")
D_K = D_MODEL // HEADS
# From the layer's input a gate a head or a gate a number, from nothing, and from the head's output.
SHAPES = {
    "head": (D_MODEL, HEADS),
    "number": (D_MODEL, D_MODEL),
    "constant": (HEADS, D_K),
    "output": (HEADS, D_K, D_K),
}


class Gated(Model):
    """One layer. `gates` are those of the last call: [seeds, batch, length, heads, 1 or d_k]."""

    def __init__(self, kind: str, seeds: range) -> None:
        super().__init__("softmax", 1, seeds)
        self.gate_kind, self.gates, self.added = kind, torch.ones(1), torch.ones(1)
        self.rng.manual_seed(seeds.start + 50)
        if kind in SHAPES:
            self.W_gate = self.normal(0.0 if kind == "constant" else D_MODEL**-0.5, *SHAPES[kind])
            self.parameters.append(self.W_gate)

    def gated(self, output: Tensor, x: Tensor, layer: int) -> Tensor:
        self.gates = self.logits(output, x).sigmoid() if self.gate_kind in SHAPES else torch.ones(1)
        return output * self.gates

    def logits(self, output: Tensor, x: Tensor) -> Tensor:
        """Of the gates. output: [seeds, batch, length, heads, d_k]; x: [seeds, batch, length, d]"""
        if self.gate_kind == "constant":
            return self.W_gate[:, None, None].expand(output.shape)
        if self.gate_kind == "output":
            return torch.einsum("sblhk,shkg->sblhg", output, self.W_gate)
        return _apply(x, self.W_gate).unflatten(-1, (HEADS, -1))

    def attend(self, x: Tensor, layer: int, far: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        added, weights = super().attend(x, layer, far, mask)
        self.added = added
        return added, weights

    def size(self) -> int:
        """Parameters of one seed."""
        return sum(tensor[0].numel() for tensor in self.parameters)
