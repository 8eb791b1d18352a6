"""What a platform that teachers use already is given: `attn package gradescope | github`."""

import argparse
from pathlib import Path
from typing import Any

SECRET = (
    "It is secret: it holds the solutions and the seed of the graded cases. Give it to Gradescope "
    "and to nobody else. Its README.md says how, and what is lost where there are no namespaces."
)
PUBLIC = (
    "There is nothing secret in it. Push it to a repository that is a template; its action checks "
    "the notebook on the public cases whenever somebody pushes."
)


def add(commands: Any, course: argparse.ArgumentParser) -> None:
    """Add the command to argparse's; `course` has the options of those that read a course."""
    command = commands.add_parser("package", help="make a chapter for Gradescope or GitHub")
    platforms = command.add_subparsers(dest="platform", required=True, metavar="PLATFORM")
    gradescope = platforms.add_parser("gradescope", parents=[course],
                                      help="the autograder zip (secret)")  # fmt: skip
    gradescope.set_defaults(run=_gradescope)
    github = platforms.add_parser("github", parents=[course],
                                  help="a template repository with an action")  # fmt: skip
    github.set_defaults(run=_github)
    for one, what in ((gradescope, "FILE"), (github, "FOLDER")):
        one.add_argument("chapter", metavar="CHAPTER")
        one.add_argument("--to", type=Path, metavar=what,
                         help="default: in packages/ of the course")  # fmt: skip


def _gradescope(given: argparse.Namespace) -> int:
    from autograder.course.course import Course
    from autograder.lms.gradescope_zip import write_zip

    print(write_zip(Course(given.root.resolve()), given.chapter, given.to))
    print(SECRET)
    return 0


def _github(given: argparse.Namespace) -> int:
    from autograder.course.course import Course
    from autograder.lms.github_template import write_template

    print(write_template(Course(given.root.resolve()), given.chapter, given.to))
    print(PUBLIC)
    return 0
