"""`attn explain`: what a mark was made from, and whether the same comes out of it again."""

import json
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.calls.cell import CHECK
from autograder.calls.errors import CourseError
from autograder.course.course import SEED, Course
from autograder.course.solutions import load
from autograder.grading import provenance
from autograder.grading.gradebook import scores
from autograder.grading.graded import Graded
from autograder.grading.journal import FAULT, Entry, intact
from autograder.grading.provenance import Record
from autograder.grading.results import Row
from autograder.grading.session import Session
from autograder.notebooks.answers import grade_id
from autograder.notebooks.hand_in import HandIn, NotebookError, content
from autograder.showing.wording import points, printable

NO_RECORD = "This mark was given before records were kept, so nothing can be compared."
LINES = 60  # of a card
SHORT = 12  # characters of a digest; it serves to see a difference, the journal has all of it


@dataclass(frozen=True)
class Part:
    """One thing that a verdict depends on: as it was when the mark was given, and as it is."""

    name: str
    then: str
    now: str


@dataclass(frozen=True)
class Explanation:
    """A mark as it was given, and what comes out of grading the same submission now.

    row, again: of the journal, and of now. card, card_again: what feedback shows, as text; "" where
    there is none. graded: when, in UTC. parts: none where the journal has no record of them.
    automatic, manual: points in the gradebook; None where it has none.
    """

    row: Row
    card: str
    graded: str
    parts: list[Part]
    again: Row
    card_again: str
    automatic: float | None
    manual: float | None

    @property
    def reproduced(self) -> bool:
        """Whether the same verdict comes out."""
        return _decided(self.row) == _decided(self.again)


def _decided(row: Row) -> tuple[float | None, float, str, str | None]:
    """What must come out again."""
    return row["points"], row["max_points"], row["verdict"], row["misconception"]


def explain(
    course: Course, chapter: str, student: str, exercise: str, *, seed: str | None, confined: bool
) -> Explanation:
    """Grade one submission again, and write nothing.

    Raises CourseError for what is not known or was never graded, SandboxUnavailable where nothing
    can be confined.
    """
    row, entry = _graded(course, chapter, student, exercise)
    secret = _seed(course, seed)
    path = _submission(course, chapter, student)
    then = entry.get("record")
    device = _device(then) if then else "cpu"
    handed_in = HandIn.at(path)
    session = Session(course.root, chapter, secret, confined, device)
    session.check(course.root)
    now = provenance.record(handed_in.digest, provenance.sources(course, chapter, device),
                            provenance.seed(secret), session.environment)  # fmt: skip
    again = _again(session, student, handed_in)
    (fresh,) = [row for row in again.rows if row["exercise"] == exercise]
    automatic, manual = scores(course, chapter, student, f"{CHECK}{exercise}")
    return Explanation(
        row, _card(_autograded(course, chapter, student), exercise),
        then["graded"] if then else "", _parts(then, now, exercise) if then else [],
        fresh, _card(again.notebook, exercise), automatic, manual,
    )  # fmt: skip


def tell(explanation: Explanation) -> None:
    """Print an explanation for a teacher."""
    row = explanation.row
    print(printable(f"{row['student']} · {row['chapter']} · {row['exercise']}: {_mark(row)}"))
    print(printable(_in_the_gradebook(explanation)))
    _show(explanation.card or row["message"])
    if explanation.parts:
        Console().print(_table(explanation))
    else:
        print(NO_RECORD)
    if explanation.reproduced:
        print(f"Graded again just now, the same comes out: {_mark(explanation.again)}.")
    elif explanation.again["points"] is None:
        print(f"It cannot be graded again now. {printable(explanation.again['message'])}")
    else:
        print(f"Graded again just now, another verdict comes out: {_mark(explanation.again)}.")
        _show(explanation.card_again)


def tell_fault(course: Course, chapter: str, student: str) -> bool:
    """Print why a submission had no verdict when it was last graded; whether it ever had one."""
    journal = intact(course.journal(chapter))
    if entry := journal.fault(student):
        when = f" at {entry['record']['graded']}" if "record" in entry else ""
        print(printable(f"{student} · {chapter}: no verdict{when}."))
        print(*map(printable, entry[FAULT].splitlines()), "", sep="\n")
    return student in journal or entry is None


