"""Several commands share this: how they are described, what they read, and in which course."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.course.course import Course


def described(sentence: str) -> dict[str, str]:
    """Return what makes argparse's `add_parser` say the sentence in both places."""
    return {"help": sentence, "description": sentence}


def positive(text: str) -> int:
    """Read a number. Raises ArgumentTypeError unless it is whole and above 0."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def course_of(given: argparse.Namespace) -> "Course":
    """Return the course that the options name, or the one around the current folder."""
    from autograder.chapters.course_root import course_root
    from autograder.course.course import Course

    return Course(course_root(given.root))


def add_section(command: Any, what: str) -> None:
    """Add the option that limits a command to a section; what: the command does with it."""
    command.add_argument(
        "--section", metavar="SECTION", help=f"{what} only students in this section of the roster"
    )


def students_in(course: "Course", given: argparse.Namespace) -> set[str] | None:
    """Return the ids of the section that was asked for; None where none was.

    Raises CourseError for a section that there is not.
    """
    from autograder.course.sections import students_of

    return None if given.section is None else students_of(course, given.section)
