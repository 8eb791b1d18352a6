"""What an author can ask for: `attn new course | chapter | exercise`."""

import argparse
from pathlib import Path
from typing import Any

from autograder.commands.help_text import described


def add(commands: Any, course: argparse.ArgumentParser) -> None:
    """Add the command to argparse's; `course` has the options of those that read a course."""
    command = commands.add_parser("new", **described("Begin a course, a chapter or an exercise."))
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")

    kind = kinds.add_parser("course", **described("Begin a course with a chapter that works."))
    kind.add_argument("folder", type=Path, nargs="?", default=Path(), metavar="FOLDER",
                      help="where to write it (default: the current folder)")  # fmt: skip
    kind.set_defaults(run=_course)

    kind = kinds.add_parser("chapter", parents=[course], **described("Begin a chapter."))
    kind.add_argument("chapter", metavar="SLUG", help="its name, such as 02_spread")
    kind.set_defaults(run=_chapter)

    kind = kinds.add_parser(
        "exercise", parents=[course], **described("Add an exercise to a chapter.")
    )
    kind.add_argument("chapter", metavar="CHAPTER", help="the name of the chapter")
    kind.add_argument("name", metavar="NAME", help="of the function or class to write")
    kind.set_defaults(run=_exercise)


def _course(given: argparse.Namespace) -> int:
    from autograder.authoring.new_source import new_course

    root = given.folder.resolve()
    _say(new_course(root))
    there = "" if root == Path.cwd() else f" in {given.folder}"
    print(f"The course can be released as it is. Run{there}: attn selftest")
    return 0


def _chapter(given: argparse.Namespace) -> int:
    from autograder.authoring.new_source import new_chapter
    from autograder.authoring.rules import missing_in_book
    from autograder.chapters.course_root import course_root

    root = course_root(given.root)
    _say([new_chapter(root, given.chapter)])
    if (root / "book").is_dir():
        for sentence in missing_in_book(root, given.chapter):
            print(sentence)
    return 0


def _exercise(given: argparse.Namespace) -> int:
    from autograder.authoring.new_source import new_exercise
    from autograder.chapters.course_root import course_root

    text, code = new_exercise(course_root(given.root), given.chapter, given.name)
    _say([text, code])
    of_course = f" --root {given.root}" if given.root else ""
    print(f"Replace each TODO. To see what is left, run: attn selftest {given.chapter}{of_course}")
    return 0


def _say(written: list[Path]) -> None:
    here = Path.cwd()
    for path in written:
        print(f"Written: {path.relative_to(here) if path.is_relative_to(here) else path}")
