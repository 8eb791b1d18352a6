"""Pictures that a student attached to a written answer: which are kept, what is said of the rest.

Jupyter keeps them in the cell, by name, in base64 (nbformat, "Cell attachments":
https://nbformat.readthedocs.io/en/latest/format_description.html#cell-attachments). Colab writes
them into the text. The few bytes that are read here are read at fixed places; nothing is decoded as
a picture but by the browser that shows it.
"""

import base64
import binascii
import re
import struct
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any
from urllib.parse import quote

NUMBER, BYTES, PIXELS, NAME = 10, 5 * 2**20, 50_000_000, 100  # of an answer; of a picture
SEGMENTS = 1_000  # of a JPEG, before its size, with the bytes that only fill
BLOCKS = 10_000  # of a GIF: frames, and what is said about them
GIF_EXTENSION, GIF_FRAME = b"\x21", b"\x2c"
TOLD = 3  # of the pictures that are left out, each with its reason; of the others their number
KEPT = (
    f"PNG, JPEG, GIF and WebP are kept, {NUMBER} in an answer, of up to {BYTES >> 20} MB and "
    f"{PIXELS // 1_000_000} megapixels each"
)
PREFIX = "attachment:"
# Colab's way of attaching. What stands before the address is bounded: the work is linear.
INLINE = re.compile(
    r"!\[([^\[\]\n]{0,200})\]\(data:(image/[a-z+]{1,20});base64,([A-Za-z0-9+/=\s]*)\)"
)
Attachments = dict[str, dict[str, str]]  # by name: the type of a picture, and its base64
Size = Callable[[bytes], tuple[int, int]]


class Pictures:
    """The pictures of an answer. text: it, with references to them; told: which are left out."""

    def __init__(self, text: str, attached: Any):
        self.kept: Attachments = {}
        self._left_out: list[str] = []
        self._written_out = self._more = 0
        for name, kind, data in _attached(attached):
            self._take(name, kind, data)
        self.text = INLINE.sub(self._out_of_the_text, text)

    @property
    def told(self) -> list[str]:
        if not self._more:
            return self._left_out
        more = "picture was" if self._more == 1 else "pictures were"
        return [*self._left_out, f"{self._more:,} more {more} left out"]

    def _take(self, name: str, kind: str, data: str) -> None:
        full = len(self.kept) >= NUMBER
        refused = f"there are more than {NUMBER}" if full else _refused(name, kind, data)
        if refused and len(self._left_out) == TOLD:
            self._more += 1
        elif refused:
            self._left_out.append(f"the picture {_shown(name)} was left out: {refused}")
        else:
            self.kept[name] = {kind: "".join(data.split())}

    def _out_of_the_text(self, found: re.Match[str]) -> str:
        """Return a reference to a picture that was written out as an address."""
        alt, kind, data = found.groups()
        self._written_out += 1
        name = f"in-the-text-{self._written_out}.{kind.removeprefix('image/')}"
        self._take(name, kind, data)
        return f"![{alt}]({PREFIX}{name})"