def _mark(row: Row) -> str:
    named = f" ({row['misconception']})" if row["misconception"] else ""
    return f"{row['verdict']}{named}, {row['points'] or 0:g} of {points(row['max_points'])}"


def _in_the_gradebook(explanation: Explanation) -> str:
    automatic, manual = explanation.automatic, explanation.manual
    if automatic is None:
        return "The gradebook has no mark of it."
    other = "" if automatic == explanation.row["points"] else ", which another program wrote"
    by_hand = "" if manual is None else f"; {manual:g} given by hand counts instead"
    return f"In the gradebook: {points(automatic)}{other}{by_hand}."


def _show(text: str) -> None:
    print("", *map(printable, text.splitlines()[:LINES]), "", sep="\n")


def _table(explanation: Explanation) -> Table:
    table = Table("what decides", f"graded {explanation.graded}", "now")  # cuts what is too long
    for part in explanation.parts:
        now = "the same" if part.now == part.then else part.now
        table.add_row(*(Text(printable(text)) for text in (part.name, part.then, now)))
    return table


def _graded(course: Course, chapter: str, student: str, exercise: str) -> tuple[Row, Entry]:
    """The row of an exercise in the journal, and the whole entry."""
    known = load(course.root, chapter).exercises
    if exercise not in known:
        raise CourseError(f"{chapter} has no exercise {exercise!r}; it has {', '.join(known)}.")
    journal = intact(course.journal(chapter))
    if student not in journal:
        raise CourseError(f"No submission of {student!r} was graded yet: attn grade {chapter}")
    entry = journal.entry(student)
    for row in entry["rows"]:
        if row["exercise"] == exercise:
            return row, entry
    raise CourseError(f"{exercise!r} of {student!r} was not graded yet: attn grade {chapter}")


def _seed(course: Course, given: str | None) -> str:
    if given is None and not (course.root / SEED).is_file():  # nothing is to be written here
        raise CourseError("The seed of the graded cases is not kept here; give it with --seed.")
    return course.seed(given)


def _submission(course: Course, chapter: str, student: str) -> Path:
    """Where the submission is, or would be if it were still there."""
    step = course.directory.submitted_directory
    usual = course.folder(step, chapter, student) / f"{chapter}.ipynb"
    return course.submissions(chapter).get(student, usual)


def _again(session: Session, student: str, handed_in: HandIn) -> Graded:
    try:
        return session.grade(student, handed_in)
    finally:
        session.stop()


def _parts(then: Record, now: Record, exercise: str) -> list[Part]:
    """What differs is seen side by side."""
    before, here = _flat(then, exercise), _flat(now, exercise)
    return [Part(name, before.get(name, "–"), here[name]) for name in here]


def _flat(record: Record, exercise: str) -> dict[str, str]:
    """By what a person calls it."""
    digests = {
        "files of the exercise": record["exercises"].get(exercise),
        "files of the chapter": record["chapter"],
        "released notebook": record["release"],
        "engine": record["engine"],
        "seed (a fingerprint)": record["seed"],
    }
    short = {name: (digest or "none")[:SHORT] for name, digest in digests.items()}
    return {
        "submission (SHA-256)": record["submission"] or "none",
        **short,
        "device": _device(record),
        **record["environment"],
    }


def _device(record: Record) -> str:
    return record.get("device", "cpu")


def _autograded(course: Course, chapter: str, student: str) -> str:
    step = course.directory.autograded_directory
    path = course.folder(step, chapter, student) / f"{chapter}.ipynb"
    try:
        return content(path).decode(errors="replace")
    except NotebookError:
        return ""


def _card(notebook: str, exercise: str) -> str:
    """The card below the check of an exercise; "" where the notebook has none."""
    try:
        cells = json.loads(notebook)["cells"]
        (check,) = [cell for cell in cells if grade_id(cell) == f"{CHECK}{exercise}"]
        return "".join(check["outputs"][0]["data"]["text/plain"])
    except (ValueError, LookupError, TypeError):
        return ""
