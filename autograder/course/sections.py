"""Who is in which section: a table in the course's folder, which `attn roster` writes.

nbgrader's gradebook has no column for it. In a CSV file a person can read and correct it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.roster import alike
from autograder.course.table_file import read_headed, write_table

FILE = "sections.csv"  # a line for each student and section
COLUMNS = ("student", "section")
NONE = (
    "No sections are known. Import a roster with a column `section`: attn roster FILE. For several "
    "sections of a student, write commas between them."
)


def sections(course: Course) -> dict[str, set[str]]:
    """Return the ids of the students in each section, by its name, sorted.

    Raises CourseError where the file is not such a table.
    """
    of = defaultdict[str, set[str]](set)
    for student, section in _lines(course):
        of[section].add(student)
    return dict(sorted(of.items()))


def students_of(course: Course, section: str) -> set[str]:
    """Return the ids of the students in a section; capitals and blanks of its name do not matter.

    Raises CourseError for a section that nobody is in, with those that there are.
    """
    known = sections(course)
    for name, students in known.items():
        if _level(name) == _level(section):
            return students
    there = f"There are: {', '.join(known)}." if known else NONE
    raise CourseError(f"There is no section {section!r}. {there}")


def keep(course: Course, of: Mapping[str, Iterable[str]]) -> None:
    """Write the sections of these students instead of those they had; all others keep theirs."""
    others = [line for line in _lines(course) if line[0] not in of]
    new = [(student, section) for student, names in of.items() for section in names]
    write_table(course.root / FILE, COLUMNS, sorted({*others, *new}))


def _lines(course: Course) -> Iterator[tuple[str, str]]:
    path = course.root / FILE
    if not path.exists():
        return
    table = read_headed(path, COLUMNS)
    table.demand(COLUMNS)
    for _, row in table.rows:
        if row["student"] and row["section"]:
            yield row["student"], " ".join(row["section"].split())


def _level(name: str) -> str:
    return alike("".join(name.split()))
