"""The students in a file: our own columns, Canvas's gradebook, or Moodle's list of participants."""

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from autograder.common.errors import CourseError
from autograder.course.roster import alike, as_written

# What a column may be called, in small letters without signs; the first that is there is taken.
COLUMNS = {
    "first_name": ("firstname", "first", "givenname", "givennames", "vorname", "prénom", "nombre"),
    "last_name": ("lastname", "last", "surname", "familyname", "nachname", "familienname",
                  "nomdefamille", "nom", "apellidos", "apellido"),
    "email": ("email", "emailaddress", "mail", "emailadresse", "adressedecourriel",
              "direccióndecorreo"),
    "lms_user_id": ("lmsuserid", "canvasid", "canvasuserid"),
}  # fmt: skip
FULL_NAME = (
    "fullname",
    "name",
    "student",
    "studentname",
    "vollständigername",
    "nomcomplet",
    "nombrecompleto",
)
IDS = ("id", "studentid", "username", "anmeldename", "benutzername", "nomdutilisateur",
       "nombredeusuario", "login", "loginid", "idnumber", "idnummer", "numérodidentification",
       "númerodeid", "userid", "netid", "uid", "user", "studentnumber", "matrikelnummer",
       *COLUMNS["email"])  # fmt: skip
CANVAS_IDS = ("sisloginid", "sisuserid", "id")
SHORTENED = re.compile(r"\d([.,]\d+)?E\+?\d+")  # as Excel shows a long number
SHOWN = 4  # faults
HEAD = 5  # rows in which the headings are looked for

Row = dict[str, str]  # a value for each heading
Numbered = list[tuple[int, list[str]]]  # cells with the number of their line


@dataclass(frozen=True)
class Line:
    """A student: number of the line, id, and what else the file has a column for ("" if empty)."""

    number: int
    id: str
    values: dict[str, str]


@dataclass(frozen=True)
class RosterFile:
    """students: as in the file, no id twice. ids: the heading of the column that they come from.

    encoding: "" where it is certain.
    """

    path: Path
    students: list[Line]
    ids: str
    encoding: str


def read(path: Path) -> RosterFile:
    """Raise CourseError, with what is wrong in which line, where the file is not clear."""
    table = read_table(path)
    headings, below = _parts(table.rows)
    names = [_plain(heading) for heading in headings]
    refuse(
        path,
        [
            f"line {number} has {len(cells)} values for {len(names)} columns (what has a "
            "comma in it needs quotes)"
            for number, cells in below
            if any(cells[len(names) :])
        ],
    )
    rows = [
        (number, row) for number, cells in below if not _is_canvas_own(row := _row(names, cells))
    ]
    ids = _id_column(path, headings, [row for _, row in rows])
    lines = [Line(number, as_written(row[ids]), _values(row)) for number, row in rows]
    refuse(path, [fault for line in lines for fault in _faults(line)])
    return RosterFile(path, _once(path, lines), headings[names.index(ids)], table.encoding)


def refuse(path: Path, faults: Sequence[str]) -> None:
    """Raise CourseError if there are any."""
    if faults:
        more = f"; and {len(faults) - SHOWN} more like these" if len(faults) > SHOWN else ""
        raise CourseError(f"{path}: {'; '.join(faults[:SHOWN])}{more}. Nothing was imported.")


def _parts(rows: Numbered) -> tuple[list[str], Numbered]:
    """Return the headings, above which a title may stand, and the rows below them."""
    for above, (_, cells) in enumerate(rows[:HEAD]):
        if not {_plain(cell) for cell in cells}.isdisjoint((*IDS, *CANVAS_IDS)):
            return cells, rows[above + 1 :]
    return (rows[0][1] if rows else []), rows[1:]


def _plain(heading: str) -> str:
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", heading)).casefold()


def _row(names: list[str], cells: list[str]) -> Row:
    """Pair names and cells: the first of one heading counts; Excel leaves out empty cells."""
    pairs = zip_longest(names, cells[: len(names)], fillvalue="")
    return dict(reversed([*pairs]))


