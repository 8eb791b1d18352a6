"""Known mistakes of `reach`."""

import torch

from .reach import exercise


def itself(masks):
    return torch.eye(masks.size(-1), dtype=torch.bool, device=masks.device)


@exercise.base
def right(masks):
    reached = itself(masks)
    for mask in masks:
        reached = ((mask | itself(masks)).float() @ reached.float()) > 0
    return reached


# fmt: off
right.mistake("joins_the_masks", {"return reached": "return masks.any(dim=0) | itself(masks)"},
    "You join the masks of the layers: what a query sees in any of them. What it sees in the "
    "second layer has seen others in the first.")
right.mistake("intersects_the_masks", {"return reached": "return masks.all(dim=0) | itself(masks)"},
    "You keep the pairs that every layer allows. A key that is seen in one layer is seen: how does "
    "a window reach further than one window?")
right.mistake("looks_at_the_last_layer", {"return reached": "return masks[-1] | itself(masks)"},
    "You look at the last layer only. What it reads was written by the layers below.")
right.mistake("goes_from_the_last_to_the_first", {"in masks:": "in masks.flip(0):"},
    "The layers are in the wrong order. Which of them reads the input: the first or the last? In a "
    "product of matrices the one on the right acts first.")
right.mistake("forgets_the_residual", {"(mask | itself(masks))": "mask"},
    "A position forgets what it had where it does not see itself. Each layer adds what attention "
    "returns to its input.")
right.mistake("turns_the_result", {"return reached": "return reached.mT"},
    "Rows and columns are exchanged: your result says whom a position reaches, not on whom it "
    "depends. Rows are outputs.")
right.mistake("counts_the_paths",
    {"= itself(masks)": "= itself(masks).double()",
     "((mask | itself(masks)).float() @ reached.float()) > 0":
        "(mask | itself(masks)).double() @ reached"},
    "Your result is a number of paths, or 0 and 1. Asked for is True or False.")
right.mistake("overflows_with_depth",
    {"= itself(masks)": "= itself(masks).long()",
     "((mask | itself(masks)).float() @ reached.float()) > 0":
        "(mask | itself(masks)).long() @ reached",
     "return reached": "return reached > 0"},
    "Right for a few layers; then the number of paths no longer fits its dtype, and wraps round to "
    "0. What do you need of the number after each layer?")
right.mistake("turns_to_nan_with_depth",
    {"= itself(masks)": "= itself(masks).float()",
     "((mask | itself(masks)).float() @ reached.float()) > 0":
        "(mask | itself(masks)).float() @ reached",
     "return reached": "return reached > 0"},
    "Right for a few layers; then a number of paths is infinite, infinity times 0 is NaN, and NaN "
    "is not above 0. What do you need of the number after each layer?")
right.mistake("repeats_the_first_layer", {"in masks:": "in masks[:1].expand_as(masks):"},
    "Deep stacks are wrong: you use the first layer's mask for all of them. Layers may differ.")
right.mistake("goes_on_until_nothing_changes",
    {"in masks:": "in masks.repeat(masks.size(-1), 1, 1):"},
    "You let information travel as far as it can, whatever the number of layers. Each layer passes "
    "it on once.")
right.mistake("leaves_the_last_layer_out", {"in masks:": "in masks[:-1]:"},
    "One layer too few: the last one is left out, or the first one is taken for the input itself.")
right.mistake("counts_in_8_bits",
    {"= itself(masks)": "= itself(masks).byte()",
     "((mask | itself(masks)).float() @ reached.float()) > 0":
        "((mask | itself(masks)).byte() @ reached > 0).byte()",
     "return reached": "return reached > 0"},
    "Wrong where a position is reached in very many ways. Their number is counted in a dtype that "
    "is too small for it: what comes after 255 in uint8, and after 127 in int8?")
right.mistake("keeps_itself_at_the_end_only",
    {"(mask | itself(masks))": "mask", "return reached": "return reached | itself(masks)"},
    "A position keeps what it had only at the end. It keeps it in each layer: what it got in the "
    "first one is there in the third, though it does not see itself in the second.")
right.mistake("assumes_causal_masks", {"return reached": "return reached.tril()"},
    "You assume that nobody sees what comes later. The masks may be any others.")
right.mistake("begins_with_the_first_mask",
    {"reached = itself(masks)": "reached = masks[0]", "in masks:": "in masks[1:]:"},
    "The first layer has no residual in your computation: a position that does not see itself "
    "there loses its own input. What does each position depend on before the first layer?")
right.mistake("takes_rows_for_keys", {"(mask |": "(mask.mT |"},
    "Your result belongs to masks whose rows and columns are exchanged. The query is in the row: "
    "it gets what the key in the column has.")


@exercise.misconception(
    "Within one layer a position gets what another one got in the same layer. Do you write into "
    "the rows that you still read? All of a layer's queries read what the layer below left."
)
def reads_what_the_layer_wrote(masks):
    reached = itself(masks)
    for mask in masks:
        for i, row in enumerate(mask):
            reached[i] |= (row[:, None] & reached).any(0)
    return reached
