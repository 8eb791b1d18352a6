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
    "Values are not reordered. Whatever happens to the keys has to happen to the values, too.")
right.mistake("reorders_the_values_only",
    {"[x[rows] for x in layer] for layer in cache":
        "[key.clone(), value[rows]] for key, value in cache"},
    "Keys are not reordered. Whatever happens to the values has to happen to the keys, too.")
right.mistake("takes_the_keys_for_values",
    {"x[rows] for x in layer": "layer[0][rows], layer[0][rows]"},
    "The values of the new cache are a second copy of its keys.")
right.mistake("returns_the_old_lists",
    {"return [":
        "if torch.equal(rows, torch.arange(len(rows), device=rows.device)):\n"
        "        return cache\n"
        "    return ["},
    "Where no beam moves, you return the lists of the argument. Return new ones: writing into "
    "them later would otherwise change the old cache, too.")
right.mistake("rounds_to_half_precision", {"x[rows]": "x[rows].half().to(x.dtype)"},
    "The numbers come back with fewer digits, because you convert them to half precision. Only "
    "their rows should change.")
right.mistake("reorders_the_first_layer_only",
    {"x[rows] for": "x[rows] if layer is cache[0] else x.clone() for"},
    "You reorder only the first layer. Every layer keeps keys and values of the same tokens.")
right.mistake("forgets_where_sentences_start", {"beams + start[:, None]": "beams"},
    "`beams` are numbers within a sentence. In your result every row comes from the first "
    "sentence. Where do the rows of the others start?")
right.mistake("first_sentence_for_all", {"(beams + start": "(beams[:1] + start"},
    "Every sentence follows the beams of the first one. Each has its own row in `beams`.")
right.mistake("starts_by_the_batch", {"* beams.size(1)": "* beams.size(0)"},
    "Sentences start in the wrong rows. How many rows does each sentence have: as many as beams, "
    "or as sentences?")
right.mistake("lays_rows_out_by_beams",
    {" * beams.size(1)": "", "(beams +": "(beams * beams.size(0) +"},
    "You assume that rows are ordered beam by beam. In the cache, all beams of a sentence come "
    "one after the other.")
right.mistake("sends_instead_of_fetching", {"x[rows]": "x.index_copy(0, rows, x)"},
    "You move rows in the wrong direction: `beams` says where a new row comes from, but you use "
    "it as where an old row goes.")
right.mistake("overwrites_while_reading",
    {"return [[x[rows] for x in layer] for layer in cache]":
        "moved = [[x.clone() for x in layer] for layer in cache]\n"
        "    for x in (x for layer in moved for x in layer):\n"
        "        for new, old in enumerate(rows.tolist()):\n"
        "            x[new] = x[old].clone()\n"
        "    return moved"},
    "You overwrite rows that you still have to read. Read all of them first, into new tensors.")
right.mistake("changes_the_cache",
    {"return [[x[rows] for x in layer] for layer in cache]":
        "for x in (x for layer in cache for x in layer):\n"
        "        x.copy_(x[rows])\n"
        "    return cache"},
    "You change the caller's tensors or lists. Return new ones.")
right.mistake("reorders_the_heads", {"x[rows]": "x[:, beams.flatten()]"},
    "You reorder the axis of heads, or the call fails there. Which axis of a key counts the rows?")
right.mistake("sorts_the_beams", {"(beams +": "(beams.sort(dim=-1).values +"},
    "You sort the beams first. Their order is that of the new rows.")
right.mistake("leaves_out_what_is_empty", {"in cache]": "in cache if layer[0].numel()]"},
    "You leave out a layer in which nothing has been written yet. Its rows are reordered like all "
    "others.")
right.mistake("new_rows_beam_by_beam", {".flatten()": ".T.flatten()"},
    "You order the new rows beam by beam. All new beams of the first sentence come first.")
