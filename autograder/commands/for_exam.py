"""A teacher can ask for an oral exam on paper: `attn viva`."""

import argparse
from typing import TYPE_CHECKING, Any

from autograder.commands.options import course_of, described, positive

if TYPE_CHECKING:
    from autograder.course.course import Course
    from autograder.viva.exams import Exam
    from autograder.viva.sitting import Sitting


def add(
    commands: Any, course: argparse.ArgumentParser, unconfined: argparse.ArgumentParser
) -> None:
    """Add the command to argparse's; the parents have the options that several share."""
    command = commands.add_parser(
        "viva",
        parents=[course, unconfined],
        **described("Make an oral exam on paper: questions about each student's own code."),
    )
    command.add_argument("chapter", metavar="CHAPTER")
    command.add_argument("--student", metavar="ID", help="only for this student")
    command.add_argument(
        "--questions",
        type=positive,
        default=4,
        metavar="N",
        help="how many for each student (default: 4)",
    )
    command.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="S",
        help="another number gives other questions (default: 0)",
    )
    command.add_argument(
        "--moodle", action="store_true", help="also write the questions for a quiz in Moodle"
    )
    command.set_defaults(run=_viva)


def _viva(given: argparse.Namespace) -> int:
    from autograder.commands.terminal import progress
    from autograder.sandbox.sandbox import Sandbox
    from autograder.viva.sitting import FOLDER, Sitting, write_papers, write_quiz

    course = course_of(given)
    sitting = Sitting.of(course, given.chapter, given.student)
    students = [one.student for one in sitting.everybody if given.student in (None, one.student)]
    exams = []
    with Sandbox(confined=not given.no_sandbox) as sandbox, progress() as bar:
        sandbox.check(course.root)
        made = sitting.exams(students, given.questions, given.seed, sandbox)
        exams = [*bar.track(made, len(students), description="Exams")]
    folder = course.root / FOLDER / given.chapter / (given.student or "")
    paths = write_papers(course, given.chapter, exams, folder)
    if given.moodle:
        paths.append(write_quiz(course, given.chapter, exams, folder))
    _tell(course, sitting, exams, given)
    for path in paths:
        print(f"Written: {path}")
    return 1 if given.student in sitting.ungraded or (not given.student and sitting.ungraded) else 0


def _tell(
    course: "Course", sitting: "Sitting", exams: list["Exam"], given: argparse.Namespace
) -> None:
    """Print how many questions there are, and who has fewer than were asked for, and why."""
    from autograder.course.roster import roster
    from autograder.showing.wording import printable
    from autograder.viva.sitting import asked_twice

    known = roster(course)
    full = sum(len(exam.questions) == given.questions for exam in exams)
    print(f"{given.chapter}: {full} of {len(exams)} students have {given.questions} questions.")
    for exam in exams:
        if len(exam.questions) < given.questions:
            count = len(exam.questions)
            why = " ".join(exam.left) or "The answers that pass allow no more."
            print(printable(f"{known.named(exam.student)} has {count}. {why}"))
    for exercise, number in asked_twice(exams):
        print(f"{exercise}: {number} students with the same code get a question that another has.")
    for sentence in sitting.ungraded.values():
        print(printable(f"Left out: {sentence}"))
