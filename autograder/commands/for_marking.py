"""A teacher can mark written answers on a page: `attn mark`."""

import argparse
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.commands.options import add_section, course_of, described, students_in

if TYPE_CHECKING:
    from autograder.course.course import Course
    from autograder.course.roster import Roster
    from autograder.marking.answer_groups import Part
    from autograder.marking.applying import Dispute, Plan
    from autograder.marking.marks_file import MarksFile

    Answers = dict[Dispute, int | None]  # the place of the mark that counts, None for undecided

FOLDER = "marking"
NAMED = 5  # students of a question to a terminal


def add(commands: Any, course: argparse.ArgumentParser) -> None:
    """Add the command to argparse's; the parent has the options that several share."""
    command = commands.add_parser(
        "mark", parents=[course], **described("Mark the written answers of a chapter on a page.")
    )
    what = command.add_mutually_exclusive_group(required=True)
    what.add_argument("chapter", nargs="?", metavar="CHAPTER", help="write the page for this one")
    what.add_argument(
        "--apply",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="write the marks of these files, which the page has saved, into the gradebook",
    )
    command.add_argument(
        "--for",
        dest="part",
        type=_part,
        metavar="N/OF",
        help="only the answers of one of several graders, such as 2/5; the same text always "
        "comes to the same grader",
    )
    add_section(command, "mark")
    command.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="the page to write (default: marking/CHAPTER.html in the course)",
    )
    command.set_defaults(run=_mark)


def _part(text: str) -> "Part":
    from autograder.marking.answer_groups import Part

    found = re.fullmatch(r"(\d{1,3})/(\d{1,3})", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a grader of several, such as 2/5")
    return Part(int(found[1]), int(found[2]))


def _mark(given: argparse.Namespace) -> int:
    from autograder.common.errors import CourseError

    course = course_of(given)
    if not given.apply:
        return _write_page(course, given)
    if given.part or given.section is not None or given.output:
        raise CourseError("--for, --section and --output are for a page, so not for --apply.")
    return _apply(course, given.apply)


def _write_page(course: "Course", given: argparse.Namespace) -> int:
    from autograder.classes.page import write
    from autograder.commands.terminal import progress
    from autograder.course.roster import roster
    from autograder.marking.answer_groups import Part
    from autograder.marking.marking_page import marking_page, sheets
    from autograder.marking.marks_file import file_name
    from autograder.marking.written_answers import collect

    part, chapter, known = given.part or Part(), given.chapter, roster(course)
    part = replace(part, section=given.section or "")
    written = collect(course, chapter, students_in(course, given))
    with progress() as bar:
        made = sheets(course, chapter, written, part)
        asked = [*bar.track(made, len(written.questions), description="Questions")]
    path = given.output or course.root / FOLDER / file_name(chapter, part, "html")
    write(path, marking_page(chapter, part, asked, known))
    for sheet in asked:
        print(f"{sheet.name}: {sheet.counts}.")
    for student in written.unread:
        print(f"Left out: the graded notebook of {known.named(student)} is not there any more.")
    print(f"Written: {path}")
    return 0


def _apply(course: "Course", paths: list[Path]) -> int:
    """Write marks. Others may grade while a person is asked, so everything is compared again."""
    from autograder.course.roster import roster
    from autograder.grading.lock import grading
    from autograder.marking.marks_file import read_all

    files, known = read_all(paths), roster(course)
    answers: Answers = {}
    while True:
        with grading(course):
            plans = _plans(course, files)
            asked = [one for made in plans for one in made.disputes if one not in answers]
            if not asked:
                return 1 if sum([_carry_out(course, made, answers) for made in plans]) else 0
        if answers:
            print("The answers or the gradebook have changed since you were asked.")
        answers |= {dispute: _answer(dispute, known) for dispute in asked}


def _plans(course: "Course", files: list["MarksFile"]) -> list["Plan"]:
    from autograder.marking.applying import plan

    return [
        plan(course, chapter, [file for file in files if file.chapter == chapter])
        for chapter in sorted({file.chapter for file in files})
    ]


def _carry_out(course: "Course", made: "Plan", answers: "Answers") -> int:
    """Write what is ready or decided, and print what became of each; returns how many are left."""
    from autograder.commands.late_work import tell_penalties
    from autograder.course.roster import roster
    from autograder.marking.gradebook_marks import write
    from autograder.showing.wording import printable

    known = roster(course)
    undecided = [one for one in made.disputes if not made.decide(one, answers[one])]
    penalties = write(course, made.chapter, made.ready) if made.ready else []
    count = f"{len(made.ready)} mark{'' if len(made.ready) == 1 else 's'}"
    print(f"{made.chapter}: {count} written, {made.same} as before.")
    if penalties:
        tell_penalties(made.chapter, penalties, known)
    for sentence in [*made.refused, *(_differ(one, known) for one in undecided)]:
        print(printable(f"Not written: {sentence}"), file=sys.stderr)
    if made.ready:
        print(f"To bring feedback up to date: attn feedback {made.chapter}")
    return len(made.refused) + len(undecided)


def _answer(dispute: "Dispute", known: "Roster") -> int | None:
    """Ask which of several marks counts, if somebody is there; return its place."""
    from autograder.marking.applying import in_words
    from autograder.showing.wording import printable

    if not sys.stdin.isatty():
        return None
    print(printable(f"{dispute.chapter}, {dispute.question}, {_whom(dispute, known)}:"))
    for number, (source, given) in enumerate(dispute.choices, 1):
        print(printable(f"  {number}. {in_words(given)} ({source})"))
    return _choice(len(dispute.choices))


def _choice(most: int) -> int | None:
    """Return the place of what somebody chose, None for nothing."""
    numbers = ", ".join(map(str, range(1, most + 1)))
    while True:
        try:
            text = input(f"Which counts? {numbers}, or Enter to leave the gradebook as it is: ")
        except EOFError:
            return None
        if not text.strip():
            return None
        if text.strip().isdecimal() and 1 <= int(text) <= most:
            return int(text) - 1


def _differ(dispute: "Dispute", known: "Roster") -> str:
    from autograder.marking.applying import in_words

    said = "; ".join(f"{source} has {in_words(given)}" for source, given in dispute.choices)
    return f"{dispute.question}, {_whom(dispute, known)}: {said}."


def _whom(dispute: "Dispute", known: "Roster") -> str:
    students: Iterable[str] = [known.named(student) for _, student in dispute.places]
    named, more = [*students][:NAMED], len(dispute.places) - NAMED
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")
