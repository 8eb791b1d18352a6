"""A learner can ask for `attn check | status | tutor | unlock`."""

import argparse
from pathlib import Path
from typing import Any

from autograder.commands.options import described
from autograder.common import libraries
from autograder.common.errors import CourseError


def add(commands: Any, course: argparse.ArgumentParser) -> None:
    """Add the commands to argparse's; `course` has the options of those that read a course."""
    command = commands.add_parser(
        "check", **described("Run your notebook from the top, as the grader does.")
    )
    command.add_argument("notebook", type=Path, metavar="NOTEBOOK")
    command.add_argument(
        "--github",
        action="store_true",
        help="in a GitHub workflow: show the cards as its summary, and report the points",
    )
    command.set_defaults(run=_check)

    command = commands.add_parser(
        "status", **described("Show what you have solved, and what is next.")
    )
    _add_folder(command)
    command.set_defaults(run=_status)

    command = commands.add_parser(
        "tutor", **described("Help the assistant in your editor to help you, without solutions.")
    )
    _add_folder(command)
    command.set_defaults(run=_tutor)

    command = commands.add_parser(
        "unlock", parents=[course], **described("Write the worked solution of a chapter.")
    )
    command.add_argument("chapter", metavar="CHAPTER")
    command.add_argument("--yes", action="store_true", help="write it without asking")
    command.set_defaults(run=_unlock)


def _add_folder(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=Path(),
        metavar="FOLDER",
        help="folder of a chapter or of several (default: this one)",
    )


def _check(given: argparse.Namespace) -> int:
    from autograder.learner.linux_only import require_linux

    require_linux()
    from autograder.learner.clean_run import clean_run
    from autograder.learner.printout import clean_run_table

    if not given.github:
        return clean_run_table(clean_run(given.notebook))
    from autograder.learner.printout import summary_file, tell_github

    summary, run = summary_file(), clean_run(given.notebook)
    status = clean_run_table(run)
    tell_github(run, given.notebook.stem, summary)
    return status


def _status(given: argparse.Namespace) -> int:
    from autograder.learner.printout import status_table
    from autograder.learner.status import found_in

    return status_table(found_in(given.folder))


def _tutor(given: argparse.Namespace) -> int:
    libraries.require_extra("tutor")
    from autograder.learner.tutor import serve

    serve(given.folder)
    return 0


def _unlock(given: argparse.Namespace) -> int:
    from autograder.chapters.course_root import NoCourse, course_root
    from autograder.course import unlock

    try:
        root = course_root(given.root)
    except NoCourse:
        raise CourseError(unlock.NONE_HERE) from None
    path = unlock.place(root, given.chapter)
    if not (given.yes or _typed(given.chapter)):
        print("Nothing was unlocked.")
        return 1
    unlock.write(root, given.chapter, path)
    print(path)
    return 0


def _typed(name: str) -> bool:
    try:
        return input(f"To see the solutions of {name}, type the chapter's name: ").strip() == name
    except EOFError:
        print()
        return False
