"""Known mistakes of `reorder_cache`."""

import torch

from .reorder_cache import exercise


@exercise.base
def right(cache, beams):
    start = torch.arange(beams.size(0), device=beams.device) * beams.size(1)
    rows = (beams + start[:, None]).flatten()
    return [[x[rows] for x in layer] for layer in cache]


# fmt: off
right.mistake("reorders_the_keys_only",
    {"[x[rows] for x in layer] for layer in cache":
        "[key[rows], value.clone()] for key, value in cache"},
    "Values stay where they were. What happens to keys happens to them, too.")
right.mistake("reorders_the_values_only",
    {"[x[rows] for x in layer] for layer in cache":
        "[key.clone(), value[rows]] for key, value in cache"},
    "Keys stay where they were. What happens to values happens to them, too.")
right.mistake("takes_the_keys_for_values",
    {"x[rows] for x in layer": "layer[0][rows], layer[0][rows]"},
    "The values of the new cache are its keys once more.")
right.mistake("returns_the_old_lists",
    {"return [":
        "if torch.equal(rows, torch.arange(len(rows), device=rows.device)):\n"
        "        return cache\n"
        "    return ["},
    "Where no beam moves, the lists of the argument come back. New ones are asked for: whoever "
    "writes into them next would change the old cache, too.")
right.mistake("rounds_to_half_precision", {"x[rows]": "x[rows].half().to(x.dtype)"},
    "The numbers come back with fewer digits: they went through half precision. They only change "
    "their rows.")
right.mistake("reorders_the_first_layer_only",
    {"x[rows] for": "x[rows] if layer is cache[0] else x.clone() for"},
    "Only the first layer is reordered. Every layer keeps keys and values of the same tokens.")
right.mistake("forgets_where_sentences_start", {"beams + start[:, None]": "beams"},
    "`beams` are numbers within a sentence. Every row comes from the first sentence now: where do "
    "the rows of the others start?")
right.mistake("first_sentence_for_all", {"(beams + start": "(beams[:1] + start"},
    "Every sentence follows the beams of the first one. Each has a row of its own in `beams`.")
right.mistake("starts_by_the_batch", {"* beams.size(1)": "* beams.size(0)"},
    "Sentences start in the wrong rows: count beams a sentence, not sentences.")
right.mistake("lays_rows_out_by_beams",
    {" * beams.size(1)": "", "(beams +": "(beams * beams.size(0) +"},
    "Rows are laid out beam by beam here. In the cache, all beams of a sentence come one after the "
    "other.")
right.mistake("sends_instead_of_fetching", {"x[rows]": "x.index_copy(0, rows, x)"},
    "It goes the wrong way: `beams` says where a new row comes from, and you send old rows there.")
right.mistake("overwrites_while_reading",
    {"return [[x[rows] for x in layer] for layer in cache]":
        "moved = [[x.clone() for x in layer] for layer in cache]\n"
        "    for x in (x for layer in moved for x in layer):\n"
        "        for new, old in enumerate(rows.tolist()):\n"
        "            x[new] = x[old].clone()\n"
        "    return moved"},
    "Rows are overwritten while they are still to be read. Fetch all of them first, into new "
    "tensors.")
right.mistake("changes_the_cache",
    {"return [[x[rows] for x in layer] for layer in cache]":
        "for x in (x for layer in cache for x in layer):\n"
        "        x.copy_(x[rows])\n"
        "    return cache"},
    "You change what the caller gave, its tensors or its lists. Return new ones.")
right.mistake("reorders_the_heads", {"x[rows]": "x[:, beams.flatten()]"},
    "It is the axis of heads that is reordered, or that fails to be. Which axis of a key counts "
    "the rows?")
right.mistake("sorts_the_beams", {"(beams +": "(beams.sort(dim=-1).values +"},
    "The beams are sorted first. Their order is that of the new rows.")
right.mistake("leaves_out_what_is_empty", {"in cache]": "in cache if layer[0].numel()]"},
    "A layer in which nothing was written yet is left out. Its rows are reordered like others.")
right.mistake("new_rows_beam_by_beam", {".flatten()": ".T.flatten()"},
    "The new rows are laid out beam by beam. All new beams of the first sentence come first.")
