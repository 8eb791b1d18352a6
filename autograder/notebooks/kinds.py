"""Files that cannot be read as a notebook: what each is, and what to hand in instead."""

import html
import json
import re
import zlib
from dataclasses import dataclass

JSON = re.compile(rb'\{\s*"')
GZIP = b"\x1f\x8b"
ITSELF = "Hand in the notebook itself, the .ipynb file."
AGAIN = "Open it in Jupyter, save it, and hand it in again."
ZIP = "is an archive in which no notebook of the chapter was found. Hand in the .ipynb file."
EMPTY = "is empty: it was not saved whole. Save it in Jupyter and hand it in again."


@dataclass(frozen=True)
class Kind:
    """A kind of file that is no notebook.

    says: goes on where a sentence has named the file. begins: in small letters.
    """

    says: str
    begins: tuple[bytes, ...] = ()
    suffixes: tuple[str, ...] = ()


# What a file begins with decides; where that says nothing, its name does.
KINDS = (
    Kind(f"is a PDF, not the notebook. {ITSELF}", (b"%pdf",), (".pdf",)),
    Kind(f"is a web page, not the notebook. {ITSELF}",
         (b"<!doctype html", b"<html", b"<head", b"from: <saved by"),
         (".html", ".htm", ".xhtml", ".mht", ".mhtml", ".webarchive")),
    Kind(f"is a document, not the notebook. {ITSELF}", (b"{\\rtf", b"\xd0\xcf\x11\xe0"),
         (".docx", ".doc", ".rtf", ".odt", ".pages", ".pptx", ".xlsx")),
    Kind(f"is a picture, not the notebook. {ITSELF}", (b"\x89png", b"\xff\xd8\xff", b"gif8"),
         (".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".svg")),
    Kind("is a placeholder that Git LFS left. Run `git lfs pull`, then hand in the .ipynb file.",
         (b"version https://git-lfs",)),
    Kind("is a placeholder: the notebook itself is in iCloud. Download it, then hand in the .ipynb "
         "file.", (), (".icloud",)),
    Kind("is only a link. Download the notebook, then hand in the .ipynb file.",
         (b"http://", b"https://", b"[internetshortcut]", b"l\0\0\0\x01\x14\x02", b'{"url"'),
         (".webloc", ".lnk", ".url", ".desktop", ".gdoc", ".gsheet", ".gslides", ".gdrive")),
    Kind("is compressed in a way that is not opened here. Hand in the .ipynb file, or a zip.",
         (GZIP, b"7z\xbc\xaf", b"rar!", b"bzh", b"\xfd7zxz", b"\x28\xb5\x2f\xfd"),
         (".gz", ".tgz", ".7z", ".rar", ".tar", ".bz2", ".xz", ".zst")),
    Kind(ZIP, (), (".zip",)),
    Kind(f"is a script or a text, not the notebook. {ITSELF}",
         (b"#!", b"# ", b"---", b"import ", b"from "),
         (".py", ".md", ".qmd", ".rmd", ".ipy", ".r", ".tex")),
)  # fmt: skip


def no_notebook(name: str, start: bytes) -> str:
    """Say what a file is that is no notebook; "" where it may be one.

    start: its first bytes that are no blanks, as `hand_in.head` has them.
    """
    start, name = start.lower(), name.lower()
    by_bytes = [kind.says for kind in KINDS if start.startswith(kind.begins)]
    by_name = [kind.says for kind in KINDS if name.endswith(kind.suffixes)]
    packed = [ZIP] if start.startswith(b"pk") else []  # a .docx is a zip, too
    return next(iter(by_bytes + by_name + packed), "")


def unread(name: str, start: bytes) -> str:
    """Say what is wrong with a file that could not be read as a notebook."""
    if not start:
        return EMPTY
    advice = AGAIN if JSON.match(start) else "Hand in the file that opens in Jupyter."
    cannot = f"is not a Jupyter notebook: it cannot be read. {advice}"
    return no_notebook(name, start) or cannot


UNPACKED = 16 * 2**20  # bytes of a compressed notebook
TAR = b"ustar"


def inflated(data: bytes) -> bytes:
    """Unpack what gzip has compressed; leave the data as it is if it is large or a tar archive."""
    if not data.startswith(GZIP):
        return data
    stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        found = stream.decompress(data, UNPACKED)
    except zlib.error:
        return data
    return found if stream.eof and found[257:262] != TAR else data


def inner(text: str) -> str:
    """Return the notebook that a text holds as a JSON string or with HTML's entities, else ""."""
    if "&quot;cells&quot;" in text:
        return html.unescape(text)
    try:
        found = json.loads(text) if text.lstrip().startswith('"') else ""
    except ValueError:
        return ""
    return found if isinstance(found, str) else ""
