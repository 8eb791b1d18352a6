"""Known mistakes of `diagnose`."""

import torch

from .diagnose import exercise, outputs


def asked(layer, heads=3, length=7, x=None, matrices=None, by=1e-3, at=None, other="dropout"):
    """The first kind that gives the same at some positions, or what no kind is called."""
    x = torch.randn(2, length, 12) if x is None else x
    matrices = torch.randn(4, 12, 12) / 3 if matrices is None else matrices
    found = layer(x, *matrices, heads)
    for name, wanted in outputs(x, matrices, heads).items():
        if float((found - wanted)[:, at or slice(None)].abs().max()) < by:
            return name
    return other


def unless(layer, name):
    """Right, but that one line of the table is written in another way."""
    found = asked(layer)
    return "dropout" if found == name else found


@exercise.base
def right(layer):
    return asked(layer)


# fmt: off
right.mistake("uses_one_head", {"asked(layer)": "asked(layer, heads=1)"},
    "With one head you cannot tell apart the kinds that differ in their use of heads: the width "
    "of a head is that of the model, and there is nothing to merge. Use several heads.")
right.mistake("uses_small_inputs",
    {"asked(layer)":
        "asked(layer, matrices=torch.randn(4, 12, 12) / torch.tensor([300, 300, 3, 3])[:, "
        "None, None])"},
    "Your inputs or matrices are so small that all scores are nearly 0, so a factor makes no "
    "visible difference. Draw larger ones if you miss a wrong root.")
right.mistake("never_names_dropout", {"asked(layer)": 'asked(layer, other="nothing")'},
    "A layer that fits no kind that you know is random, but you call it right. Call the layer "
    "twice with the same inputs. What does dropout do then?")
right.mistake("compares_bits", {"asked(layer)": "asked(layer, by=1e-30)"},
    "No layer matches your reference, not even a right one. If you compare bits, allow for "
    "rounding. If not, check whether you use `x @ W`, and which columns a head has.")
right.mistake("uses_equal_matrices",
    {"asked(layer)": "asked(layer, matrices=torch.eye(12).repeat(4, 1, 1))"},
    "If all your matrices are the same, keys and values are equal. Which defect is then invisible?")
right.mistake("takes_all_leaks_for_one",
    {"return asked(layer)":
        "name = asked(layer)\n"
        '    return "no mask" if name in ("mask inverted", "one key ahead") else name'},
    "You give the same name to every layer that sees the future. How far does it see: one token "
    "ahead, all tokens, or the future only?")
right.mistake("uses_two_tokens", {"asked(layer)": "asked(layer, length=2)"},
    "With two tokens, one key ahead means all keys. Use a longer text.")
right.mistake("looks_at_the_last_position", {"asked(layer)": "asked(layer, at=slice(-1, None))"},
    "If you compare the last position only, note that it may see everything anyway. A mask makes "
    "a difference only at the earlier positions.")
right.mistake("looks_at_the_first_position", {"asked(layer)": "asked(layer, at=slice(0, 1))"},
    "If you compare the first position only, note that it sees only itself: its one weight is 1, "
    "whatever the scores are.")
right.mistake("repeats_one_token",
    {"asked(layer)": "asked(layer, x=torch.randn(2, 1, 12).expand(2, 7, 12))"},
    "If you repeat one token, all values are equal, so their average is the same for any weights. "
    "Draw different tokens.")
right.mistake("allows_too_much",
    {"return asked(layer)": "torch.manual_seed(2)\n    return asked(layer, by=1.2)"},
    "Your bound is too wide: layers that differ count as equal, and the first name in your list "
    "wins. Use the nearest, or a smaller bound.")
right.mistake("takes_any_root_for_none",
    {"return asked(layer)":
        'name = asked(layer)\n    return "no root" if name == "root of the width" else name'},
    "You mistake a wrong root for no root. Both make the scores too large or too small. By which "
    "factor?")
right.mistake("takes_queries_for_late_masks",
    {"return asked(layer)":
        "name = asked(layer)\n"
        '    return "masked after the softmax" if name == "softmax over the queries" else name'},
    "Two kinds in the list have rows that do not sum to 1. In which of them do the columns sum to "
    "1?")
right.mistake("looks_at_the_shape",
    {"return asked(layer)":
        "x = torch.randn(2, 7, 12)\n"
        "    found = layer(x, *torch.randn(4, 12, 12) / 3, 3)\n"
        "    fits = found.shape == x.shape and bool(found.isfinite().all())\n"
        '    return "nothing" if fits else "no mask"'},
    "You call every layer right, or nearly every one. If you look at shapes, or at whether "
    "everything is finite, note that each layer of this exercise passes that test.")
right.mistake("returns_none_for_right",
    {"return asked(layer)": 'name = asked(layer)\n    return None if name == "nothing" else name'},
    "A layer with nothing wrong has a name in the list, too. Return that name, not None or "
    "another word.")
right.mistake("writes_names_in_another_way", {"asked(layer)": 'asked(layer).replace(" ", "_")'},
    "Your names are not spelled as in the table. Spaces stay spaces.")
right.mistake("misses_no_root", {"asked(layer)": 'unless(layer, "no root")'},
    "You call a layer random that is not. It is the kind \"no root\" in the table. What are the "
    "dot products divided by there?")
right.mistake("misses_root_of_the_width", {"asked(layer)": 'unless(layer, "root of the width")'},
    "You call a layer random that is not. It is the kind \"root of the width\" in the table. "
    "`d_model` is the width of x, not that of a head.")
right.mistake("misses_softmax_over_the_queries",
    {"asked(layer)": 'unless(layer, "softmax over the queries")'},
    "You call a layer random that is not. It is the kind \"softmax over the queries\" in the "
    "table. Which weights sum to 1 there, and does the mask still apply?")
right.mistake("misses_no_mask", {"asked(layer)": 'unless(layer, "no mask")'},
    "You call a layer random that is not. It is the kind \"no mask\" in the table. Which keys "
    "does each query see there?")
right.mistake("misses_inverted_mask", {"asked(layer)": 'unless(layer, "mask inverted")'},
    "You call a layer random that is not. It is the kind \"mask inverted\" in the table. There "
    "each query sees itself, too, and the keys after it.")
right.mistake("misses_key_ahead", {"asked(layer)": 'unless(layer, "one key ahead")'},
    "You call a layer random that is not. It is the kind \"one key ahead\" in the table. There "
    "each query sees the right keys and one more.")
right.mistake("misses_late_mask", {"asked(layer)": 'unless(layer, "masked after the softmax")'},
    "You call a layer random that is not. It is the kind \"masked after the softmax\" in the "
    "table. There the weights of later keys are set to 0, and nothing is divided again.")
right.mistake("misses_unmerged_heads", {"asked(layer)": 'unless(layer, "heads not merged")'},
    "You call a layer random that is not. It is the kind \"heads not merged\" in the table. Where "
    "is the axis of heads when the outputs are reshaped?")
right.mistake("misses_keys_as_values", {"asked(layer)": 'unless(layer, "keys as values")'},
    "You call a layer random that is not. It is the kind \"keys as values\" in the table. Which "
    "matrix gives the values there, and which the keys?")
right.mistake("exchanges_the_roots",
    {"return asked(layer)":
        "name = asked(layer)\n"
        '    roots = {"no root": "root of the width", "root of the width": "no root"}\n'
        "    return roots.get(name, name)"},
    "You exchange the two wrong roots. Which of them makes the scores too large, and which too "
    "small?")
