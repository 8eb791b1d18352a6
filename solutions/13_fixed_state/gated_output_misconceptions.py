"""Known mistakes of `gated_output`."""

import torch
import torch.nn.functional as F  # noqa: F401

from .gated_output import exercise


@exercise.base
def right(x, output, W_g, W_o):
    heads = output.size(1)
    logits = W_g(x)
    gates = torch.sigmoid(logits)
    gates = gates.unflatten(-1, (heads, -1)).transpose(1, 2)
    gated = gates * output
    merged = gated.transpose(1, 2).flatten(2)
    return W_o(merged)


# fmt: off
right.mistake("takes_gates_from_the_output", {"W_g(x)": "W_g(output.transpose(1, 2).flatten(2))"},
    "The gates are computed from what the heads return. They come from x, which the layer's "
    "projections got; the output need not even be as wide.")
right.mistake("takes_gates_from_each_head", {"W_g(x)": "W_g(output)"},
    "`W_g` gets the output of the heads. Its input is x, with d_model numbers for each token.")
right.mistake("gates_after_the_projection",
    {"    gated = gates * output\n": "",
     "gated.transpose": "output.transpose",
     "W_o(merged)": "W_o(merged) * gates.expand_as(output).transpose(1, 2).flatten(2)"},
    "You multiply by the gates after `W_o`, which has mixed the heads by then. Each head's output "
    "is multiplied first.")
right.mistake("takes_tanh", {"torch.sigmoid(": "torch.tanh("},
    "You use tanh. A sigmoid gives gates between 0 and 1.")
right.mistake("leaves_out_the_sigmoid", {"torch.sigmoid(logits)": "logits"},
    "There is no sigmoid: the output is multiplied by `W_g(x)` itself.")
right.mistake("takes_silu", {"torch.sigmoid(logits)": "F.silu(logits)"},
    "Your gate is z * sigmoid(z), which is SiLU. The gate here is the sigmoid alone.")
right.mistake("takes_relu", {"torch.sigmoid(logits)": "F.relu(logits)"},
    "You use ReLU, which can be larger than 1. A sigmoid gives gates between 0 and 1.")
right.mistake("takes_the_sigmoid_twice", {"torch.sigmoid(logits)": "logits.sigmoid().sigmoid()"},
    "Your gates are the sigmoid of the right ones, so all lie between 0.5 and 0.73. Where is the "
    "second sigmoid?")
right.mistake("exchanges_open_and_closed", {"torch.sigmoid(logits)": "1 - torch.sigmoid(logits)"},
    "Your gates are one minus the right ones: open where they should be closed.")
right.mistake("takes_the_softmax_over_heads",
    {"torch.sigmoid(logits)": "logits.unflatten(-1, (heads, -1)).softmax(dim=-2).flatten(-2)"},
    "Your gates sum to 1 over the heads: a softmax. Each gate is a sigmoid by itself; all heads "
    "may be open.")
right.mistake("takes_the_softmax_of_all_gates", {"torch.sigmoid(logits)": "logits.softmax(dim=-1)"},
    "Your gates sum to 1 over all gates of a token: a softmax. Each gate is a sigmoid by itself.")
right.mistake("overflows", {"torch.sigmoid(logits)": "logits.exp() / (1 + logits.exp())"},
    "Your sigmoid is exp(z) / (1 + exp(z)): for a large z this is infinity divided by infinity. "
    "`torch.sigmoid` has no such problem.")
right.mistake("has_no_gradient_far_below_0",
    {"torch.sigmoid(logits)": "1 / (1 + torch.exp(-logits))"},
    "Your sigmoid is 1 / (1 + exp(-z)): far below 0, exp(-z) is infinite, and the gradient is 0 "
    "times infinity, NaN. `torch.sigmoid` has no such problem.")
right.mistake("has_one_gate_for_all_heads",
    {"transpose(1, 2)\n    gated": "transpose(1, 2).mean(dim=1, keepdim=True)\n    gated"},
    "All heads of a token get the same gate, the mean of theirs. Each head has its own.")
right.mistake("has_one_gate_in_a_head",
    {"transpose(1, 2)\n    gated": "transpose(1, 2).mean(dim=-1, keepdim=True)\n    gated"},
    "Where `W_g` has heads * d_v outputs, each number of a head has its own gate. You use one, "
    "their mean, for the whole head.")
right.mistake("has_one_gate_for_all_tokens",
    {"transpose(1, 2)\n    gated": "transpose(1, 2).mean(dim=2, keepdim=True)\n    gated"},
    "All tokens of a sequence get the same gates. Each token's gates come from its own row of x.")
right.mistake("splits_the_wrong_way",
    {"unflatten(-1, (heads, -1)).transpose(1, 2)":
        "unflatten(-1, (-1, heads)).movedim(-1, 1)"},
    "You split the outputs of `W_g` as [d_v, heads]. They come head by head: [heads, d_v].")
