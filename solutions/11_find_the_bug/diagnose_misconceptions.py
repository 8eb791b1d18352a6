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
    "With one head you cannot tell apart what has to do with heads: the width of a head and of the "
    "model are the same then, and there is nothing to merge. Use several.")
right.mistake("uses_small_inputs",
    {"asked(layer)":
        "asked(layer, matrices=torch.randn(4, 12, 12) / torch.tensor([300, 300, 3, 3])[:, "
        "None, None])"},
    "Your inputs or matrices are so small that all scores are nearly 0, and then no factor shows. "
    "If a root is not seen: draw larger ones.")
right.mistake("never_names_dropout", {"asked(layer)": 'asked(layer, other="nothing")'},
    "What is not like any kind that you know is random: you call it right. Call the layer twice "
    "with the same inputs. What does dropout do then?")
right.mistake("compares_bits", {"asked(layer)": "asked(layer, by=1e-30)"},
    "No layer is like what you expect, not even a right one. If you compare bits, allow for "
    "rounding. If not: is it `x @ W`, and which columns does a head have?")
right.mistake("uses_equal_matrices",
    {"asked(layer)": "asked(layer, matrices=torch.eye(12).repeat(4, 1, 1))"},
    "If all your matrices are the same, keys and values are, too. Which defect can nobody see "
    "then?")
right.mistake("takes_all_leaks_for_one",
    {"return asked(layer)":
        "name = asked(layer)\n"
        '    return "no mask" if name in ("mask inverted", "one key ahead") else name'},
    "You name every layer that sees the future alike. How far does it see: one token, all of them, "
    "or the future only?")
right.mistake("uses_two_tokens", {"asked(layer)": "asked(layer, length=2)"},
    "With two tokens, one key ahead is all keys. Use a longer text.")
right.mistake("looks_at_the_last_position", {"asked(layer)": "asked(layer, at=slice(-1, None))"},
    "If you compare the last position only, it may see everything anyway. What differs between a "
    "mask and none is at the earlier positions.")
right.mistake("looks_at_the_first_position", {"asked(layer)": "asked(layer, at=slice(0, 1))"},
    "If you compare the first position only, it sees nothing but itself: its one weight is 1, "
    "whatever the scores are.")
right.mistake("repeats_one_token",
    {"asked(layer)": "asked(layer, x=torch.randn(2, 1, 12).expand(2, 7, 12))"},
    "If you repeat one token, all values are equal, and an average of equals does not show who is "
    "in it. Draw different tokens.")
right.mistake("allows_too_much",
    {"return asked(layer)": "torch.manual_seed(2)\n    return asked(layer, by=1.2)"},
    "Your bound is too wide: layers that differ count as the same, and the first name in your list "
    "wins. Use the nearest, or a smaller bound.")
right.mistake("takes_any_root_for_none",
    {"return asked(layer)":
        'name = asked(layer)\n    return "no root" if name == "root of the width" else name'},
    "You take a wrong root for none. Both make the scores too large or too small: by which factor?")
right.mistake("takes_queries_for_late_masks",
    {"return asked(layer)":
        "name = asked(layer)\n"
        '    return "masked after the softmax" if name == "softmax over the queries" else name'},
    "Rows that do not sum to 1 have two causes in the list. In which of them do the columns sum to "
    "1?")
right.mistake("looks_at_the_shape",
    {"return asked(layer)":
        "x = torch.randn(2, 7, 12)\n"
        "    found = layer(x, *torch.randn(4, 12, 12) / 3, 3)\n"
        "    fits = found.shape == x.shape and bool(found.isfinite().all())\n"
        '    return "nothing" if fits else "no mask"'},
    "You call every layer right, or nearly. If you look at shapes, or at whether all is finite: "
    "each layer of this exercise passes that.")
right.mistake("returns_none_for_right",
    {"return asked(layer)": 'name = asked(layer)\n    return None if name == "nothing" else name'},
    "A layer with nothing wrong has a name in the list, too. Return that, and not None or another "
    "word.")
right.mistake("writes_names_in_another_way", {"asked(layer)": 'asked(layer).replace(" ", "_")'},
    "The names of your answers are written in another way than in the table. Spaces stay spaces.")
right.mistake("misses_no_root", {"asked(layer)": 'unless(layer, "no root")'},
    'You call a layer random that is not: it is of the line "no root" of the table. By what are '
    "the dot products divided there?")
right.mistake("misses_root_of_the_width", {"asked(layer)": 'unless(layer, "root of the width")'},
    'You call a layer random that is not: it is of the line "root of the width" of the table. '
    "`d_model` is the width of x, not that of a head.")
right.mistake("misses_softmax_over_the_queries",
    {"asked(layer)": 'unless(layer, "softmax over the queries")'},
    'You call a layer random that is not: it is of the line "softmax over the queries" of the '
    "table. Which weights sum to 1 there, and does the mask still hold?")
right.mistake("misses_no_mask", {"asked(layer)": 'unless(layer, "no mask")'},
    'You call a layer random that is not: it is of the line "no mask" of the table. Which keys '
    "does each query see there?")
right.mistake("misses_inverted_mask", {"asked(layer)": 'unless(layer, "mask inverted")'},
    'You call a layer random that is not: it is of the line "mask inverted" of the table. Each '
    "query sees itself there, too, and the keys after it.")
right.mistake("misses_key_ahead", {"asked(layer)": 'unless(layer, "one key ahead")'},
    'You call a layer random that is not: it is of the line "one key ahead" of the table. Each '
    "query sees what it should there, and one key more.")
right.mistake("misses_late_mask", {"asked(layer)": 'unless(layer, "masked after the softmax")'},
    'You call a layer random that is not: it is of the line "masked after the softmax" of the '
    "table. The weights of later keys are set to 0 there, and nothing is divided again.")
right.mistake("misses_unmerged_heads", {"asked(layer)": 'unless(layer, "heads not merged")'},
    'You call a layer random that is not: it is of the line "heads not merged" of the table. Where '
    "does the axis of heads stand when the outputs are reshaped?")
right.mistake("misses_keys_as_values", {"asked(layer)": 'unless(layer, "keys as values")'},
    'You call a layer random that is not: it is of the line "keys as values" of the table. Which '
    "matrix makes the values there, and which the keys?")
right.mistake("exchanges_the_roots",
    {"return asked(layer)":
        "name = asked(layer)\n"
        '    roots = {"no root": "root of the width", "root of the width": "no root"}\n'
        "    return roots.get(name, name)"},
    "You exchange the two wrong roots. Which of them makes the scores too large, and which too "
    "small?")
