"""A chapter to hand out, with the engine: as a zip, or as a template repository for GitHub.

Learners get what was released, and pip installs the engine that lies beside it. GitHub Classroom
gives each student a copy of a template, in which an action checks it, and so does any other tool
that starts from a template. There is nothing secret in either.
"""

from pathlib import Path

from autograder.chapters.first_cell import packages
from autograder.chapters.solutions import load
from autograder.common.errors import CourseError
from autograder.common.files import CHECKS
from autograder.course import assistants, engine_wheel
from autograder.course.course import Course
from autograder.grading.class_run import refuse_old_release
from autograder.platforms.packed import filled, write, zipped

IN_A_ZIP = ("jupyterlab", "matplotlib")  # what learners need, and the engine does not
WORKFLOW = ".github/workflows/classroom.yml"
CONSTRAINTS = ".github/constraints.txt"
NOT_HANDED_IN = ".ipynb_checkpoints/\n.venv/\nprogress.json\n"


def write_zip(course: Course, name: str, path: Path | None = None) -> Path:
    """Write the zip of a chapter, by default into the course's packages/; returns its path.

    Raises CourseError where the chapter is missing, unreleased or was changed since.
    """
    place = path or course.root / "packages" / f"{name}.zip"
    engine, files = _released(course, name, *IN_A_ZIP)
    files["README.md"] = filled("zip_readme.md", chapter=name, engine=engine)
    write(place, zipped({f"{name}/{one}": content for one, content in files.items()}, ()))
    return place


def write_template(course: Course, name: str, folder: Path | None = None) -> Path:
    """Write the files of a chapter's template, by default into packages/; returns the folder.

    Other files in the folder stay, so it may be a clone. Raises CourseError where the chapter is
    missing, unreleased or was changed since, and for a path that is no folder.
    """
    place = folder or course.root / "packages" / f"{name}-github"
    if place.exists() and not place.is_dir():
        raise CourseError(f"{place} is not a folder. Give another with --to.")
    engine, files = _released(course, name, "matplotlib")
    files |= {
        CONSTRAINTS: engine_wheel.constraints(),
        WORKFLOW: filled("classroom.yml", chapter=name, constraints=CONSTRAINTS),
        "README.md": filled("github_readme.md", chapter=name, engine=engine),
        ".gitignore": NOT_HANDED_IN.encode(),
    }
    for path, content in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content)
    return place


def _released(course: Course, name: str, *more: str) -> tuple[str, dict[str, bytes]]:
    """Return the name of the engine's file, and the files by path. more: libraries to install."""
    chapter = load(course.root, name)
    refuse_old_release(course, name)
    release = course.release(name)
    engine, wheel = engine_wheel.wheel()
    given = [f"{name}.ipynb", CHECKS, *assistants.FILES]  # an older engine released two of these
    needs = [engine_wheel.TORCH_FOR_CPU, f"./{engine}", *more, *packages(chapter), ""]
    return engine, {
        **{one: (release / one).read_bytes() for one in given if (release / one).exists()},
        engine: wheel,
        "requirements.txt": "\n".join(needs).encode(),
    }
