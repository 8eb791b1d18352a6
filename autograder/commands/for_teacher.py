"""A teacher can ask for `attn release | simulate | grade | extend | feedback`.

Each imports what it uses: learners, who have the same `attn`, need not have nbgrader.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.commands.options import add_section, course_of, described, positive, students_in
from autograder.common.files import JOURNALS

if TYPE_CHECKING:
    from autograder.course.course import Course

LONGEST = 365  # days of an extension


def add(
    commands: Any, course: argparse.ArgumentParser, unconfined: argparse.ArgumentParser
) -> None:
    """Add the commands to argparse's; the parents have the options that several share."""
    command = commands.add_parser(
        "release", parents=[course], **described("Write what learners get to exercises/.")
    )
    command.add_argument(
        "chapters", nargs="*", metavar="CHAPTER", help="which to release (default: all)"
    )
    command.set_defaults(run=_release)

    command = commands.add_parser(
        "simulate", parents=[course], **described("Simulate a class that hands in.")
    )
    command.add_argument("chapters", nargs="+", metavar="CHAPTER")
    command.add_argument(
        "--students", type=positive, default=24, metavar="N", help="how many students (default: 24)"
    )
    command.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="S",
        help="another number gives another class (default: 0)",
    )
    command.set_defaults(run=_simulate)

    _add_grade(
        commands.add_parser(
            "grade", parents=[course, unconfined], **described("Grade what was handed in.")
        )
    )

    command = commands.add_parser(
        "extend", parents=[course], **described("Give a student more time.")
    )
    command.add_argument("student", metavar="STUDENT")
    command.add_argument("chapter", metavar="CHAPTER")
    command.add_argument(
        "--days",
        type=_days,
        required=True,
        metavar="N",
        help="days after the due date; 0 takes back an extension",
    )
    command.set_defaults(run=_extend)

    command = commands.add_parser(
        "feedback", parents=[course], **described("Write a page of feedback for each student.")
    )
    command.add_argument("chapters", nargs="+", metavar="CHAPTER")
    command.add_argument("--force", action="store_true", help="also write up-to-date pages")
    command.add_argument(
        "--zip",
        choices=("moodle", "canvas"),
        help="also write one zip of the pages that the platform accepts",
    )
    add_section(command, "write")
    command.set_defaults(run=_feedback)


def _add_grade(command: argparse.ArgumentParser) -> None:
    command.add_argument("chapters", nargs="+", metavar="CHAPTER")
    command.add_argument(
        "--results", type=Path, metavar="FILE", help="write one JSON line per student and exercise"
    )
    command.add_argument(
        "--seed",
        metavar="SEED",
        help="secret seed of the graded cases (default: kept beside the gradebook)",
    )
    chosen = command.add_mutually_exclusive_group()
    chosen.add_argument(
        "--student",
        action="append",
        default=[],
        metavar="ID",
        help="grade only this student; may be repeated",
    )
    add_section(chosen, "grade")
    command.add_argument("--force", action="store_true", help="also grade what is unchanged")
    command.add_argument("--yes", action="store_true", help="change earlier marks without asking")
    command.add_argument(
        "--device",
        choices=("cpu", "cuda"),
        default="cpu",
        help="cuda: what is right on the CPU is tried on the GPU too",
    )
    command.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="grade on the Dask cluster of this scheduler, tls://HOST:PORT (default: here)",
    )
    command.add_argument(
        "--insecure",
        action="store_true",
        help="allow a --scheduler without TLS that others may reach (dangerous)",
    )
    command.set_defaults(run=_grade)


def _days(text: str) -> int:
    if not text.isdecimal() or int(text) > LONGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to {LONGEST}")
    return int(text)


def _release(given: argparse.Namespace) -> int:
    from autograder.chapters.solutions import all_chapters
    from autograder.course.release import release_all

    course = course_of(given)
    for name, folder in release_all(course, given.chapters or all_chapters(course.root)):
        print(f"{name}: {folder}")
    return 0


def _simulate(given: argparse.Namespace) -> int:
    from autograder.authoring import simulate
    from autograder.chapters.course_root import class_root
    from autograder.chapters.solutions import load
    from autograder.course.course import Course

    course = Course(class_root(given.root))
    for chapter in [load(course.root, name) for name in given.chapters]:
        simulate.refuse_unfinished(chapter)
        public = simulate.released_checks(course, chapter.name)
        students = simulate.make_class(chapter, given.students, given.seed, released=public)
        answers = simulate.write_class(course, chapter, students, given.seed)
        print(f"{len(students)} submissions in {course.root / 'submitted'}; intended: {answers}")
    return 0


def _grade(given: argparse.Namespace) -> int:
    from autograder.chapters.course_root import course_root
    from autograder.common.forks import fork_server

    journals = [course_root(given.root) / JOURNALS / f"{name}.jsonl" for name in given.chapters]
    if given.student or given.force or not all(path.exists() for path in journals):
        fork_server("autograder.grading.session")  # while this process loads as much
    from autograder.commands.class_marks import grade_class

    course = course_of(given)
    given.chapters = [*dict.fromkeys(given.chapters)]
    for chapter in given.chapters:
        _refuse_what_is_not_there(course, chapter)
    return grade_class(course, given)


def _refuse_what_is_not_there(course: "Course", chapter: str) -> None:
    """Raise CourseError without such a chapter or submissions, before a file is written."""
    from autograder.chapters import case_slips
    from autograder.chapters.solutions import load

    case_slips.refuse(load(course.root, chapter))
    course.submissions(chapter)


def _extend(given: argparse.Namespace) -> int:
    from autograder.commands.late_work import tell
    from autograder.grading.due_dates import extend
    from autograder.grading.lock import grading

    course = course_of(given)
    with grading(course):
        tell(extend(course, given.chapter, given.student, given.days))
    return 0


def _feedback(given: argparse.Namespace) -> int:
    from autograder.commands.group_work import tell_differing
    from autograder.commands.late_work import settle_and_tell
    from autograder.plugins.class_feedback import write_with_progress

    course = course_of(given)
    settle_and_tell(course, given.chapters)
    tell_differing(course, given.chapters)
    students = students_in(course, given)
    status = write_with_progress(course, given.chapters, given.force, students)
    if given.zip:
        from autograder.platforms.feedback_zip import zip_and_tell

        for chapter in given.chapters:
            zip_and_tell(course, chapter, given.zip.capitalize(), students)
    return status
