"""A teacher can ask about a mark or a class: `attn explain | accept | report | similar`.

Each imports what it uses: learners, who have the same `attn`, need not have nbgrader.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.commands.options import add_section, course_of, described, students_in

if TYPE_CHECKING:
    from autograder.course.course import Course
    from autograder.grading.complaint import Explanation


def add(
    commands: Any, course: argparse.ArgumentParser, unconfined: argparse.ArgumentParser
) -> None:
    """Add the commands to argparse's; the parents have the options that several share."""
    _add_of_mark(commands, course, unconfined)
    _add_of_class(commands, course)


def _add_of_mark(
    commands: Any, course: argparse.ArgumentParser, unconfined: argparse.ArgumentParser
) -> None:
    command = commands.add_parser(
        "explain", parents=[course, unconfined], **described("Explain a mark.")
    )
    _add_mark(command)
    command.add_argument(
        "--for-student", action="store_true", help="write a page to send, without secrets"
    )
    command.set_defaults(run=_explain)

    command = commands.add_parser(
        "accept",
        parents=[course, unconfined],
        **described("Keep an answer that is right after all, and grade the class again."),
    )
    _add_mark(command)
    command.add_argument("--yes", action="store_true", help="change earlier marks without asking")
    # the defaults of `attn grade CHAPTER`
    command.set_defaults(
        device="cpu",
        scheduler=None,
        insecure=False,
        force=False,
        results=None,
        student=[],
        section=None,
        run=_accept,
    )


def _add_mark(command: argparse.ArgumentParser) -> None:
    command.add_argument("who", metavar="STUDENT")
    command.add_argument("chapter", metavar="CHAPTER")
    command.add_argument("exercise", metavar="EXERCISE")
    command.add_argument("--seed", metavar="SEED", help="as given to `attn grade`")


def _explain(given: argparse.Namespace) -> int:
    from autograder.commands.explanation import tell, tell_fault
    from autograder.course.roster import roster

    course = course_of(given)
    known = roster(course)
    if not tell_fault(course, known, given.chapter, given.who):
        return 1
    explanation = _explanation(course, given)
    if given.for_student and explanation.reproduced:
        print(f"Written: {_write_page(course, explanation)}")
    else:
        tell(explanation, known)
    return 0 if explanation.reproduced else 1


def _explanation(course: "Course", given: argparse.Namespace) -> "Explanation":
    from autograder.grading.complaint import explain

    return explain(
        course,
        given.chapter,
        given.who,
        given.exercise,
        seed=given.seed,
        confined=not given.no_sandbox,
    )


def _write_page(course: "Course", explanation: "Explanation") -> Path:
    from autograder.classes.page import explained_page, write
    from autograder.course.roster import roster
    from autograder.grading.complaint import answer

    row = explanation.row
    place = row["student"], row["chapter"], row["exercise"]
    code = answer(course, row["chapter"], row["student"], row["exercise"])
    path = course.root.joinpath("explained", *place).with_suffix(".html")
    write(path, explained_page(explanation, roster(course).named(row["student"]), code))
    return path


def _accept(given: argparse.Namespace) -> int:
    from autograder.commands.class_marks import grade_class
    from autograder.commands.explanation import tell_rejected
    from autograder.grading.complaint import answer, keep

    course = course_of(given)
    source = answer(course, given.chapter, given.who, given.exercise)
    explanation = _explanation(course, given)
    path, new = keep(course, given.chapter, given.exercise, source)
    print(f"{'Kept' if new else 'Kept before'}: {path}")
    if explanation.again["verdict"] != "passed":
        tell_rejected(explanation)
        return 1
    given.chapters = [given.chapter]
    return grade_class(course, given)


def _add_of_class(commands: Any, course: argparse.ArgumentParser) -> None:
    command = commands.add_parser("report", parents=[course], **described("Report on a class."))
    command.add_argument("chapter", metavar="CHAPTER")
    command.add_argument("--anonymous", action="store_true", help="leave out all names")
    command.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="the page to write (default: reports/CHAPTER.html in the course, "
        "with _SECTION and _anonymous before the dot where they apply)",
    )
    add_section(command, "report on")
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
    from autograder.classes.class_results import of_section, read_class, without_names
    from autograder.classes.page import report_page, write
    from autograder.classes.tables import print_report
    from autograder.commands.group_work import tell_differing
    from autograder.commands.late_work import settle_and_tell

    course = course_of(given)
    students = students_in(course, given)
    settle_and_tell(course, [given.chapter], named=not given.anonymous)
    if not given.anonymous:
        tell_differing(course, [given.chapter])
    results = read_class(course, given.chapter)
    if students is not None:
        results = of_section(results, given.section, students)
    if given.anonymous:
        results = without_names(results, course.seed(None))
    path = given.output or course.root / "reports" / f"{_report_name(given)}.html"
    print_report(results)
    write(path, report_page(results))
    print(f"Written: {path}")
    return 0


def _report_name(given: argparse.Namespace) -> str:
    from autograder.common.files import in_file_name

    section = in_file_name(given.section or "")
    parts = given.chapter, section, "anonymous" if given.anonymous else ""
    return "_".join(filter(None, parts))


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
