"""A complaint about a mark: what was it computed from, and can it be reproduced?

A right answer that was rejected is kept beside the exercise, so that it passes from now on.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from autograder.chapters.solutions import accepted_folder, load
from autograder.common.cell import CHECK, grade_id
from autograder.common.errors import CourseError
from autograder.common.files import SEED
from autograder.course.course import Course
from autograder.grading import provenance
from autograder.grading.gradebook import scores
from autograder.grading.journal import Entry, intact
from autograder.grading.provenance import Record
from autograder.grading.results import Graded, Row
from autograder.grading.session import Session
from autograder.notebooks.hand_in import HandIn, NotebookError, content
from autograder.notebooks.splice import cells_to_run, missing, splice
from autograder.notebooks.submission import parse

SHORT = 12  # characters of a digest; it serves to see a difference, the journal has all of it


@dataclass(frozen=True)
class Part:
    """One thing that a verdict depends on: as it was when the mark was given, and as it is."""

    name: str
    then: str
    now: str


@dataclass(frozen=True)
class Explanation:
    """A mark as it was given, and the result of grading the same submission now.

    row, again: of the journal, and of now. card, card_again: what feedback shows, as text; "" where
    there is none. page_card: the same of now, as HTML of ours. handed_in: the digest of the file.
    graded: when, in UTC. parts: none where the journal has no record of them.
    automatic, manual: points in the gradebook; None where it has none.
    """

    row: Row
    card: str
    graded: str
    parts: list[Part]
    again: Row
    card_again: str
    page_card: str
    handed_in: str | None
    automatic: float | None
    manual: float | None

    @property
    def reproduced(self) -> bool:
        """Tell whether the same verdict comes out."""
        return _decided(self.row) == _decided(self.again)


def _decided(row: Row) -> tuple[float | None, float, str, str | None]:
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
    session = Session(course.root, secret, confined, device)
    session.check(course.root)
    now = provenance.record(
        handed_in.digest,
        provenance.sources(course, chapter, device),
        provenance.seed(secret),
        session.environment,
    )
    again = _again(session, chapter, student, handed_in)
    (fresh,) = [row for row in again.rows if row["exercise"] == exercise]
    automatic, manual = scores(course, chapter, student, f"{CHECK}{exercise}")
    return Explanation(
        row,
        _card(_autograded(course, chapter, student), exercise),
        then["graded"] if then else "",
        _parts(then, now, exercise) if then else [],
        fresh,
        _card(again.notebook, exercise),
        _card(again.notebook, exercise, "text/html"),
        handed_in.digest,
        automatic,
        manual,
    )


def _graded(course: Course, chapter: str, student: str, exercise: str) -> tuple[Row, Entry]:
    """Return the row of an exercise in the journal, and the whole entry."""
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
    if given is None and not os.path.lexists(course.root / SEED):  # nothing is to be written here
        raise CourseError("The seed of the graded cases is not kept here; give it with --seed.")
    return course.seed(given)


def _submission(course: Course, chapter: str, student: str) -> Path:
    """Return the path of the submission, or where it would be if it were still there."""
    step = course.directory.submitted_directory
    usual = course.folder(step, chapter, student) / f"{chapter}.ipynb"
    return course.submissions(chapter).get(student, usual)


def _again(session: Session, chapter: str, student: str, handed_in: HandIn) -> Graded:
    try:
        return session.grade(chapter, student, handed_in)
    finally:
        session.stop()


def _parts(then: Record, now: Record, exercise: str) -> list[Part]:
    """Put the parts of both records side by side, so that one sees what differs."""
    before, here = _flat(then, exercise), _flat(now, exercise)
    return [Part(name, before.get(name, "–"), here[name]) for name in here]


def _flat(record: Record, exercise: str) -> dict[str, str]:
    """Name the parts of a record as a person calls them."""
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


def _card(notebook: str, exercise: str, form: str = "text/plain") -> str:
    """Return the card below the check of an exercise; "" where the notebook has none."""
    try:
        cells = json.loads(notebook)["cells"]
        (check,) = [cell for cell in cells if grade_id(cell) == f"{CHECK}{exercise}"]
        return "".join(check["outputs"][0]["data"][form])
    except (ValueError, LookupError, TypeError):
        return ""


def answer(course: Course, chapter: str, student: str, exercise: str) -> str:
    """Return the code that a student handed in for an exercise, as grading runs it.

    Raises CourseError where there is none.
    """
    known = load(course.root, chapter).exercises
    if exercise not in known:
        raise CourseError(f"{chapter} has no exercise {exercise!r}; it has {', '.join(known)}.")
    path = course.submissions(chapter).get(student)
    if path is None:
        raise CourseError(f"{student!r} has handed in nothing for {chapter}.")
    handed_in = HandIn.at(path)
    try:
        spliced = splice(course.released(chapter), parse(handed_in.data, Path(handed_in.name)))
    except NotebookError as error:
        raise CourseError(f"{path}: {error}") from None
    if exercise in missing(spliced):
        raise CourseError(f"{path}: {missing(spliced)[exercise]}")
    return next(cell.source for cell in cells_to_run(spliced) if cell.name == exercise)


def keep(course: Course, chapter: str, exercise: str, source: str) -> tuple[Path, bool]:
    """Keep an answer with those that the exercise accepts; its file, and whether it is new.

    Its name is a number: readers of the course need not know whose it was.
    """
    loaded = load(course.root, chapter)
    for known in loaded.exercises[exercise].accepted:
        if known.source == _text(source):
            return known.path, False
    folder = accepted_folder(loaded.folder, exercise)
    folder.mkdir(parents=True, exist_ok=True)
    numbers = [
        int(path.stem.removeprefix("answer_"))
        for path in folder.glob("answer_*.py")
        if path.stem.removeprefix("answer_").isdigit()
    ]
    path = folder / f"answer_{max(numbers, default=0) + 1}.py"
    path.write_text(_text(source), encoding="utf-8")
    return path, True


def _text(source: str) -> str:
    return source.encode("utf-8", "replace").decode().rstrip("\n") + "\n"
