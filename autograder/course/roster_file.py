"""The students in a file: our own columns, Canvas's gradebook, or Moodle's list of participants."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.common.errors import CourseError
from autograder.course.roster import alike, as_written
from autograder.course.table_file import Row, plain_heading, read_headed, refuse

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
# A column of sections; what is called so in the plural, and Canvas's, may list several.
SECTIONS = (
    "section",
    "sections",
    "tutorial",
    "tutorials",
    "groups",
    "tutorium",
    "tutorien",
    "übungsgruppe",
    "übungsgruppen",
    "gruppen",
    "groupes",
    "grupos",
    "sección",
    "secciones",
)
AND = re.compile(r",?\s+(?:and|und|et|y|e|en)\s+")  # before the last of several, in Canvas
SHORTENED = re.compile(r"\d([.,]\d+)?E\+?\d+")  # as Excel shows a long number


@dataclass(frozen=True)
class Line:
    """A student: number of the line, id, and what else the file has a column for ("" if empty)."""

    number: int
    id: str
    values: dict[str, str]


@dataclass(frozen=True)
class RosterFile:
    """students: as in the file, no id twice. ids: the heading of the column that they come from.

    encoding: "" where it is certain. sections: of each student, by id; None without such a column.
    """

    path: Path
    students: list[Line]
    ids: str
    encoding: str
    sections: dict[str, list[str]] | None = None


def read(path: Path) -> RosterFile:
    """Raise CourseError, with what is wrong in which line, where the file is not clear."""
    table = read_headed(path, (*IDS, *CANVAS_IDS))
    rows = [(number, row) for number, row in table.rows if not _is_canvas_own(row)]
    ids = _id_column(path, table.headings, [row for _, row in rows])
    lines = [Line(number, as_written(row[ids]), _values(row)) for number, row in rows]
    refuse(path, [fault for line in lines for fault in _faults(line)])
    sections = in_sections((as_written(row[ids]), row) for _, row in rows)
    return RosterFile(path, _once(path, lines), table.heading(ids), table.encoding, sections)


def _id_column(path: Path, headings: list[str], rows: list[Row]) -> str:
    """`id`, else the likeliest in which everybody has a value, else the likeliest."""
    names = {plain_heading(heading): "" for heading in headings}
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


def in_sections(rows: Iterable[tuple[str, Row]]) -> dict[str, list[str]] | None:
    """Return the sections of each student, of all their lines; None without such a column."""
    of: dict[str, list[str]] | None = None
    for student, row in rows:
        if column := _first(SECTIONS, row):
            of = {} if of is None else of
            names = _several(row[column], _is_canvas(row))
            of[student] = list(dict.fromkeys([*of.get(student, ()), *names]))
    return of


def _several(cell: str, canvas: bool) -> list[str]:
    """Return the sections in a cell: `A, B` or `A; B`; in Canvas also `A and B`, `A, B, and C`."""
    parts = AND.sub(",", cell) if canvas else cell
    return [name for part in re.split("[,;]", parts) if (name := " ".join(part.split()))]
