"""A table as a spreadsheet saves it, which says neither its encoding nor its separator."""

import codecs
import csv
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from autograder.common.errors import CourseError

SEPARATORS = ",;\t|"
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # .xlsx and .ods; .xls
INVISIBLE = "\ufeff\u200b\u200e\u200f"
FIRST = 3  # lines by which the separator is told
OLD = "cp1252", "mac-roman"  # Windows's in Western Europe, and a Mac's


@dataclass(frozen=True)
class Table:
    """rows: those with something in them, with their lines. encoding: "" where it is certain."""

    rows: list[tuple[int, list[str]]]
    encoding: str


def read_table(path: Path) -> Table:
    """Raises CourseError for what is no text, or where the quotes do not match."""
    data = path.read_bytes()
    if data.startswith(WORKBOOKS):
        raise CourseError(f"{path} is a workbook. In the spreadsheet, save it as CSV UTF-8, and "
                          "give that file.")  # fmt: skip
    text, encoding = _decoded(data)
    if "\0" in text:
        raise CourseError(f"{path} is no text. In the spreadsheet, save the table as CSV UTF-8.")
    return Table([(line, cells) for line, cells in _rows(path, text) if any(cells)], encoding)


def _decoded(data: bytes) -> tuple[str, str]:
    """The text, and its encoding where that was guessed."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace"), ""
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if data[start::2].count(0) > len(data) / 4:
            return data.decode(encoding, errors="replace"), ""
    with suppress(UnicodeError):
        return data.decode("utf-8-sig"), ""
    for encoding in OLD:
        with suppress(UnicodeError):
            return data.decode(encoding), encoding
    raise AssertionError  # every byte is a sign of a Mac's


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    lines = [*io.StringIO(text, newline="")]
    told = lines[0].strip('\r\n"') if lines else ""
    if told.casefold().startswith("sep=") and len(told) == 5:  # a line that Excel reads
        separator, skipped = told[4], 1
    else:
        separator, skipped = _separator(lines), 0
    # where strict, csv takes no blank behind a quote
    lines = [re.sub(rf'"[ ]+(?={re.escape(separator)}|\s*$)', '"', line) for line in lines]
    reader = csv.reader(lines[skipped:], delimiter=separator, skipinitialspace=True, strict=True)
    begins = skipped + 1
    try:
        for cells in reader:
            yield begins, [_cell(cell) for cell in cells]
            begins = skipped + reader.line_num + 1
    except csv.Error:
        raise CourseError(
            f"{path}, line {begins}: the quotes do not match. A value with a quote or a "
            f"{separator!r} in it stands between quotes, and a quote in it is doubled."
        ) from None


def _separator(lines: list[str]) -> str:
    """The one that divides the first lines into most cells."""
    first = [line for line in lines if line.strip()][:FIRST]
    return max(SEPARATORS, key=lambda one: sum(map(len, csv.reader(first, delimiter=one))))


def _cell(cell: str) -> str:
    """Without blanks around it, or the `="0042"` that keeps Excel from making a number of it."""
    value = cell.strip().strip(INVISIBLE).strip()
    if value.startswith('="') and value.endswith('"'):
        value = value[2:-1]
    if not value.isascii():  # opened in the wrong encoding, and saved
        with suppress(UnicodeError):
            value = value.encode("cp1252").decode("utf-8")
    return value