def _id_column(path: Path, headings: list[str], rows: list[Row]) -> str:
    """`id`, else the likeliest in which everybody has a value, else the likeliest."""
    names = {_plain(heading): "" for heading in headings}
    found = [name for name in (CANVAS_IDS if _is_canvas(names) else IDS) if name in names]
    if not found:
        has = ", ".join(filter(None, headings)) or "nothing"
        raise CourseError(
            f"{path} has no column for the students' ids; its first line has: {has}. Call the "
            "column with the names of the students' folders `id`. Nothing was imported."
        )
    if not rows:
        raise CourseError(f"{path} has headings, and no students. Nothing was imported.")
    full = [name for name in found if all(row[name] for row in rows)]
    return found[0] if found[0] == "id" or not full else full[0]


def _is_canvas(row: Row) -> bool:
    """Canvas's gradebook has its own number of a student under ID."""
    return {"student", "id"} <= row.keys() and not row.keys().isdisjoint(
        ("sisloginid", "sisuserid", "section")
    )


def _is_canvas_own(row: Row) -> bool:
    """Tell whether it is a row of points or of settings, or Canvas's test student."""
    return _is_canvas(row) and (not row["id"] or row["student"] == "Student, Test")


def _values(row: Row) -> dict[str, str]:
    """Return the values by the names of the gradebook's columns."""
    values = {
        column: row[name] for column, names in COLUMNS.items() if (name := _first(names, row))
    }
    if _is_canvas(row):
        values["lms_user_id"] = row["id"]
    if (name := _first(FULL_NAME, row)) and not {"first_name", "last_name"} & values.keys():
        values["first_name"], values["last_name"] = _parted(row[name])
    if "lms_user_id" in values:
        values["lms_user_id"] = as_written(values["lms_user_id"])
    return values


def _first(names: Iterable[str], row: Row) -> str:
    return next((name for name in names if name in row), "")


def _parted(name: str) -> tuple[str, str]:
    """First and last name of `Lovelace, Ada` or `Ada Lovelace`."""
    if "," in name:
        last, first = name.split(",", 1)
    else:
        first, _, last = name.rpartition(" ")
    return first.strip(), last.strip()


def _faults(line: Line) -> list[str]:
    number = line.values.get("lms_user_id", "")
    short = [value for value in (line.id, number) if SHORTENED.fullmatch(value)]
    faults = [
        f"line {line.number} has {value}, a number that Excel has shortened (make the column "
        "one of text, and put the number in again)"
        for value in short
    ]
    if not line.id:
        faults.append(f"line {line.number} has no id")
    elif "/" in line.id or line.id.startswith(".") or not line.id.isprintable():
        faults.append(f"line {line.number} has the id {line.id!r}, which no folder can be called")
    return faults


def _once(path: Path, lines: list[Line]) -> list[Line]:
    """Keep each student once, where the lines of one say the same."""
    first: dict[str, Line] = {}
    numbers: dict[str, Line] = {}
    faults = []
    for line in lines:
        other = first.setdefault(alike(line.id), line)
        if (other.id, other.values) != (line.id, line.values):
            faults.append(
                f"lines {other.number} and {line.number} have one id, {other.id!r} and "
                f"{line.id!r}, and are not the same"
            )
        number = line.values.get("lms_user_id")
        if number and (twin := numbers.setdefault(number, line)).id != line.id:
            faults.append(f"lines {twin.number} and {line.number} have one lms_user_id, {number}")
    refuse(path, faults)
    return [*first.values()]


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


def read_table(path: Path) -> Table:
    """Raise CourseError for what is no text, or where the quotes do not match."""
    data = path.read_bytes()
    if data.startswith(WORKBOOKS):
        raise CourseError(
            f"{path} is a workbook. In the spreadsheet, save it as CSV UTF-8, and give that file."
        )
    text, encoding = _decoded(data)
    if "\0" in text:
        raise CourseError(f"{path} is no text. In the spreadsheet, save the table as CSV UTF-8.")
    return Table([(line, cells) for line, cells in _rows(path, text) if any(cells)], encoding)


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
    """Return the one that divides the first lines into most cells."""
    first = [line for line in lines if line.strip()][:FIRST]
    return max(SEPARATORS, key=lambda one: sum(map(len, csv.reader(first, delimiter=one))))


def _cell(cell: str) -> str:
    """Take off blanks around it, or the `="0042"` that keeps Excel from making a number of it."""
    value = cell.strip().strip(INVISIBLE).strip()
    if value.startswith('="') and value.endswith('"'):
        value = value[2:-1]
    if not value.isascii():  # opened in the wrong encoding, and saved
        with suppress(UnicodeError):
            value = value.encode("cp1252").decode("utf-8")
    return value
