"""A font that has only the characters that are set in it."""

import io
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont


def subset(font: Path, characters: set[str]) -> bytes:
    """As WOFF2, the same bytes each time; empty if the font has none of these characters."""
    with TTFont(font, recalcTimestamp=False) as opened:
        wanted = {ord(one) for one in characters} & opened.getBestCmap().keys()
        if not wanted:
            return b""
        options = Options(flavor="woff2", layout_features=["*"], hinting=False)
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=wanted)
        subsetter.subset(opened)
        opened.flavor = "woff2"
        opened.save(written := io.BytesIO())
    return written.getvalue()


def characters(font: Path | io.BytesIO) -> set[str]:
    """What a font has."""
    with TTFont(font) as opened:
        return {chr(code) for code in opened.getBestCmap()}
