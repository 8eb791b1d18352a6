"""Archives as a student may hand them in, honest and not, and what is said of each."""

import io
import stat
import warnings
import zipfile
from functools import cache

from autograder.notebooks.archive import DEPTH, FILES, MEMBERS
from autograder.notebooks.listing import SIZE_LIMIT

NAME = "04_masks.ipynb"


def packed(files, method=zipfile.ZIP_DEFLATED):
    """A zip; files: name or ZipInfo and content, in pairs, since two may have one name."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive, warnings.catch_warnings(action="ignore"):
        for name, content in files:
            archive.writestr(name, content)
    return data.getvalue()


def nested(levels, inner):
    for _ in range(levels):
        inner = packed([("more.zip", inner)])
    return inner


def link(name, target):
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return info, target


def patched(data, field, value):
    """A field of the first member's header and of its entry in the table of contents."""
    size, local, central = {"flags": (2, 6, 8), "unpacked": (4, 22, 24)}[field]
    changed, entry = bytearray(data), data.index(b"PK\x01\x02")
    for place in (local, entry + central):
        changed[place : place + size] = value.to_bytes(size, "little")
    return bytes(changed)


def renamed(data, new):
    old = NAME.encode()
    assert len(new) == len(old)
    return data.replace(old, new)


def unflagged(name, encoding):
    """An archive of one file whose name is in an encoding that the archive does not say."""
    written = name.encode(encoding)
    return packed([("x" * len(written), "x")]).replace(b"x" * len(written), written)


def zeros():
    """300 MB, which deflate makes a thousandth of."""
    return bytes(3 * SIZE_LIMIT)


@cache
def bomb():
    return packed([(NAME, zeros())])


@cache
def bzip2():
    """33 MB of 50 bytes."""
    return packed([(NAME, zeros()[: SIZE_LIMIT // 3])], zipfile.ZIP_BZIP2)


@cache
def with_data():
    return packed([(NAME, "x"), ("data.bin", zeros())])


GOOD = packed([(NAME, "good")])
# What makes each, since some take a second, and what is said of it.
BAD = {
    "parent":
        (lambda: packed([(NAME, "x"), ("../evil.txt", "x")]), "'../evil.txt', a path that leads "),
    "absolute":
        (lambda: packed([("/tmp/evil.ipynb", "x")]), "'/tmp/evil.ipynb', a path that leads out"),
    "drive": (lambda: packed([("C:evil.ipynb", "x")]), "'C:evil.ipynb', a path that leads out"),
    "backslash": (lambda: packed([("..\\evil.ipynb", "x")]), "a path with a backslash"),
    "link": (lambda: packed([link(NAME, "/etc/passwd")]), "which is a link"),
    "many members":
        (lambda: packed((f"{i}.txt", "") for i in range(MEMBERS + 1)), "than 10,000 files"),
    "many notebooks":
        (lambda: packed((f"{i}.ipynb", "") for i in range(FILES + 1)), "than 100 files to"),
    "bomb": (bomb, "unpacks to more than 100 MB"),
    "many bombs":
        (lambda: packed((f"{i}.ipynb", bytes(2**24)) for i in range(7)), "more than 100 MB"),
    "lying size": (lambda: patched(bomb(), "unpacked", 9), "is damaged"),
    "nested bomb": (lambda: nested(1, bomb()), "unpacks to more than 100 MB"),
    "deeply nested": (lambda: nested(DEPTH + 1, GOOD), "more than 2 deep"),
    "bzip2": (bzip2, "by another method than deflate"),
    "twice": (lambda: packed([(NAME, "one"), (f"old/{NAME}", "two")]), f"more than one {NAME}"),
    "same path": (lambda: packed([(NAME, "one"), (NAME, "two")]), f"more than one {NAME}"),
    "encrypted": (lambda: patched(GOOD, "flags", 1), "is encrypted"),
    "cut": (lambda: GOOD[:-9], "is damaged, or no zip archive"),
    "changed":
        (lambda: GOOD.replace(b"PK\x03\x04", b"PK\x03\x05"), "is damaged, or no zip archive"),
    "not a zip": (lambda: b"Rar!\x1a\x07\x01\x00", "is damaged, or no zip archive"),
    "empty": (lambda: b"", "is damaged, or no zip archive"),
    "not UTF-8":
        (lambda: renamed(patched(GOOD, "flags", 0x800), b"04\xffmasks.ipynb"), "is damaged"),
    "long name": (lambda: packed([("n" * 250 + ".ipynb", "x")]), "a name that no file can have"),
    "escape": (lambda: packed([("\x1b[2J.ipynb", "x")]), r"'\x1b[2J.ipynb', a name that no file"),
}  # fmt: skip
# The names of the notebooks that are taken.
HONEST = {
    "a folder": (
        lambda: packed([("work/", ""), (f"work/{NAME}", "x"), ("work/a.png", "x")]),
        {NAME},
    ),
    "a zip in it": (lambda: nested(DEPTH, GOOD), {NAME}),
    "stored": (lambda: packed([(NAME, "x")], zipfile.ZIP_STORED), {NAME}),
    "of a Mac": (
        lambda: packed([(NAME, "x"), (f"__MACOSX/._{NAME}", "x"), ("Icon\r", "")]),
        {NAME},
    ),
    "with data": (with_data, {NAME}),
    "no notebook": (lambda: packed([("notes.txt", "x")]), set()),
    "an old encoding": (
        lambda: renamed(GOOD, "04_mäsks.ipynb".encode("cp437")),
        {"04_mäsks.ipynb"},
    ),
}
