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
    "You take the union of the masks: what a query sees in any layer. A position that it sees in "
    "the second layer has seen others in the first.")
right.mistake("intersects_the_masks", {"return reached": "return masks.all(dim=0) | itself(masks)"},
    "You keep the pairs that every layer allows. Being seen in one layer is enough. How else "
    "could a stack of windows reach further than one window?")
right.mistake("looks_at_the_last_layer", {"return reached": "return masks[-1] | itself(masks)"},
    "You look only at the last layer. Its input was written by the layers below.")
right.mistake("goes_from_the_last_to_the_first", {"in masks:": "in masks.flip(0):"},
    "The layers are in the wrong order. Which of them reads the input, the first or the last? In "
    "a product of matrices the one on the right acts first.")
right.mistake("forgets_the_residual", {"(mask | itself(masks))": "mask"},
    "A position loses its own content where it does not see itself. Each layer adds the result of "
    "attention to its input.")
right.mistake("turns_the_result", {"return reached": "return reached.mT"},
    "Rows and columns are exchanged: your result says which positions a position reaches, not "
    "which ones it depends on. Rows are outputs.")
right.mistake("counts_the_paths",
    {"= itself(masks)": "= itself(masks).double()",
     "((mask | itself(masks)).float() @ reached.float()) > 0":
        "(mask | itself(masks)).double() @ reached"},
    "Your result is a number of paths, or 0 and 1. The exercise asks for True or False.")
right.mistake("overflows_with_depth",
    {"= itself(masks)": "= itself(masks).long()",
     "((mask | itself(masks)).float() @ reached.float()) > 0":
        "(mask | itself(masks)).long() @ reached",
     "return reached": "return reached > 0"},
    "The result is right for a few layers, but then the number of paths no longer fits its dtype "
    "and wraps round to 0. What do you need to know about the number after each layer?")
right.mistake("turns_to_nan_with_depth",
    {"= itself(masks)": "= itself(masks).float()",
     "((mask | itself(masks)).float() @ reached.float()) > 0":
        "(mask | itself(masks)).float() @ reached",
     "return reached": "return reached > 0"},
    "The result is right for a few layers, but then a number of paths is infinite, infinity times "
    "0 is NaN, and NaN is not above 0. What do you need to know about the number after each layer?")
right.mistake("repeats_the_first_layer", {"in masks:": "in masks[:1].expand_as(masks):"},
    "Deep stacks are wrong: you use the first layer's mask for all layers. Layers may differ.")
right.mistake("goes_on_until_nothing_changes",
    {"in masks:": "in masks.repeat(masks.size(-1), 1, 1):"},
    "You let information travel as far as it can, whatever the number of layers. Each layer "
    "passes it on only once.")
right.mistake("leaves_the_last_layer_out", {"in masks:": "in masks[:-1]:"},
    "There is one layer too few: the last one is left out, or the first one is treated as the "
    "input.")
right.mistake("counts_in_8_bits",
    {"= itself(masks)": "= itself(masks).byte()",
     "((mask | itself(masks)).float() @ reached.float()) > 0":
        "((mask | itself(masks)).byte() @ reached > 0).byte()",
     "return reached": "return reached > 0"},
    "The result is wrong where a position is reached in very many ways. Their number is counted "
    "in a dtype that is too small. What comes after 255 in uint8, and after 127 in int8?")
right.mistake("keeps_itself_at_the_end_only",
    {"(mask | itself(masks))": "mask", "return reached": "return reached | itself(masks)"},
    "A position keeps its content only at the end. It should keep it in each layer: what it got "
    "in the first layer is still there in the third, even if it does not see itself in the second.")
right.mistake("assumes_causal_masks", {"return reached": "return reached.tril()"},
    "You assume that no position sees later ones. The masks may be any others.")
right.mistake("begins_with_the_first_mask",
    {"reached = itself(masks)": "reached = masks[0]", "in masks:": "in masks[1:]:"},
    "In your computation the first layer has no residual, so a position that does not see itself "
    "there loses its own input. What does each position depend on before the first layer?")
right.mistake("takes_rows_for_keys", {"(mask |": "(mask.mT |"},
    "Your result is right for masks whose rows and columns are exchanged. The query is in the "
    "row: it receives what the key in the column holds.")


@exercise.misconception(
    "Within one layer, a position gets what another one got in the same layer. Do you write into "
    "rows that you still have to read? All queries of a layer read the result of the layer below."
)
def reads_what_the_layer_wrote(masks):
    reached = itself(masks)
    for mask in masks:
        for i, row in enumerate(mask):
            reached[i] |= (row[:, None] & reached).any(0)
    return reached
