"""The autograder zip that Gradescope builds a container from: the engine, a chapter, the seed.

It is as secret as they are. What it has to hold:
https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from pathlib import Path

from autograder.chapters.first_cell import packages
from autograder.chapters.settings import CONFIG
from autograder.chapters.settings import FILE as SETTINGS
from autograder.chapters.solutions import VOCABULARY, load
from autograder.common.files import SEED
from autograder.course import engine_wheel
from autograder.course.course import Course
from autograder.grading.class_run import refuse_old_release
from autograder.platforms.packed import TEMPLATES, filled, write, zipped

PROGRAMS = ("setup.sh", "run_autograder")
BESIDE = ("jupytext", "matplotlib")  # what reads sources, what notebooks may import
MEMORY = 3  # GB of the container: torch in the trusted process and in the worker, and a submission


def write_zip(course: Course, name: str, path: Path | None = None) -> Path:
    """Write the zip of a chapter, by default into the course's packages/; returns its path.

    Raises CourseError where the chapter is missing, unreleased or was changed since.
    """
    place = path or course.root / "packages" / f"{name}-gradescope.zip"
    write(place, zipped(contents(course, name), PROGRAMS))
    return place


def contents(course: Course, name: str) -> dict[str, bytes]:
    """Name -> bytes of what is in the zip."""
    refuse_old_release(course, name)
    chapter = load(course.root, name)
    folder, config = chapter.folder, course.root / CONFIG
    of_the_course = (folder.parent / name for name in (VOCABULARY, SETTINGS))
    sources = [
        folder / f"{name}.md",
        *sorted(folder.glob("*.py")),
        *filter(Path.is_file, of_the_course),
    ]
    engine, wheel = engine_wheel.wheel()
    worth = sum(exercise.points for exercise in chapter.exercises.values())
    return {
        **{f"solutions/{one.relative_to(folder.parent)}": one.read_bytes() for one in sources},
        f"exercises/{name}/{name}.ipynb": (course.release(name) / f"{name}.ipynb").read_bytes(),
        **({CONFIG: config.read_bytes()} if config.is_file() else {}),
        SEED: f"{course.seed(None)}\n".encode(),
        engine: wheel,
        "requirements.txt": _requirements(engine, packages(chapter)),
        "constraints.txt": engine_wheel.constraints(),
        "setup.sh": (TEMPLATES / "gradescope_setup.sh").read_bytes(),
        "run_autograder": filled("gradescope_run.sh", chapter=name),
        "README.md": filled(
            "gradescope_readme.md", chapter=name, points=f"{worth:g}", memory=MEMORY
        ),
    }


def _requirements(engine: str, imported: list[str]) -> bytes:
    lines = [engine_wheel.TORCH_FOR_CPU, "-c constraints.txt", f"./{engine}", *BESIDE, *imported]
    return "\n".join([*lines, ""]).encode()
