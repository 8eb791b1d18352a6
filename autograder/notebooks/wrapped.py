"""A notebook within another form: compressed, or as a text in JSON or in HTML."""

import html
import json
import zlib

from autograder.notebooks.kinds import GZIP

UNPACKED = 16 * 2**20  # bytes of a compressed notebook
TAR = b"ustar"


def inflated(data: bytes) -> bytes:
    """The file that gzip has compressed; the data as it is where that is large or a tar archive."""
    if not data.startswith(GZIP):
        return data
    stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        found = stream.decompress(data, UNPACKED)
    except zlib.error:
        return data
    return found if stream.eof and found[257:262] != TAR else data


def inner(text: str) -> str:
    """The notebook that a text holds as a JSON string or with HTML's entities; "" if none."""
    if "&quot;cells&quot;" in text:
        return html.unescape(text)
    try:
        found = json.loads(text) if text.lstrip().startswith('"') else ""
    except ValueError:
        return ""
    return found if isinstance(found, str) else ""
