"""A template repository for GitHub: a chapter as learners get it, and an action that checks it.

There is nothing secret in it. GitHub Classroom gives each student a copy, and so does any other
tool that starts from a template.
"""

from pathlib import Path

from autograder.chapters.first_cell import packages
from autograder.chapters.solutions import load
from autograder.common.errors import CourseError
from autograder.common.files import CHECKS
from autograder.course import engine_wheel
from autograder.course.course import Course
from autograder.grading.class_run import refuse_old_release
from autograder.platforms.packed import filled

WORKFLOW = ".github/workflows/classroom.yml"
CONSTRAINTS = ".github/constraints.txt"
NOT_HANDED_IN = ".ipynb_checkpoints/\n.venv/\nprogress.json\n"


def write_template(course: Course, name: str, folder: Path | None = None) -> Path:
    """Write the files of a chapter's template, by default into packages/; returns the folder.

    Other files in the folder stay, so it may be a clone. Raises CourseError where the chapter is
    missing, unreleased or was changed since, and for a path that is no folder.
    """
    place = folder or course.root / "packages" / f"{name}-github"
    if place.exists() and not place.is_dir():
        raise CourseError(f"{place} is not a folder. Give another with --to.")
    for path, content in contents(course, name).items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content)
    return place


def contents(course: Course, name: str) -> dict[str, bytes]:
    """Path -> bytes of what is in the template."""
    chapter = load(course.root, name)
    refuse_old_release(course, name)
    release = course.release(name)
    engine, wheel = engine_wheel.wheel()
    needs = [engine_wheel.TORCH_FOR_CPU, f"./{engine}", "matplotlib", *packages(chapter), ""]
    return {
        **{one: (release / one).read_bytes() for one in (f"{name}.ipynb", CHECKS)},
        engine: wheel,
        "requirements.txt": "\n".join(needs).encode(),
        CONSTRAINTS: engine_wheel.constraints(),
        WORKFLOW: filled("classroom.yml", chapter=name, constraints=CONSTRAINTS),
        "README.md": filled("github_readme.md", chapter=name, engine=engine),
        ".gitignore": NOT_HANDED_IN.encode(),
    }
