"""How a series looks: one colour, marker and dash for one thing in the whole book.

A look is two numbers, of the colour in styles/colors.css and of the marker with its dash. Things
that belong together share a colour: with the root and without, whatever the type of number.
"""

from collections.abc import Iterable

MARKERS = "osD^vP"
DASHED = ((5, 2), (1, 1.4), (5, 1.5, 1, 1.5), (8, 2), (2, 2))  # after the solid line
DASHES: list[str | tuple[int, tuple[float, ...]]] = ["-", *((0, dash) for dash in DASHED)]
Look = tuple[int, int]
LOOKS: dict[str, Look] = {
    # networks and what they look back with
    "one vector": (0, 0), "RNN": (0, 0),
    "attention": (1, 1), "attention, even": (1, 1), "transformer": (1, 1),
    "GRU": (2, 2), "GRU, batch 1": (2, 2), "GRU, batch 16": (2, 4),
    "LSTM": (3, 3), "LSTM, batch 1": (3, 3), "LSTM, batch 16": (3, 5), "LSTM, bias 7": (3, 5),
    # the root
    "root": (0, 0), "root, mean": (0, 0), "float16, root": (0, 0),
    "root, median": (0, 3), "bfloat16, root": (0, 3),
    "no root": (1, 1), "no root, mean": (1, 1), "float16, no root": (1, 1),
    "no root, median": (1, 2), "no root, small start": (1, 2), "bfloat16, no root": (1, 2),
    # heads
    "layer 1": (0, 0), "previous token, layer 1": (0, 0),
    "layer 2": (1, 1), "induction, layer 2": (1, 1),
    # parts of a block
    "whole block": (0, 0), "pre-norm": (0, 0), "post-norm": (1, 1),
    "no norm": (2, 2), "no residual": (3, 3), "no MLP": (4, 4),
    # positions
    "relative": (0, 2), "ALiBi": (1, 1), "RoPE": (2, 0), "learned": (3, 3),
    # pieces
    "at once": (0, 0), "in pieces": (1, 1), "in tiles": (0, 0), "running": (1, 1),
    "forward": (0, 0), "with backward": (1, 1), "training": (1, 1),
    # the cache and the next token
    "with a cache": (0, 0), "without a cache": (1, 1),
    "all heads": (0, 0), "8 heads": (1, 1), "8 heads of keys": (1, 1),
    "1 head": (2, 2), "1 head of keys": (2, 2), "latent": (3, 3),
    # how a state is written
    "softmax": (0, 0), "linear": (1, 1), "gated": (2, 2), "delta": (3, 3), "gated delta": (4, 4),
    "softmax, kernel": (0, 0), "softmax, formula": (0, 3),
}  # fmt: skip


def looks(names: Iterable[str], taken: Iterable[int] = ()) -> list[Look]:
    """Of each name its own look, or one whose colour is not `taken` by the others."""
    names = list(names)
    used = {*taken, *(LOOKS[name][0] for name in names if name in LOOKS)}
    free = iter([(at, at) for at in range(len(MARKERS)) if at not in used])
    return [LOOKS[name] if name in LOOKS else next(free) for name in names]
