"""A right answer that was rejected: kept beside the exercise, so that it passes from now on."""

from pathlib import Path

from autograder.chapters.solutions import accepted_folder, load
from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.notebooks.hand_in import HandIn, NotebookError
from autograder.notebooks.splice import cells_to_run, missing, splice
from autograder.notebooks.submission import parse


def answer(course: Course, chapter: str, student: str, exercise: str) -> str:
    """The code that a student handed in for an exercise, as grading runs it.

    Raises CourseError where there is none.
    """
    known = load(course.root, chapter).exercises
    if exercise not in known:
        raise CourseError(f"{chapter} has no exercise {exercise!r}; it has {', '.join(known)}.")
    path = course.submissions(chapter).get(student)
    if path is None:
        raise CourseError(f"{student!r} has handed in nothing of {chapter}.")
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

    It gets a number for a name: whose it was is nobody's business who reads the course.
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
