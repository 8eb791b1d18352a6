"""Make what learners get: the source notebook and public checks, then nbgrader's own release."""

import os
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from nbformat import read
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import compute_checksum, is_solution

from autograder.chapters.solutions import load
from autograder.common.errors import CourseError
from autograder.common.files import CHECKS, PROGRESS
from autograder.common.forks import fork_server
from autograder.course import assistants
from autograder.course.course import Course
from autograder.course.nbgrader_errors import quiet, reason
from autograder.course.on_demand import build_when_needed
from autograder.course.opening import without_alembic

FORBIDDEN = ("BEGIN SOLUTION", "END SOLUTION", "BEGIN HIDDEN TESTS")


class Aside(GenerateAssignment):  # type: ignore[misc]  # nbgrader is untyped
    """Writes into a folder of its own: nbgrader would empty the one that learners have first."""

    folder = ""

    @property
    def _output_directory(self) -> str:
        return self.folder


def release(course: Course, name: str) -> Path:
    """Regenerate `exercises/NAME/`; returns the folder. The same sources give the same bytes.

    Raises CourseError if nbgrader refuses, if a solution would get out, or if the folder holds
    somebody's work.
    """
    directory = CourseDirectory(config=course.config, assignment_id=name)
    folder = course.folder(directory.release_directory, name)
    _refuse_to_lose(folder, name)
    _refuse_strangers(folder, folder, name, directory.ignore)
    load(course.root, name)  # nbgrader would not say which chapters there are
    build_when_needed()  # also where the course's own configuration does not say so
    with TemporaryDirectory() as aside:
        converter = Aside(coursedir=directory, config=course.config, force=True)
        converter.folder = aside
        _convert(converter, name)
        _refuse_strangers(Path(aside, name), folder, name)
        _refuse_solutions(Path(aside, name), folder, name)
        _put(Path(aside, name), folder)
    return folder


def _convert(converter: GenerateAssignment, name: str) -> None:
    said = quiet(converter.log)
    try:
        with without_alembic():
            converter.start()
    except CourseError:
        raise
    except Exception as error:
        raise CourseError(f"nbgrader could not release {name}: {reason(said, error)}") from None


def _put(made: Path, folder: Path) -> None:
    """Replace each file in one step: whoever reads it meanwhile finds the old one or the new."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in made.iterdir():
        part = folder / f"{path.name}.part"
        shutil.copy(path, part)
        part.replace(folder / path.name)


def release_all(course: Course, names: list[str]) -> Iterator[tuple[str, Path]]:
    """Release several chapters, in a process for each core; yields each with its folder."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if min(cores, len(names)) == 1:
        yield from ((name, release(course, name)) for name in names)
        return
    with course.gradebook():
        pass  # made once: two processes that make its tables at the same time fail
    with ProcessPoolExecutor(cores, fork_server(__name__)) as pool:
        folders = pool.map(partial(_release_in, course.root), names)
        yield from zip(names, folders, strict=True)


def _release_in(root: Path, name: str) -> Path:
    return release(Course(root), name)


def _refuse_to_lose(folder: Path, name: str) -> None:
    """Stop if a learner has worked in the folder: with a check, or in a cell."""
    work = [folder / PROGRESS, folder / f"{name}.ipynb"]
    if work[0].exists() or (work[1].exists() and _was_written_in(work[1])):
        raise CourseError(
            f"Somebody has worked in {folder}, and a release would overwrite it. "
            "Move the folder away, then release again."
        )


def _was_written_in(notebook: Path) -> bool:
    """Tell whether an answer is no longer what was released, by the checksums nbgrader left."""
    cells = [cell for cell in read(notebook, as_version=4).cells if is_solution(cell)]
    return any(compute_checksum(c) != c.metadata.nbgrader.get("checksum") for c in cells)


def _refuse_strangers(made: Path, folder: Path, name: str, ignored: Iterable[str] = ()) -> None:
    """Raise CourseError if a release holds a file that it should not.

    made: where the files are, which are meant for `folder`. ignored: patterns of names that
    nbgrader does not hand out.
    """
    paths = (path.relative_to(made) for path in made.rglob("*") if path.is_file())
    given = {
        path.name
        for path in paths
        if not any(fnmatch(part, one) for part in path.parts for one in ignored)
    }
    if strangers := given - {f"{name}.ipynb", CHECKS, *assistants.FILES}:
        raise CourseError(f"{folder} would release {', '.join(sorted(strangers))}; remove them.")


def _refuse_solutions(made: Path, folder: Path, name: str) -> None:
    """Raise CourseError if a released notebook has a marker of a solution."""
    text = (made / f"{name}.ipynb").read_text("utf-8")
    marker = next((marker for marker in FORBIDDEN if marker in text), None)
    if marker:
        raise CourseError(f"{folder / name}.ipynb still contains {marker!r}.")


def refuse_to_hand_out(folder: Path, name: str, ignored: Iterable[str]) -> None:
    """Raise CourseError if the folder of a release is no longer as `attn release` made it.

    A solution in it, a seed or a gradebook would reach every learner. ignored: patterns of names
    that nbgrader does not hand out.
    """
    _refuse_strangers(folder, folder, name, ignored)
    _refuse_solutions(folder, folder, name)
    if _was_written_in(folder / f"{name}.ipynb"):
        raise CourseError(
            f"{folder / name}.ipynb has answers in it. Move it away and make it anew: "
            f"attn release {name}"
        )
