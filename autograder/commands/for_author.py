"""An author can ask for `attn new course | chapter | exercise` and `attn selftest`."""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from autograder.commands.options import described, positive
from autograder.common.errors import CourseError


def add(commands: Any, course: argparse.ArgumentParser) -> None:
    """Add the command to argparse's; `course` has the options of those that read a course."""
    command = commands.add_parser("new", **described("Begin a course, a chapter or an exercise."))
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")

    kind = kinds.add_parser("course", **described("Begin a course with a chapter that works."))
    kind.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=Path(),
        metavar="FOLDER",
        help="where to write it (default: the current folder)",
    )
    kind.set_defaults(run=_course)

    kind = kinds.add_parser("chapter", parents=[course], **described("Begin a chapter."))
    kind.add_argument("chapter", metavar="SLUG", help="its name, such as 02_spread")
    kind.set_defaults(run=_chapter)

    kind = kinds.add_parser(
        "exercise", parents=[course], **described("Add an exercise to a chapter.")
    )
    kind.add_argument("chapter", metavar="CHAPTER", help="the name of the chapter")
    kind.add_argument("name", metavar="NAME", help="name of the function or class")
    kind.set_defaults(run=_exercise)


def add_selftest(
    commands: Any, course: argparse.ArgumentParser, unconfined: argparse.ArgumentParser
) -> None:
    """Add `attn selftest` to argparse's commands; the parents have the options."""
    command = commands.add_parser(
        "selftest",
        parents=[course, unconfined],
        **described("Test that wrong answers are rejected and named, and right ones accepted."),
    )
    command.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="chapters, each alone or followed by some of its exercises; default: all",
    )
    others = command.add_mutually_exclusive_group()
    others.add_argument(
        "--mutants",
        action="store_true",
        help="print which single changes to right code pass",
    )
    others.add_argument(
        "--seeds",
        type=positive,
        metavar="N",
        help="print right answers that fail under N secret seeds",
    )
    command.set_defaults(run=_selftest)


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


def _selftest(given: argparse.Namespace) -> int:
    from autograder.chapters.course_root import course_root
    from autograder.chapters.solutions import all_chapters, load
    from autograder.commands.selftest_tables import mutants_table, seeds_table, selftest_table

    root, confined = course_root(given.root), not given.no_sandbox
    chosen = _exercises_by_chapter(root, given.names or all_chapters(root))
    table = mutants_table if given.mutants else selftest_table
    if given.seeds:
        table = partial(seeds_table, seeds=given.seeds)
    return max([table(load(root, name), names, confined) for name, names in chosen.items()])


def _exercises_by_chapter(root: Path, names: list[str]) -> dict[str, list[str]]:
    """Chapters, each with those of its exercises that are named after it.

    Raises CourseError for a name that is neither.
    """
    from autograder.chapters.solutions import chapter_names, load

    chosen: dict[str, list[str]] = {}
    chapter = None
    for name in names:
        if chapter is None or name in chapter_names(root):
            chapter = load(root, name)
            chosen.setdefault(name, [])
        elif name in chapter.exercises:
            chosen[chapter.name].append(name)
        else:
            known = ", ".join(chapter.exercises)
            raise CourseError(f"{chapter.name} has no exercise {name!r}; exercises: {known}.")
    return chosen


def _say(written: list[Path]) -> None:
    here = Path.cwd()
    for path in written:
        print(f"Written: {path.relative_to(here) if path.is_relative_to(here) else path}")
