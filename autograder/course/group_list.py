"""Who hands in together: a table in the course's folder, which `attn groups` writes.

In a CSV file a person can read and correct it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.roster import Roster, alike, roster
from autograder.course.table_file import read_headed, write_table

# A line for each student. No chapter means all chapters that have no groups themselves.
FILE = "groups.csv"
COLUMNS = ("student", "group", "chapter")
TWICE = (
    "{} is in two groups, {!r} and {!r}. Correct {} or the file that it comes from, and import "
    "that again: attn groups FILE."
)


@dataclass(frozen=True)
class Groups:
    """The groups of one chapter: their members by name, both sorted. roster: of the course."""

    members: Mapping[str, list[str]] = field(default_factory=dict)
    roster: Roster = field(default_factory=Roster)

    def of(self, student: str) -> str:
        """Return the name of a student's group, "" where there is none."""
        return next((name for name, members in self.members.items() if student in members), "")


def groups_of(course: Course, chapter: str) -> Groups:
    """Return the groups of a chapter: its own where it has some, else those of all chapters.

    Raises CourseError for a student who is not known, or is in two of them.
    """
    lines = _lines(course)
    own = [line for line in lines if line[2] == chapter] or [line for line in lines if not line[2]]
    if not own:
        return Groups()
    known = roster(course)
    ids = {alike(id_): id_ for id_ in (*course.submitting(), *known.names)}
    group: dict[str, str] = {}
    for written, name, _ in own:
        student = ids.get(alike(written))
        if student is None:
            raise CourseError(f"{course.root / FILE}: {known.unknown(written)}")
        refuse_second(known.named(student), group.setdefault(student, name), name)
    return Groups(by_group(group), known)


def refuse_second(named: str, one: str, other: str) -> None:
    """Raise CourseError where the groups of a student are two."""
    if one != other:
        raise CourseError(TWICE.format(named, one, other, FILE))


def by_group(group: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the members of each group, both sorted. group: of each student."""
    members = defaultdict[str, list[str]](list)
    for student, name in sorted(group.items()):
        members[name].append(student)
    return dict(sorted(members.items()))


def keep_groups(course: Course, group: Mapping[str, str], chapter: str = "") -> None:
    """Write these groups instead of those that the chapter had; "" means all chapters."""
    others = [line for line in _lines(course) if line[2] != chapter]
    new = [(student, name, chapter) for student, name in group.items()]
    write_table(course.root / FILE, COLUMNS, _in_order([*others, *new]))


def _in_order(lines: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return sorted(lines, key=lambda line: (line[2], line[1], line[0]))


def _lines(course: Course) -> list[tuple[str, str, str]]:
    """Return student, group and chapter of each line, as written."""
    path = course.root / FILE
    if not path.exists():
        return []
    table = read_headed(path, COLUMNS)
    table.demand(COLUMNS[:2])
    return [
        (row["student"], " ".join(row["group"].split()), row.get("chapter", ""))
        for _, row in table.rows
        if row["student"] and row["group"]
    ]
