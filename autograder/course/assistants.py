"""What a coding assistant reads in a chapter's folder: the course's rule, and how to help by it."""

from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from traitlets.config import Config

from autograder.chapters.course_root import CONFIG
from autograder.common.errors import CourseError
from autograder.common.files import TEMPLATES

if TYPE_CHECKING:  # they load torch, for which every command of nbgrader would wait
    from autograder.exercise.spec import Exercise
    from autograder.notebooks.chapter import Chapter

FILES = ("AGENTS.md", "CLAUDE.md")  # assistants look for one or the other; both say the same
POLICIES = ("closed", "tutor", "open")  # each has a template, assistants_POLICY.md
DEFAULT = "tutor"


def policy(root: Path, config: Config) -> str:
    """Return which of the policies a course has chosen. Raises CourseError for another word."""
    chosen = config.Assistants.get("policy", DEFAULT)
    if chosen in POLICIES:
        return str(chosen)
    raise CourseError(
        f'{root / CONFIG}: c.Assistants.policy is {chosen!r}. Make it "closed", "tutor" or "open".'
    )


def write(chapter: "Chapter", policy: str, folder: Path) -> None:
    """Write the files into the folder of a release, which is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (folder / name).write_text(_text(chapter, policy), encoding="utf-8")


def _text(chapter: "Chapter", policy: str) -> str:
    return _template("assistants").substitute(
        chapter=chapter.name,
        rule=_template(f"assistants_{policy}").substitute(chapter=chapter.name).strip(),
        exercises="\n".join(map(_row, chapter.exercises.values())),
    )


def _template(name: str) -> Template:
    return Template((TEMPLATES / f"{name}.md").read_text("utf-8"))


def _row(exercise: "Exercise") -> str:
    """Of the table; an exercise need not name a section."""
    read = f"`{exercise.read}`" if exercise.read else ""
    return f"| `{exercise.name}` | {exercise.points:g} | {exercise.minutes} | {read} |"