def together(parts: list[tuple[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Join the texts of several cells, and what is attached to them; no two under one name.

    Jupyter calls what is pasted image.png, in each cell.
    """
    texts, attachments = list[str](), dict[str, Any]()
    for number, (text, attached) in enumerate(parts, 1):
        texts.append(text)
        for name, bundle in attached.items() if isinstance(attached, dict) else ():
            new = f"{number}-{name}" if name in attachments else name
            attachments[new] = bundle
            if new != name:
                texts[-1] = _renamed(texts[-1], name, new)
    return "\n\n".join(texts), attachments


def _renamed(text: str, name: str, new: str) -> str:
    """Rename a picture in a text, also in HTML, with a title or with escaped blanks."""
    for old, other in {(name, new), (quote(name), quote(new))}:
        pieces = re.split(rf"{PREFIX}{re.escape(old)}(?=[)\"'\s>]|\Z)", text)
        text = f"{PREFIX}{other}".join(pieces)
    return text


def _attached(attached: Any) -> Iterator[tuple[str, str, str]]:
    """Name, type and base64 of what a cell says is attached to it, whatever it really is."""
    entries = attached.items() if isinstance(attached, dict) else ()
    for name, bundle in islice(entries, 10 * NUMBER):
        kinds = [*islice(bundle.items(), NUMBER)] if isinstance(bundle, dict) else []
        for kind, data in sorted(kinds, key=lambda item: item[0] not in SIZES)[:1]:
            lines = data if isinstance(data, list) else [data]
            yield str(name), str(kind), "".join(line for line in lines if isinstance(line, str))


def _refused(name: str, kind: str, data: str) -> str:
    """Say why a picture is not kept; "" if it is."""
    if kind not in SIZES:
        return f"it is {_shown(kind)}, which is none of PNG, JPEG, GIF and WebP"
    if len(name) > NAME or not name.isprintable():
        return f"its name has more than {NAME} characters, or some that cannot be shown"
    if len(data) > BYTES * 4 // 3 + BYTES // 50:  # base64, with its line breaks
        return f"it is larger than {BYTES >> 20} MB"
    try:
        width, height = SIZES[kind](base64.b64decode("".join(data.split()), validate=True))
    except (binascii.Error, struct.error, ValueError, IndexError):
        return f"it is no {kind.removeprefix('image/').upper()} picture"
    if not 0 < width * height <= PIXELS:
        return f"it has {width:,} by {height:,} pixels, more than {PIXELS:,} in all"
    return ""


def _png(data: bytes) -> tuple[int, int]:
    """https://www.w3.org/TR/png-3/#11IHDR"""
    _begins(data[:8] == b"\x89PNG\r\n\x1a\n" and data[12:16] == b"IHDR")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def _gif(data: bytes) -> tuple[int, int]:
    """https://www.w3.org/Graphics/GIF/spec-gif89a.txt

    Browsers enlarge a screen for a frame that lies outside of it.
    """
    _begins(data[:6] in (b"GIF87a", b"GIF89a"))
    width, height = struct.unpack("<HH", data[6:10])
    for left, top, across, down in _frames(data):
        width, height = max(width, left + across), max(height, top + down)
    return width, height


def _frames(data: bytes) -> Iterator[tuple[int, ...]]:
    """Yield the place and size of each frame, until the end, or what is no block of a GIF."""
    at, blocks = 13 + _colours(data[10]), 0
    while data[at : at + 1] in (GIF_EXTENSION, GIF_FRAME):
        if data[at : at + 1] == GIF_FRAME:
            yield struct.unpack("<HHHH", data[at + 1 : at + 9])
            at += 9 + _colours(data[at + 9])
        at += 2
        while (size := int.from_bytes(data[at : at + 1])) > 0:
            at += 1 + size
        at, blocks = at + 1, blocks + 1
        _begins(blocks < BLOCKS)


def _colours(flags: int) -> int:
    """Bytes of the table of colours that these flags announce."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _webp(data: bytes) -> tuple[int, int]:
    """https://developers.google.com/speed/webp/docs/riff_container"""
    _begins(data[:4] == b"RIFF" and data[8:12] == b"WEBP")
    if data[12:16] == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if data[12:16] == b"VP8L":
        (bits,) = struct.unpack("<I", data[21:25])
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    _begins(data[12:16] == b"VP8 ")
    width, height = struct.unpack("<HH", data[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _jpeg(data: bytes) -> tuple[int, int]:
    """Go from marker to marker to that of a frame: https://www.w3.org/Graphics/JPEG/itu-t81.pdf"""
    _begins(data[:2] == b"\xff\xd8")
    at = 2
    for _ in range(SEGMENTS):
        _begins(data[at] == 0xFF)
        if data[at + 1] == 0xFF:  # any number of these may stand before a marker
            at += 1
            continue
        if 0xC0 <= data[at + 1] <= 0xCF and data[at + 1] not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    raise ValueError("no frame")


def _begins(right: bool) -> None:
    if not right:
        raise ValueError("another kind of file")


def _shown(text: str) -> str:
    return ascii(text[:NAME])


SIZES: dict[str, Size] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": _webp,
}
