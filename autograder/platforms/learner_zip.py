"""A chapter to hand out: what was released, and the engine, which one line of pip installs."""

from pathlib import Path

from autograder.chapters.first_cell import packages
from autograder.chapters.solutions import load
from autograder.common.files import CHECKS
from autograder.course import engine_wheel
from autograder.course.course import Course
from autograder.grading.class_run import refuse_old_release
from autograder.platforms.packed import filled, write, zipped

BESIDE = ("jupyterlab", "matplotlib")  # what learners need, and the engine does not


def write_zip(course: Course, name: str, path: Path | None = None) -> Path:
    """Write the zip of a chapter, by default into the course's packages/; returns its path.

    Raises CourseError where the chapter is missing, unreleased or was changed since.
    """
    place = path or course.root / "packages" / f"{name}.zip"
    write(place, zipped(contents(course, name), ()))
    return place


def contents(course: Course, name: str) -> dict[str, bytes]:
    """Path -> bytes of what is in the zip, which is one folder."""
    chapter = load(course.root, name)
    refuse_old_release(course, name)
    release = course.release(name)
    engine, wheel = engine_wheel.wheel()
    needs = [engine_wheel.TORCH_FOR_CPU, f"./{engine}", *BESIDE, *packages(chapter), ""]
    files = {
        **{one: (release / one).read_bytes() for one in (f"{name}.ipynb", CHECKS)},
        engine: wheel,
        "requirements.txt": "\n".join(needs).encode(),
        "README.md": filled("zip_readme.md", chapter=name, engine=engine),
    }
    return {f"{name}/{path}": content for path, content in files.items()}
