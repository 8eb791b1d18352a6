"""What an author can ask for: `attn new chapter | exercise`."""

import argparse
from pathlib import Path
from typing import Any

from autograder.calls.files import REPOSITORY


def add(commands: Any, course: argparse.ArgumentParser) -> None:
    """Add the command to argparse's; `course` has the options of those that read a course."""
    command = commands.add_parser("new", help="begin a chapter or an exercise")
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")

    kind = kinds.add_parser("chapter", parents=[course], help="begin a chapter")
    kind.add_argument("chapter", metavar="SLUG", help="such as 01_statistics")
    kind.set_defaults(run=_chapter)

    kind = kinds.add_parser("exercise", parents=[course], help="add an exercise to a chapter")
    kind.add_argument("chapter", metavar="CHAPTER")
    kind.add_argument("name", metavar="NAME", help="of the function or class to write")
    kind.set_defaults(run=_exercise)


def _chapter(given: argparse.Namespace) -> int:
    from autograder.course.new_source import new_chapter
    from autograder.course.rules import missing_in_book

    root = given.root.resolve()
    _say(new_chapter(root, given.chapter))
    if (root / "book").is_dir():
        for sentence in missing_in_book(root, given.chapter):
            print(sentence)
    return 0


def _exercise(given: argparse.Namespace) -> int:
    from autograder.course.new_source import new_exercise

    root = given.root.resolve()
    _say(new_exercise(root, given.chapter, given.name))
    of_course = "" if root == REPOSITORY else f" --root {given.root}"
    print(f"Replace each TODO. What is left, says: attn selftest {given.chapter}{of_course}")
    return 0


def _say(made: list[Path]) -> None:
    for path in made:
        print(f"Written: {path}")
