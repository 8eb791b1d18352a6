"""A class made from the solutions, the misconceptions, and the accidents that happen every term."""

import copy
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from autograder.chapters.slips import field_location
from autograder.common.cell import grade_id, is_solution
from autograder.common.errors import CourseError
from autograder.common.files import CHECKS
from autograder.course.course import Course
from autograder.course.dates import STAMP, Dates
from autograder.diagnosis.diagnose import diagnose
from autograder.exercise.observation import Failure, Observation
from autograder.exercise.spec import Exercise, Misconception
from autograder.judging import checks_file
from autograder.judging.checks import Checks, build
from autograder.judging.judge import judge
from autograder.judging.verdict import Kind
from autograder.notebooks.chapter import Chapter, reference
from autograder.notebooks.hand_in import HandIn

ACCIDENTS = ("stub", "syntax error", "exception", "infinite loop", "deleted cell", "colab")
SECRET_SEED = "simulated"  # any: a misconception is rejected with each
FIRST_DEADLINE = datetime(2026, 1, 12, 12, tzinfo=UTC)


@dataclass
class Student:
    """A made-up submission and, by exercise, the (verdict, misconception) it must get."""

    name: str
    story: str
    sources: dict[str, str]
    intended: dict[str, tuple[str, str]] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    colab: bool = False


Public = Mapping[str, Checks]  # an exercise's public checks by its name
Story = Callable[[Chapter, Public, Student, random.Random], None]


def released_checks(course: Course, name: str) -> Public:
    """The public checks of a chapter, as learners got them. Raises CourseError without them."""
    path = course.release(name) / CHECKS
    if not path.is_file():
        raise CourseError(f"{path} does not exist; make it with: attn release {name}")
    return checks_file.load(path)


def make_class(
    chapter: Chapter, students: int, seed: int, accidents: Sequence[str] = ACCIDENTS,
    released: Public | None = None,
) -> list[Student]:  # fmt: skip
    """The same class for the same seed; every accident occurs if there are enough students.

    released: the public checks as learners got them, which are made here if they are not given.
    Raises CourseError as `refuse_unfinished` does.
    """
    refuse_unfinished(chapter)
    public = released or {name: build(exercise) for name, exercise in chapter.exercises.items()}
    rng = random.Random(seed)
    stories: list[str] = [*accidents]
    while len(stories) < students:
        stories.append(rng.choice(["solution", "variants", "one slip", "one slip", "two slips"]))
    stories = stories[:students]
    rng.shuffle(stories)
    width = len(str(students))
    return [
        _student(chapter, public, f"student{number:0{width}}", story, rng)
        for number, story in enumerate(stories, 1)
    ]


def refuse_unfinished(chapter: Chapter) -> None:
    """Raise CourseError for an exercise without variants or misconceptions."""
    for name, exercise in chapter.exercises.items():
        if not (exercise.variants and exercise.misconceptions):
            at = field_location(chapter.folder / f"{name}.py")
            raise CourseError(
                f"{at}: a class is made up of variants and misconceptions. Write one of each at "
                "least."
            )


def write_class(course: Course, chapter: Chapter, students: list[Student], seed: int) -> Path:
    """Write `submitted/` and, in `simulated/`, what each verdict must be; returns that file."""
    released = course.released(chapter.name)
    rng = random.Random(seed)
    step = course.directory.submitted_directory
    dates = Dates(course, chapter.name)
    for student in students:
        folder = course.folder(step, chapter.name, student.name)
        folder.mkdir(parents=True, exist_ok=True)
        notebook = _notebook(released, student, rng)
        path = folder / f"{chapter.name}.ipynb"
        path.write_text(nbformat.writes(notebook) + "\n")
        when = FIRST_DEADLINE - timedelta(minutes=rng.randrange(60, 5000))
        (folder / STAMP).write_text(f"{when:%Y-%m-%d %H:%M:%S} UTC\n")
        dates.record(student.name, when.replace(tzinfo=None), [str(HandIn.at(path).digest)])
    answers = course.root / "simulated" / f"{chapter.name}.jsonl"
    answers.parent.mkdir(parents=True, exist_ok=True)
    answers.write_text("".join(json.dumps(row) + "\n" for row in _intentions(students)))
    return answers


def _intentions(students: list[Student]) -> list[dict[str, Any]]:
    return [
        {"student": student.name, "story": student.story, "exercise": name,
         "verdict": verdict, "misconception": misconception or None}
        for student in students
        for name, (verdict, misconception) in student.intended.items()
    ]  # fmt: skip


