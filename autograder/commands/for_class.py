"""A teacher can ask about a class: `attn report | similar`.

Each imports what it uses: learners, who have the same `attn`, need not have nbgrader.
"""

import argparse
from pathlib import Path
from typing import Any

from autograder.commands.options import course_of, described


def add(commands: Any, course: argparse.ArgumentParser) -> None:
    """Add the commands to argparse's; `course` has the option that they share."""
    command = commands.add_parser(
        "report", parents=[course], **described("Say what there is to know of a class.")
    )
    command.add_argument("chapter", metavar="CHAPTER")
    command.add_argument("--anonymous", action="store_true", help="leave out all names")
    command.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="the page to write (default: reports/CHAPTER.html in the course, "
        "with _anonymous before the dot if names are left out)",
    )
    command.set_defaults(run=_report)

    command = commands.add_parser(
        "similar", parents=[course], **described("Show submissions that are alike.")
    )
    command.add_argument("chapter", metavar="CHAPTER")
    command.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="the page to write (default: reports/CHAPTER_similar.html in the course)",
    )
    command.set_defaults(run=_similar)


def _report(given: argparse.Namespace) -> int:
    from autograder.classes.class_results import read_class, without_names
    from autograder.classes.page import report_page, write
    from autograder.classes.tables import print_report
    from autograder.commands.late_work import settle_and_tell

    course = course_of(given)
    settle_and_tell(course, [given.chapter], named=not given.anonymous)
    results = read_class(course, given.chapter)
    if given.anonymous:
        results = without_names(results, course.seed(None))
    name = f"{given.chapter}_anonymous" if given.anonymous else given.chapter
    path = given.output or course.root / "reports" / f"{name}.html"
    print_report(results)
    write(path, report_page(results))
    print(f"Written: {path}")
    return 0


def _similar(given: argparse.Namespace) -> int:
    from autograder.classes.page import write
    from autograder.classes.similarity import similarities
    from autograder.classes.similarity_page import print_similarities, similarity_page

    course = course_of(given)
    alike = similarities(course, given.chapter)
    path = given.output or course.root / "reports" / f"{given.chapter}_similar.html"
    print_similarities(alike)
    write(path, similarity_page(alike))
    print(f"Written: {path}")
    return 0
