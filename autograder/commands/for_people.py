"""Who is in the class, in which section and in which group: `attn roster | groups`.

Each imports what it uses: learners, who have the same `attn`, need not have nbgrader.
"""

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.commands.options import course_of, described
from autograder.showing.wording import printable

if TYPE_CHECKING:
    from autograder.course.enrol import Enrolled
    from autograder.course.roster import Roster
    from autograder.course.roster_file import RosterFile


def add(commands: Any, course: argparse.ArgumentParser) -> None:
    """Add the commands to argparse's; `course` has the options of those that read a course."""
    command = commands.add_parser(
        "roster", parents=[course], **described("Import students from a file into the gradebook.")
    )
    command.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="a CSV file: ours, Canvas's gradebook or Moodle's list",
    )
    command.set_defaults(run=_roster)

    command = commands.add_parser(
        "groups", parents=[course], **described("Import the groups that hand in together.")
    )
    command.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="a CSV file: ours, or what Canvas or Moodle exports of groups",
    )
    command.add_argument(
        "--chapter", metavar="CHAPTER", help="they are those of one chapter (default: of all)"
    )
    command.set_defaults(run=_groups)


def _roster(given: argparse.Namespace) -> int:
    from autograder.course.enrol import enrol
    from autograder.course.roster import roster
    from autograder.course.roster_file import read
    from autograder.course.sections import keep, sections
    from autograder.grading.lock import grading

    course, file = course_of(given), read(given.file)
    with grading(course):
        done = enrol(course, file)
        if file.sections is not None:
            keep(course, file.sections)
    _tell_roster(file, done, roster(course))
    if file.sections is not None:
        _tell_sections(sections(course), sum(not names for names in file.sections.values()))
    return 0


def _tell_sections(known: "dict[str, set[str]]", without: int) -> None:
    named = ", ".join(f"{printable(name)} ({len(students)})" for name, students in known.items())
    print(f"Sections: {named or 'none'}; {without} in none.")


def _tell_roster(file: "RosterFile", done: "Enrolled", known: "Roster") -> None:
    """Print what the import did, whom it left alone, and what was guessed of the file."""
    print(
        f"{printable(file.path.name)}: {len(done.added)} added, {len(done.changed)} changed, "
        f"{len(done.same)} as before."
    )
    for student, columns in done.changed.items():
        print(f"Changed: {printable(known.named(student))}, {', '.join(columns)}.")
    if done.left:
        print(
            f"In the gradebook but not in the file, left as they are: {_names(done.left, known)}."
        )
    if file.ids.casefold() != "id":
        print(f"The ids, which name the students' folders, are from the column {file.ids!r}.")
    if file.encoding:
        odd = [line.id for line in file.students if not known.named(line.id).isascii()]
        such_as = f", such as {_names(odd[:3], known)}" if odd else ""
        print(
            f"The file is not in UTF-8 and was read as {file.encoding}; check the names{such_as}."
        )


def _names(students: Iterable[str], known: "Roster") -> str:
    return ", ".join(printable(known.named(student)) for student in students)


def _groups(given: argparse.Namespace) -> int:
    """Return 1 where a line of the file is nobody's."""
    from autograder.chapters.solutions import load
    from autograder.course.group_list import by_group, keep_groups
    from autograder.course.roster import roster
    from autograder.grading.lock import grading
    from autograder.platforms.groups_file import read_groups

    course = course_of(given)
    if given.chapter:
        load(course.root, given.chapter)
    known = roster(course)
    found = read_groups(course, given.file)
    with grading(course):
        keep_groups(course, found.group, given.chapter or "")
    _tell_groups(by_group(found.group), given.chapter)
    alone = sorted(known.enrolled - found.group.keys())
    if alone:
        print(f"In no group, so they hand in alone: {_names(alone, known)}.")
    for sentence in found.left_out:
        print(f"Left out: {printable(sentence)}.", file=sys.stderr)
    return 1 if found.left_out else 0


def _tell_groups(groups: Mapping[str, list[str]], chapter: str | None) -> None:
    sizes = sorted({len(members) for members in groups.values()})
    size = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    number = f"{len(groups)} group{'' if len(groups) == 1 else 's'} of {size}"
    print(f"{number} for {chapter or 'all chapters'}. `attn grade` gives each its newest hand-in.")