def _student(
    chapter: Chapter, public: Public, name: str, story: str, rng: random.Random
) -> Student:
    student = Student(name, story, reference(chapter))
    student.intended = dict.fromkeys(student.sources, (Kind.PASSED, ""))
    STORIES[story](chapter, public, student, rng)
    return student


def _variants(chapter: Chapter, _: Public, student: Student, rng: random.Random) -> None:
    for name, exercise in chapter.exercises.items():
        student.sources[name] = rng.choice(exercise.variants).source_as(name)


def _slips(count: int) -> Story:
    def slip(chapter: Chapter, public: Public, student: Student, rng: random.Random) -> None:
        for name in rng.sample(sorted(chapter.exercises), min(count, len(chapter.exercises))):
            wrong = rng.choice(chapter.exercises[name].misconceptions)
            student.sources[name] = wrong.source_as(name)
            kind = kind_of(chapter.exercises[name], public[name], wrong)
            student.intended[name] = (kind, wrong.name)

    return slip


def kind_of(exercise: Exercise, public: Checks, wrong: Misconception) -> str:
    """The kind of verdict that a misconception gets where it is graded.

    Secret cases are made only where the public ones do not reject it.
    """
    kind = _kind(public, wrong)
    return kind if kind != Kind.PASSED else _kind(build(exercise, SECRET_SEED), wrong)


def _kind(checks: Checks, wrong: Misconception) -> str:
    return judge(checks, [known.wrong[wrong.name] for known in checks.cases]).kind


def _stub(chapter: Chapter, _: Public, student: Student, __: random.Random) -> None:
    student.sources = {}
    student.intended = dict.fromkeys(chapter.exercises, (Kind.MISSING, ""))


def _break(source: Callable[[str], str], verdict: str, failure: Failure | None = None) -> Story:
    """An accident in one exercise that nothing else builds on or that is replaced by a stand-in.

    failure: what every call raises; what that is called is for the judge to say.
    """

    def accident(chapter: Chapter, public: Public, student: Student, rng: random.Random) -> None:
        name = rng.choice(sorted(chapter.exercises))
        student.sources[name] = source(name)
        called = _called(public[name], failure) if failure else ""
        student.intended[name] = (verdict, called)

    return accident


def _called(checks: Checks, failure: Failure) -> str:
    verdict = judge(checks, [Observation(failure=failure)] * len(checks.cases))
    return diagnose(checks, verdict).misconception


def _delete(chapter: Chapter, _: Public, student: Student, rng: random.Random) -> None:
    name = rng.choice(sorted(chapter.exercises))
    student.deleted = {name}
    student.intended[name] = (Kind.MISSING, "")


def _colab(_: Chapter, __: Public, student: Student, ___: random.Random) -> None:
    student.colab = True


STORIES: dict[str, Story] = {
    "solution": lambda *_: None,
    "variants": _variants,
    "one slip": _slips(1),
    "two slips": _slips(2),
    "stub": _stub,
    "syntax error": _break(
        lambda n: f"def {n}(*args:\n    return args[0]\n",
        Kind.RAISED,
        Failure("SyntaxError", "'(' was never closed"),
    ),
    "exception": _break(
        lambda n: f"def {n}(*args, **kwargs):\n    return [][0]\n",
        Kind.RAISED,
        Failure("IndexError", "list index out of range"),
    ),
    "infinite loop": _break(
        lambda n: f"def {n}(*args, **kwargs):\n    while True:\n        pass\n", Kind.TIMEOUT
    ),
    "deleted cell": _delete,
    "colab": _colab,
}


def _notebook(released: NotebookNode, student: Student, rng: random.Random) -> NotebookNode:
    notebook = copy.deepcopy(released)
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) not in student.deleted]
    for cell in filter(is_solution, notebook.cells):
        cell.source = student.sources.get(grade_id(cell), cell.source)
        if cell.cell_type == "markdown" and student.story != "stub" and rng.random() < 0.7:
            cell.source = "I tried it with small numbers first, and then with large ones."
    return _saved_by_colab(notebook) if student.colab else notebook


def _saved_by_colab(notebook: NotebookNode) -> NotebookNode:
    """Write a notebook as Colab does: its metadata, no cell ids, outputs kept, an extra cell."""
    for position, cell in enumerate(notebook.cells):
        cell.pop("id", None)
        cell.metadata["id"] = f"x{position:011d}"
        if cell.cell_type == "code":
            cell.metadata["colab"] = {"base_uri": "https://localhost:8080/"}
            cell.execution_count = position
    extra = v4.new_code_cell("!nvidia-smi", metadata={"id": "y"})
    extra.pop("id")
    notebook.cells.insert(1, extra)
    notebook.metadata["colab"] = {"provenance": []}
    notebook.nbformat_minor = 0
    return notebook