right.mistake("reshapes_the_gates_without_a_transpose",
    {"unflatten(-1, (heads, -1)).transpose(1, 2)":
        "reshape(output.size(0), heads, output.size(2), -1)"},
    "The gates were put into the shape [batch, heads, length, …] without a transpose, so they "
    "meet other tokens and heads. First split the last axis, then exchange two axes.")
right.mistake("leaves_gates_in_the_order_of_tokens", {".transpose(1, 2)\n    gated": "\n    gated"},
    "Your gates are [batch, length, heads, …] and the output is [batch, heads, length, d_v]. "
    "Which two axes have to change places before you multiply?")
right.mistake("lacks_an_axis_of_gates",
    {"unflatten(-1, (heads, -1)).transpose(1, 2)": "transpose(1, 2)"},
    "The gates have three axes and the output has four, so the last axes meet: length and d_v. "
    "Give the gates an axis of heads and a last axis.")
right.mistake("knows_one_gate_for_each_head_alone",
    {"unflatten(-1, (heads, -1)).transpose(1, 2)": "transpose(1, 2).unsqueeze(-1)"},
    "You always expect one gate for each head. If `W_g` has heads * d_v outputs, its last axis has "
    "to be split into [heads, d_v].")
right.mistake("knows_one_gate_for_each_number_alone",
    {"unflatten(-1, (heads, -1))": "unflatten(-1, (heads, output.size(-1)))"},
    "You always expect heads * d_v gates. If `W_g` has only `heads` outputs, each is the gate of a "
    "whole head.")
right.mistake("repeats_in_another_order",
    {"    gates = gates.unflatten(-1, (heads, -1)).transpose(1, 2)\n":
        "    gates = gates.repeat(1, 1, heads * output.size(-1) // gates.size(-1))\n",
     "    gated = gates * output\n": "",
     "gated.transpose(1, 2).flatten(2)": "output.transpose(1, 2).flatten(2) * gates"},
    "You repeat the gates as a, b, a, b. The numbers of a head are next to each other, so its "
    "gate is needed as a, a, b, b: `repeat_interleave`, or an axis of length 1.")
right.mistake("merges_without_a_transpose",
    {"gated.transpose(1, 2).flatten(2)":
        "gated.reshape(output.size(0), output.size(2), -1)"},
    "You merge the heads without a transpose, so a row holds numbers of several tokens.")
right.mistake("merges_number_by_number", {"gated.transpose(1, 2)": "gated.permute(0, 2, 3, 1)"},
    "In your merged rows the heads alternate. All numbers of head 0 come first, then those of "
    "head 1.")
right.mistake("ignores_the_bias_of_the_gate", {"W_g(x)": "x @ W_g.weight.mT"},
    "The bias of `W_g` is left out. Call the layer instead of using its weight alone.")
right.mistake("ignores_the_bias_of_the_projection", {"W_o(merged)": "merged @ W_o.weight.mT"},
    "The bias of `W_o` is left out. Call the layer instead of using its weight alone.")
right.mistake("needs_a_bias",
    {"W_g(x)": "x @ W_g.weight.mT + W_g.bias", "W_o(merged)": "merged @ W_o.weight.mT + W_o.bias"},
    "A layer without a bias has None there. Call the layer: `W_g(x)` adds a bias if there is one.")
right.mistake("adds_the_bias_for_each_head",
    {"W_o(merged)":
        "W_o(merged) + (0 if W_o.bias is None else (heads - 1) * W_o.bias)"},
    "The bias of `W_o` is added once for each head. Add it once, to the sum over all heads.")
right.mistake("gates_x", {"gates * output": "gates * x.unflatten(-1, (heads, -1)).transpose(1, 2)"},
    "You multiply x by the gates, and the output of the heads is not used. x only makes the "
    "gates.")
right.mistake("takes_the_sigmoid_of_the_output",
    {"torch.sigmoid(logits)": "logits", "gates * output": "gates * output.sigmoid()"},
    "You take the sigmoid of the output of the heads, not of `W_g(x)`.")
right.mistake("takes_the_sigmoid_of_the_product",
    {"torch.sigmoid(logits)": "logits", "gates * output": "(gates * output).sigmoid()"},
    "You take the sigmoid after multiplying. The gate is sigmoid(W_g(x)); multiply by it then.")
right.mistake("adds_the_gates", {"gates * output": "gates + output"},
    "You add the gates. A gate multiplies: 0 closes, 1 lets everything through.")
right.mistake("adds_the_output_once_more", {"gates * output": "output + gates * output"},
    "You multiply by one plus the gate, or add the output again: nothing is ever closed.")
right.mistake("has_no_gate", {"gates * output": "output"},
    "The gates change nothing: the heads are only merged and projected.")
right.mistake("does_not_project", {"W_o(merged)": "merged"},
    "The gated heads are merged, but `W_o` is not used.")
right.mistake("multiplies_in_place", {"gates * output": "output.mul_(gates)"},
    "You multiply the caller's output in place. Make a new tensor.")
# fmt: on
