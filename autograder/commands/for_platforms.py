"""Pack a chapter for others: `attn package zip | github | gradescope`."""

import argparse
from pathlib import Path
from typing import Any

from autograder.commands.options import course_of, described

HANDED_OUT = (
    "There is nothing secret in it. Hand it out: its README.md says what learners type, and the "
    "engine comes with it."
)
SECRET = (
    "It is secret: it holds the solutions and the seed of the graded cases. Give it to Gradescope "
    "and to nobody else. Its README.md says how, and what is lost without namespaces."
)
PUBLIC = (
    "There is nothing secret in it. Push it to a template repository; its action checks the "
    "notebook on the public cases at each push."
)


def add(commands: Any, course: argparse.ArgumentParser) -> None:
    """Add the command to argparse's; `course` has the options of those that read a course."""
    command = commands.add_parser(
        "package", **described("Pack a chapter for learners, GitHub or Gradescope.")
    )
    kinds = command.add_subparsers(dest="package", required=True, metavar="KIND")
    for name, run, what, sentence in (
        ("zip", _zip, "FILE", "Make a zip for learners, with the engine."),
        ("github", _github, "FOLDER", "Make a template repository with an action."),
        ("gradescope", _gradescope, "FILE", "Make the autograder zip, which is secret."),
    ):
        kind = kinds.add_parser(name, parents=[course], **described(sentence))
        kind.add_argument("chapter", metavar="CHAPTER")
        kind.add_argument(
            "--to",
            type=Path,
            metavar=what,
            help="where to write it (default: in packages/ of the course)",
        )
        kind.set_defaults(run=run)


def _zip(given: argparse.Namespace) -> int:
    from autograder.platforms.handouts import write_zip

    print(write_zip(course_of(given), given.chapter, given.to))
    print(HANDED_OUT)
    return 0


def _github(given: argparse.Namespace) -> int:
    from autograder.platforms.handouts import write_template

    print(write_template(course_of(given), given.chapter, given.to))
    print(PUBLIC)
    return 0


def _gradescope(given: argparse.Namespace) -> int:
    from autograder.platforms.gradescope_zip import write_zip

    print(write_zip(course_of(given), given.chapter, given.to))
    print(SECRET)
    return 0
