"""A table in a CSV file, as Excel, a platform or a person writes it."""

import codecs
import csv
import io
import os
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from autograder.common.errors import CourseError

Row = dict[str, str]  # a value for each heading
Numbered = list[tuple[int, list[str]]]  # cells with the number of their line
SHOWN = 4  # faults
HEAD = 5  # rows in which the headings are looked for


@dataclass(frozen=True)
class Headed:
    """A table below its headings.

    headings: as the file has them. rows: with the numbers of their lines; their keys are the
    headings in small letters without signs. encoding: "" where it is certain.
    """

    path: Path
    headings: list[str]
    rows: list[tuple[int, Row]]
    encoding: str

    def heading(self, name: str) -> str:
        """Return how the file writes a heading that is given in small letters without signs."""
        return next(heading for heading in self.headings if plain_heading(heading) == name)

    def demand(self, names: Sequence[str]) -> None:
        """Raise CourseError where one of these headings is not there."""
        if missing := {*names} - {plain_heading(heading) for heading in self.headings}:
            has = ", ".join(filter(None, self.headings)) or "nothing"
            raise CourseError(
                f"{self.path} has no column {' and '.join(sorted(missing))}; its first line has: "
                f"{has}."
            )


def read_headed(path: Path, known: Collection[str]) -> Headed:
    """Read a table whose headings are the first row with one that is known; a title may be above.

    Raises CourseError where a row has more values than there are headings.
    """
    table = read_table(path, known)
    headings, below = _parts(table.rows, known)
    names = [plain_heading(heading) for heading in headings]
    refuse(
        path,
        [
            f"line {number} has {len(cells)} values for {len(names)} columns (what has a "
            "comma in it needs quotes)"
            for number, cells in below
            if any(cells[len(names) :])
        ],
    )
    return Headed(
        path, headings, [(number, _row(names, cells)) for number, cells in below], table.encoding
    )


def write_table(path: Path, columns: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Write a CSV file, all of it or nothing, as Excel reads it."""
    half = path.with_suffix(".part")
    with half.open("w", newline="", encoding="utf-8-sig") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows(rows)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)


def refuse(path: Path, faults: Sequence[str]) -> None:
    """Raise CourseError if there are any."""
    if faults:
        more = f"; and {len(faults) - SHOWN} more like these" if len(faults) > SHOWN else ""
        raise CourseError(f"{path}: {'; '.join(faults[:SHOWN])}{more}. Nothing was imported.")


def plain_heading(heading: str) -> str:
    """Write a heading in small letters without signs and blanks."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", heading)).casefold()


def _parts(rows: Numbered, known: Collection[str]) -> tuple[list[str], Numbered]:
    """Return the headings and the rows below them."""
    for above, (_, cells) in enumerate(rows[:HEAD]):
        if not {plain_heading(cell) for cell in cells}.isdisjoint(known):
            return cells, rows[above + 1 :]
    return (rows[0][1] if rows else []), rows[1:]


def _row(names: list[str], cells: list[str]) -> Row:
    """Pair names and cells: the first of one heading counts; Excel leaves out empty cells."""
    pairs = zip_longest(names, cells[: len(names)], fillvalue="")
    return dict(reversed([*pairs]))


SEPARATORS = ",;\t|"
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # .xlsx and .ods; .xls
INVISIBLE = "\ufeff\u200b\u200e\u200f"
FIRST = 3  # lines from which the separator is recognised
OLD = "cp1252", "mac-roman"  # Windows's in Western Europe, and a Mac's


@dataclass(frozen=True)
class Table:
    """rows: those with something in them, with their lines. encoding: "" where it is certain."""

    rows: list[tuple[int, list[str]]]
    encoding: str


def read_table(path: Path, known: Collection[str]) -> Table:
    """Read it with the separator that makes one of the known headings, if one does.

    Raises CourseError for what is no text, or where the quotes do not match.
    """
    data = path.read_bytes()
    if data.startswith(WORKBOOKS):
        raise CourseError(
            f"{path} is a workbook. In the spreadsheet, save it as CSV UTF-8, and give that file."
        )
    text, encoding = _decoded(data)
    if "\0" in text:
        raise CourseError(f"{path} is no text. In the spreadsheet, save the table as CSV UTF-8.")
    return Table(
        [(line, cells) for line, cells in _rows(path, text, known) if any(cells)], encoding
    )


def _decoded(data: bytes) -> tuple[str, str]:
    """Return the text, and its encoding where that was guessed."""
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


def _rows(path: Path, text: str, known: Collection[str]) -> Iterator[tuple[int, list[str]]]:
    lines = [*io.StringIO(text, newline="")]
    for number, line in enumerate(lines, 1):
        if len(line) > csv.field_size_limit():
            raise CourseError(f"{path}, line {number} is too long: it has {len(line)} signs.")
    told = lines[0].strip('\r\n"') if lines else ""
    if told.casefold().startswith("sep=") and len(told) == 5:  # a line that Excel reads
        separator, skipped = told[4], 1
    else:
        separator, skipped = _separator(lines, known), 0
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


def _separator(lines: list[str], known: Collection[str]) -> str:
    """Return the one that makes a known heading; of several, what divides into most cells."""
    first = [line for line in lines if line.strip()]

    def fits(one: str) -> tuple[bool, int]:
        cells = [cell for row in csv.reader(first[:HEAD], delimiter=one) for cell in row]
        count = sum(map(len, csv.reader(first[:FIRST], delimiter=one)))
        return not {plain_heading(cell) for cell in cells}.isdisjoint(known), count

    return max(SEPARATORS, key=fits)


def _cell(cell: str) -> str:
    """Take off blanks around it, or the `="0042"` that keeps Excel from making a number of it."""
    value = cell.strip().strip(INVISIBLE).strip()
    if value.startswith('="') and value.endswith('"'):
        value = value[2:-1]
    if not value.isascii():  # opened in the wrong encoding, and saved
        with suppress(UnicodeError):
            value = value.encode("cp1252").decode("utf-8")
    return value
