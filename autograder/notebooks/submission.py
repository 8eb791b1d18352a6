"""A student's notebook as plain cells, whatever became of the file on its way."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.notebooks.hand_in import BLANKS, CLEAR, NotebookError, UnreadableError, content
from autograder.notebooks.kinds import inflated, inner, unread
from autograder.notebooks.listing import shown, shown_text

VALUE_LIMIT = 10_000_000  # commas: a value takes some 50 bytes of memory, but two in the file
NODE_LIMIT = 1_000_000  # brackets: an object takes 232 bytes
CELLS_LIMIT = 10_000  # cells: each may be asked whether it answers each exercise
RESCUE_LIMIT = 16 * 2**20  # characters of a damaged file that are searched for whole cells
FIRST_CELL = re.compile(r'"cells"\s*:\s*\[\s*')
NEXT_CELL = re.compile(r"\s*,\s*")
ANY_CELL = re.compile(r'(?=\{\s*"(?:cell_type|attachments|id)"\s*:)')  # as Jupyter begins one
DAMAGED_LIMIT = 20  # cells of a file that cannot be read before no more are looked for
VERSION = re.compile(r"3\.[0-9]{1,3}(?![0-9])")
CONFLICT = {"<<<<<<<": (0,), "|||||||": (), "=======": (1,), ">>>>>>>": (0, 1)}


@dataclass(frozen=True)
class SubmittedCell:
    """One cell of a student's notebook: "code" or another kind, nbgrader's id or "", its text.

    attached: whatever the cell says is attached to it.
    """

    kind: str
    grade_id: str
    source: str
    attached: Any = None


@dataclass(frozen=True)
class Submission:
    """The cells of a student's notebook, and what the teacher should know of how it was read.

    python: the version of the Python that ran it, such as "3.12"; "" where it does not say.
    """

    cells: list[SubmittedCell]
    notes: tuple[str, ...] = ()
    whole: bool = True
    python: str = ""

    @classmethod
    def of(cls, notebook: Any, *notes: str, whole: bool = True) -> "Submission":
        """Read a notebook as JSON has it, of any nbformat. Raises ValueError for anything else."""
        cells = _raw_cells(notebook)
        if len(cells) > CELLS_LIMIT:
            told = f"Only the first {CELLS_LIMIT:,} of its {len(cells):,} cells were read."
            notes = (*notes, told)
        read = [part for raw in cells[:CELLS_LIMIT] for part in _as_it_was(_cell(raw))]
        if len(read) > len(cells[:CELLS_LIMIT]):
            notes = (*notes, "Some cells hold a merge conflict; both sides were read.")
        return cls(read, notes, whole, _python(notebook.get("metadata")))

    @property
    def title(self) -> str:
        """The first line of text that is in it, "" without any."""
        lines = (line.strip("# \t") for cell in self.cells for line in cell.source.split("\n"))
        return shown_text(next(filter(None, lines), ""))


def read(path: Path) -> Submission:
    """Return a submitted notebook. Raises NotebookError with one clear sentence."""
    return parse(content(path), path)


def parse(data: bytes, path: Path) -> Submission:
    """Read what was in the file at `path`, which may be elsewhere by now. Raises NotebookError."""
    try:
        found = _found(inflated(data), path)
    except MemoryError:
        raise UnreadableError(f"There is too little memory to read {shown(path)}.") from None
    if found is None:
        raise NotebookError(f"{shown(path)} {unread(path.name, data.lstrip(BLANKS)[:64])}")
    if not found.cells:
        raise NotebookError(f"{shown(path)} has no cells. Hand in the notebook with your answers.")
    return found


def _found(data: bytes, path: Path) -> Submission | None:
    """Return the notebook in a file, also one that it holds as a text; None without one."""
    _refuse_too_much(data, path)
    text, notes = _decoded(data, path)
    if found := _parsed(text, notes, path):
        return found
    text = inner(text) if len(text) <= RESCUE_LIMIT else ""
    _refuse_too_much(text.encode("utf-8", "surrogatepass"), path)
    notes = [*notes, f"{shown(path)} holds the notebook as a text, which was read."]
    return _parsed(text, notes, path) if text else None


def _refuse_too_much(data: bytes, path: Path) -> None:
    if data.count(b",") > VALUE_LIMIT or data.count(b"[") + data.count(b"{") > NODE_LIMIT:
        raise NotebookError(f"{shown(path)} holds too much data. {CLEAR}")


def _decoded(data: bytes, path: Path) -> tuple[str, list[str]]:
    """Return the text in whichever encoding it is, and a note where that is not UTF-8."""
    encoding: str = json.detect_encoding(data)
    try:
        text = data.decode(encoding, "surrogatepass")
    except UnicodeDecodeError as error:
        cut = error.reason == "unexpected end of data"
        encoding = "cp1252" if encoding.startswith("utf-8") and not cut else encoding
        text = data.decode(encoding, "replace")
    if encoding.startswith("utf-8"):
        return text, []
    return text, [f"{shown(path)} is not in UTF-8; it was read as {encoding.upper()}."]


def _parsed(text: str, notes: list[str], path: Path) -> Submission | None:
    """Return the notebook that a text is, or what can be read of it; None where that is nothing."""
    try:
        return Submission.of(_loaded(text), *notes)
    except (ValueError, RecursionError):
        pass
    if len(text) <= RESCUE_LIMIT:
        if cells := [cell for side in _sides(text) for cell in _cells_if_notebook(side)]:
            notes = [*notes, f"{shown(path)} holds a merge conflict; both sides were read."]
            return Submission.of({"cells": cells}, *notes)
        if cells := list(_whole_cells(text)):
            notes = [*notes, f"{shown(path)} is damaged; {len(cells)} cells of it were read."]
            return Submission.of({"cells": cells}, *notes, whole=False)
    return None


def _loaded(text: str) -> Any:
    # int() refuses numbers of more than 4300 digits; strict refuses a tab that was typed by hand
    return json.loads(text, parse_int=float, strict=False)


def _sides(text: str) -> list[str]:
    """Both versions of a text in which git left a merge conflict; none without a conflict."""
    sides: tuple[list[str], list[str]] = ([], [])
    into: tuple[int, ...] = (0, 1)
    if "\n<<<<<<<" not in text:
        return []
    for line in text.split("\n"):
        if line[:7] in CONFLICT:
            into = CONFLICT[line[:7]]
            continue
        for side in into:
            sides[side].append(line)
    return ["\n".join(side) for side in sides]


def _cells_if_notebook(text: str) -> list[Any]:
    try:
        return _raw_cells(_loaded(text))
    except (ValueError, RecursionError):
        return []


def _whole_cells(text: str) -> Iterator[Any]:
    """Yield the cells that can be read, also behind some that cannot."""
    decoder, failed = json.JSONDecoder(parse_int=float, strict=False), 0
    place = FIRST_CELL.search(text)
    while place and failed < DAMAGED_LIMIT:
        try:
            cell, end = decoder.raw_decode(text, place.end())
            if not failed or {"source", "input"} & {*cell}:  # metadata begin as cells do
                yield cell
        except (ValueError, RecursionError):
            failed, end = failed + 1, place.end() + 1
        place = NEXT_CELL.match(text, end) or (ANY_CELL.search(text, end) if failed else None)


def _raw_cells(notebook: Any) -> list[Any]:
    """Find the cells: nbformat 4 has them in the notebook, 2 and 3 in worksheets."""
    if not isinstance(notebook, dict):
        raise ValueError("not a notebook")
    sheets = notebook.get("worksheets")
    cells = notebook.get("cells")
    if cells is None and isinstance(sheets, list):
        parts = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        cells = [cell for part in parts if isinstance(part, list) for cell in part]
    if not isinstance(cells, list):
        raise ValueError("not a notebook")
    return [cell for cell in cells if isinstance(cell, dict)]


def _cell(raw: dict[str, Any]) -> SubmittedCell:
    kind, metadata = raw.get("cell_type"), raw.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = marks.get("grade_id") if isinstance(marks, dict) else None
    return SubmittedCell(
        kind if isinstance(kind, str) else "",
        name if isinstance(name, str) else "",
        _source(raw.get("source", raw.get("input"))),  # nbformat 2 and 3 call code "input"
        raw.get("attachments"),
    )


def _as_it_was(cell: SubmittedCell) -> Iterator[SubmittedCell]:
    """Yield a cell before a merge or a shared editor put two texts into it: one for each text."""
    for text in _sides(f"\n{cell.source}") or [_once(cell.source)]:
        yield replace(cell, source=text.removeprefix("\n"))


def _once(text: str) -> str:
    """Lines that stand there twice without a line end between, as shared editing may leave them."""
    half = len(text) // 2
    lines = "\n" in text[:half].strip() and not text.endswith("\n")
    return text[:half] if lines and text[:half] == text[half:] else text


def _python(metadata: Any) -> str:
    """Major and minor version of Python as Jupyter notes it in a notebook, "" without a note."""
    language = metadata.get("language_info") if isinstance(metadata, dict) else None
    version = language.get("version") if isinstance(language, dict) else None
    found = VERSION.match(version) if isinstance(version, str) else None
    return found[0] if found else ""


def _source(raw: Any) -> str:
    """Return a cell's text with Unix line ends, from a text or a list of lines; else ""."""
    if isinstance(raw, list):
        lines = [line for line in raw if isinstance(line, str)]
        ended = any(line.endswith("\n") for line in lines[:-1])
        raw = ("" if ended else "\n").join(lines)
    if not isinstance(raw, str):
        return ""
    text = raw.encode("utf-8", "replace").decode()  # a lone surrogate cannot be written anywhere
    return text.replace("\r\n", "\n").replace("\r", "\n")
