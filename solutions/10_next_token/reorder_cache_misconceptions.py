"""Known mistakes of `reorder_cache`."""

import torch

from .reorder_cache import exercise


def rows_of(beams):
    """Which row of the cache each new row comes from."""
    start = torch.arange(beams.size(0), device=beams.device) * beams.size(1)
    return (beams + start[:, None]).flatten()


@exercise.misconception("Values stay where they were. What happens to keys happens to them, too.")
def reorders_the_keys_only(cache, beams):
    rows = rows_of(beams)
    return [[key[rows], value.clone()] for key, value in cache]


@exercise.misconception("Keys stay where they were. What happens to values happens to them, too.")
def reorders_the_values_only(cache, beams):
    rows = rows_of(beams)
    return [[key.clone(), value[rows]] for key, value in cache]


@exercise.misconception("The values of the new cache are its keys once more.")
def takes_the_keys_for_values(cache, beams):
    rows = rows_of(beams)
    return [[key[rows], key[rows]] for key, value in cache]


@exercise.misconception(
    "Where no beam moves, the lists of the argument come back. New ones are asked for: whoever "
    "writes into them next would change the old cache, too."
)
def returns_the_old_lists(cache, beams):
    rows = rows_of(beams)
    if torch.equal(rows, torch.arange(len(rows), device=rows.device)):
        return cache
    return [[x[rows] for x in layer] for layer in cache]


@exercise.misconception(
    "The numbers come back with fewer digits: they went through half precision. They only change "
    "their rows."
)
def rounds_to_half_precision(cache, beams):
    rows = rows_of(beams)
    return [[x[rows].half().to(x.dtype) for x in layer] for layer in cache]


@exercise.misconception(
    "Only the first layer is reordered. Every layer keeps keys and values of the same tokens."
)
def reorders_the_first_layer_only(cache, beams):
    rows = rows_of(beams)
    return [[x[rows] if i == 0 else x.clone() for x in layer] for i, layer in enumerate(cache)]


@exercise.misconception(
    "`beams` are numbers within a sentence. Every row comes from the first sentence now: where do "
    "the rows of the others start?"
)
def forgets_where_sentences_start(cache, beams):
    return [[x[beams.flatten()] for x in layer] for layer in cache]


@exercise.misconception(
    "Every sentence follows the beams of the first one. Each has a row of its own in `beams`."
)
def first_sentence_for_all(cache, beams):
    rows = rows_of(beams[:1].expand_as(beams))
    return [[x[rows] for x in layer] for layer in cache]


@exercise.misconception("Sentences start in the wrong rows: count beams a sentence, not sentences.")
def starts_by_the_batch(cache, beams):
    start = torch.arange(beams.size(0), device=beams.device) * beams.size(0)
    rows = (beams + start[:, None]).flatten()
    return [[x[rows] for x in layer] for layer in cache]


@exercise.misconception(
    "Rows are laid out beam by beam here. In the cache, all beams of a sentence come one after the "
    "other."
)
def lays_rows_out_by_beams(cache, beams):
    batch = beams.size(0)
    rows = (beams * batch + torch.arange(batch, device=beams.device)[:, None]).flatten()
    return [[x[rows] for x in layer] for layer in cache]


@exercise.misconception(
    "It goes the wrong way: `beams` says where a new row comes from, and you send old rows there."
)
def sends_instead_of_fetching(cache, beams):
    rows, moved = rows_of(beams).tolist(), []
    for layer in cache:
        pair = [x.clone() for x in layer]
        for old, new in enumerate(rows):
            for x, source in zip(pair, layer, strict=True):
                x[new] = source[old]
        moved.append(pair)
    return moved


@exercise.misconception(
    "Rows are overwritten while they are still to be read. Fetch all of them first, into new "
    "tensors."
)
def overwrites_while_reading(cache, beams):
    moved = [[x.clone() for x in layer] for layer in cache]
    for layer in moved:
        for x in layer:
            for new, old in enumerate(rows_of(beams).tolist()):
                x[new] = x[old].clone()
    return moved


@exercise.misconception(
    "You change what the caller gave, its tensors or its lists. Return new ones."
)
def changes_the_cache(cache, beams):
    rows = rows_of(beams)
    for layer in cache:
        for x in layer:
            x.copy_(x[rows])
    return cache


@exercise.misconception(
    "It is the axis of heads that is reordered, or that fails to be. Which axis of a key counts "
    "the rows?"
)
def reorders_the_heads(cache, beams):
    return [[x[:, beams.flatten()] for x in layer] for layer in cache]


@exercise.misconception("The beams are sorted first. Their order is that of the new rows.")
def sorts_the_beams(cache, beams):
    rows = rows_of(beams.sort(dim=-1).values)
    return [[x[rows] for x in layer] for layer in cache]


@exercise.misconception(
    "A layer in which nothing was written yet is left out. Its rows are reordered like others."
)
def leaves_out_what_is_empty(cache, beams):
    rows = rows_of(beams)
    return [[x[rows] for x in layer] for layer in cache if layer[0].numel()]


@exercise.misconception(
    "The new rows are laid out beam by beam. All new beams of the first sentence come first."
)
def new_rows_beam_by_beam(cache, beams):
    rows = rows_of(beams).view_as(beams).T.flatten()
    return [[x[rows] for x in layer] for layer in cache]
