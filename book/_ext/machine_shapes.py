"""What a part of the machine is made of: a box with a name, lines, and the place that it links to.

Units are pixels on a phone. In a text, `$…$` is set as in a formula: `_` lowers, `^` raises, `*` is
a cross.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Box:
    """A frame with a name in it, and details: right of the name if `wide`, else below it."""

    x: int
    y: int
    width: int
    height: int
    name: str = ""
    details: tuple[str, ...] = ()
    wide: bool = False


@dataclass(frozen=True)
class Part:
    """One link of the drawing, to the section `anchor` of its chapter. Paths are those of SVG."""

    name: str
    chapter: str
    anchor: str
    says: str  # for who does not see it
    box: Box
    lines: str = ""  # drawn on the box or beside it
    wires: str = ""  # below all boxes
    behind: tuple[Box, ...] = ()  # below the wires
    framed: bool = True


def station(y: int, name: str, *details: str) -> Box:
    """One of those below each other, from the scores to the average."""
    return Box(18, y, 228, 30, name, details, wide=True)


def projection(x: int, y: int, of: str) -> Box:
    return Box(x - 25, y, 50, 24, f"$W_{of}$")


def down(x: int, y: int) -> str:
    """The head of an arrow that ends here."""
    return f"M{x - 4} {y - 6}l4 6 4-6"


def right(x: int, y: int) -> str:
    return f"M{x - 6} {y - 4}l6 4-6 4"


def left(x: int, y: int) -> str:
    return f"M{x + 6} {y - 4}l-6 4 6 4"


def vector(x: int, y: int) -> str:
    """Three numbers below each other."""
    return f"M{x} {y}h10v18h-10zM{x} {y + 6}h10M{x} {y + 12}h10"


def tiles(x: int, y: int) -> str:
    """Three by three tiles, one of which holds scores."""
    lines = (f"M{x} {y + at}h42M{x + at} {y}v42" for at in range(0, 43, 14))
    return f"{''.join(lines)}M{x + 14} {y + 21}l7-7M{x + 14} {y + 28}l14-14M{x + 21} {y + 28}l7-7"


def states() -> str:
    return "".join(vector(x, 41) for x in range(240, 321, 20))
